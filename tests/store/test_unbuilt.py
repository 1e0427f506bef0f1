"""Models made by hand are those that pydantic makes, or it is asked."""

from __future__ import annotations

import copy
import math
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from row3.store import unbuilt
from row3.store.config import Config
from row3.store.history import HistoryEntry
from row3.store.prompts import _FrontMatter, _PromotedFile
from row3.store.quarantine import QuarantineFile
from row3.store.run_records import RunHeader

ROOT = Path(__file__).parents[2]
SUITES = """
mode = "live"
jobs = 4
[provider]
temperature = 1
max_tokens = 300
[prices.small]
input = 0.5
output = 1
[suites.a]
pipeline = ["one", "two"]
weights = { recall = 0.5, precision = 1 }
types = []
matching = { scorer = "ratio", threshold = 0.9, semantic = { model = "local", threshold = 0.5 } }
predicates = { allowed = ["X"], inverse = { X = "Y" } }
gate = { block = 3, metrics = ["recall"], policy = "paired", fail = "overall:5", informational = true }
thresholds = { recall = { minimum = 0.5, target = 0.6, excellent = 1, blocking = false } }
live = { gate = { block = 5.0 }, thresholds = { f1 = { minimum = 0 } } }
provider = { model = "x", seed = 7 }
[suites.b]
provider = { type = "mcp", version = "1.0", command = "serve", tool = "ask", setup = [{ tool = "b", for_each = "a" }] }
[suites.c]
provider = { type = "command", version = "v2.1", command = "run", env = ["KEY"], arguments = { q = "{query}" } }
[suites.d]
provider = { type = "python", version = "1.0", callable = "a.b:c", timeout_s = 3 }
"""
ENTRY = {
    "runId": "r", "at": "2026-12-01", "action": "compare", "suite": "s", "prompts": {"p": "v1.0"}, "model": "m",
    "mode": "replay", "cases": 3, "metrics": {"recall": 0.5, "f1": 1}, "verdict": "block", "reasons": ["é"],
    "dirty": None, "approval": {"reason": "x", "by": "y", "at": "z"},
}  # fmt: skip
HEADER = {
    "$schema": "s", "schemaVersion": 1, "runId": "r", "suite": "s", "kind": "extraction", "action": "baseline",
    "at": "2026-12-01T09:30:00Z", "commit": None, "dirty": True, "mode": "replay", "prompts": {"p": "v1.0"},
    "promptDigests": {"p": "d"}, "model": "m", "scorer": "s",
    "parameters": {"p": {"model": "m", "seed": 1, "none": None, "list": [None, {"a": None}]}},
    "weights": {"recall": 0.25}, "thresholds": {"recall": {"minimum": 0.5}}, "gate": {"block": 5.0},
    "metrics": {"recall": 0.5}, "pooled": {}, "denominators": {"recall": 4}, "zones": {"recall": "pass"},
}  # fmt: skip
EXAMPLES: list[tuple[type[BaseModel], dict[str, Any]]] = [
    (Config, tomllib.loads(SUITES)),
    (Config, tomllib.loads((ROOT / "row3.toml").read_text(encoding="utf-8"))),
    (HistoryEntry, ENTRY),
    (RunHeader, HEADER),
    (_FrontMatter, {"name": "p", "version": "v1.0", "output": "concepts", "temperature": 0, "max_tokens": 9}),
    (_PromotedFile, {"prompts": {"p": {"version": "v1.0", "digest": "d", "date": "x", "locked": {"v0.9": "e"}}}}),
    (QuarantineFile, {"cases": [{"case": "a", "since": "2026-01-01", "until": "2026-02-01", "reason": "r"}]}),
]
TAKEN_BY_HAND = 6
"""All but the last, which has validators of its own."""
ODD: list[Any] = [
    None, True, False, 0, 1, -1, 7, 2**60, 10**400, 0.0, 0.5, 1.0, -2.5, math.nan, math.inf, "", " ", "x", "1", "v1.0",
    "a\n", "é", "\ud800", "replay", "mcp", "chat", "a.b:c", [], ["x"], [1], {}, {"x": 1}, {"x": "y"}, {"block": 2},
    {"type": "python"}, ("x",), b"x", {1: 2},
]  # fmt: skip


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, part in parts for place in _places(part, (*at, key)))]


@st.composite
def examples(draw: st.DrawFn) -> tuple[type[BaseModel], Any]:
    """A file's value, with up to three values replaced, removed or added."""
    model, value = draw(st.sampled_from(EXAMPLES))
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.sampled_from(_places(value)))
        if not place:
            continue
        holder = value
        for key in place[:-1]:
            holder = holder[key]
        what = draw(st.sampled_from(["replace", "remove", "add"]))
        if what == "remove":
            del holder[place[-1]]
        elif what == "replace" or not isinstance(holder, dict):
            holder[place[-1]] = copy.deepcopy(draw(st.sampled_from(ODD)))
        else:
            names = st.sampled_from(["mode", "model", "type", "tool", "url", "run_id", "runId", "schema_", "x"])
            holder[draw(names)] = copy.deepcopy(draw(st.sampled_from(ODD)))
    return model, value


def _set(value: Any) -> Any:
    """Which fields were given, all the way down."""
    if isinstance(value, BaseModel):
        return type(value), value.model_fields_set, [_set(part) for part in vars(value).values()]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [_set(part) for part in parts]


@settings(max_examples=400)
@given(examples())
def test_what_is_taken_by_hand_is_what_pydantic_reads(example: tuple[type[BaseModel], Any]) -> None:
    model, value = example
    before = repr(value)
    try:
        by_hand = unbuilt._model(model, value)
    except unbuilt._UnsureError:
        return
    assert repr(value) == before
    read = model.model_validate(value)
    assert (by_hand, repr(by_hand), _set(by_hand)) == (read, repr(read), _set(read))
    try:
        plain = unbuilt._plain_fields(by_hand)
    except unbuilt._UnsureError:
        return
    dumped = read.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert (plain, repr(plain)) == (dumped, repr(dumped))


@pytest.mark.parametrize(("model", "value"), EXAMPLES[:TAKEN_BY_HAND])
def test_files_as_they_should_be_are_taken_by_hand(model: type[BaseModel], value: Any) -> None:
    assert unbuilt._model(model, value) == model.model_validate(value)
    assert unbuilt._plain_fields(unbuilt._model(model, value))


def test_a_model_that_pydantic_has_built_is_left_to_it() -> None:
    HistoryEntry.model_validate(ENTRY)
    assert unbuilt.unbuilt(HistoryEntry, ENTRY) is None
    by_name = {key: value for key, value in ENTRY.items() if key != "runId"}
    assert unbuilt.made(HistoryEntry, run_id="q", **by_name).run_id == "q"


def test_a_wrong_value_is_refused_as_ever() -> None:
    with pytest.raises(ValidationError, match="jobs"):
        unbuilt.made(Config, jobs=0)


def test_reading_and_writing_what_is_right_builds_nothing() -> None:
    code = (
        "from row3.store import config, history, saved_runs, tree, unbuilt\n"
        "from pathlib import Path\n"
        f"read = config.read_config(tree.WorkTree(Path({str(ROOT)!r})))\n"
        f"entries = history.read_history(tree.WorkTree(Path({str(ROOT)!r})))[:30]\n"
        "assert entries and history.as_json(entries)\n"
        "print([model.__name__ for model in (config.Config, config.SuiteConfig, saved_runs.RunHeader) "
        "if model.__pydantic_complete__])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
