"""A bad file is explained, whatever is wrong with it: a native library's fault would end the process without a word.

So each input is tried in a child process, many in one; the child names every input before it tries it.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import row3
from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import Model, keys_of
from row3.kinds.checks.model import TYPES
from tests.cli.test_broken_files import FILES, Broken, changed, places, prepared
from tests.projects import HOME, Box, clean_env, tiny

ODD: tuple[Any, ...] = (None, True, -1, 7.5, "b", "", "\ud800", [], [3], ["b"], [["b"]], {}, {"a": 1}, [{"a": 1}])
WANTED: dict[str, Any] = {
    "equals": "bug", "contains": "bug", "contains_all": ["bug"], "contains_any": ["bug"], "not_contains": ["bug"],
    "regex": "b.g", "starts_with": "b", "one_of": ["bug"], "number": "5 km", "json_schema": {"type": "object"},
    "required_fields": ["bug"], "no_placeholder": True, "max_words": 3, "similarity": "bug", "names": ["bug"],
    "semantic": "bug", "cost": 1, "latency": 1, "quotes": {"from": "document"},
    "python": "scorers:bug", "action": "NOOP", "judge": "help",
}  # fmt: skip
"""A right value for each type of check."""
MODIFIERS: dict[str, Any] = {
    "weight": 1, "name": "a", "path": "$.a", "min": 0.5, "case": True, "tolerance": 1, "arguments": {"a": 1}
}  # fmt: skip


def in_child(tried: str, *arguments: str) -> list[str]:
    """Return the names of the inputs that a function of this module tried in a new process, which must not crash."""
    code = f"import sys; from tests.cli.test_crash import {tried}; {tried}(*sys.argv[1:])"
    env = clean_env(Path(arguments[0]) if arguments else HOME)
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=HOME, env=env, capture_output=True, text=True, check=False
    )
    names = done.stdout.splitlines()
    assert done.returncode == 0, (done.returncode, names[-1:], done.stderr)
    return names


def models() -> list[type[Model]]:
    """Every model of row3, in order of its name."""
    for module in pkgutil.walk_packages(row3.__path__, "row3."):
        if not module.name.startswith(("row3.integrations", "row3.pytest_plugin", "row3.__main__")):
            importlib.import_module(module.name)
    found: set[type[Model]] = set()
    waiting: list[type[Model]] = [Model]
    while waiting:
        below = [one for one in waiting.pop().__subclasses__() if one not in found]
        found |= set(below)
        waiting += below
    return sorted((one for one in found if one.__module__.startswith("row3.")), key=lambda one: f"{one}")


def explain_models() -> None:
    """Read every odd value as every field of every model, beside an unknown field."""
    for model in models():
        for key in keys_of(model):
            for odd in ODD:
                value = {key: odd, "zzz": 1}
                print(model.__name__, value, flush=True)
                with contextlib.suppress(MisfitsError):
                    convert(value, model)


def test_every_field_of_every_model_is_explained() -> None:
    assert len(in_child("explain_models")) > 5_000


def checks() -> Iterator[dict[str, Any]]:
    """Checks of each type with one wrong field: an unknown one, or another one of a wrong type."""
    for of_type in TYPES:
        yield {of_type: WANTED[of_type], "equal": "bug"}
        yield {of_type: {}} if of_type not in ("equals", "json_schema") else {of_type: 1, "weight": "a"}
        for key, value in MODIFIERS.items():
            yield {of_type: WANTED[of_type], key: value, "equal": "bug"}
            yield {of_type: WANTED[of_type], key: [[]]}


def lint_checks(folder: str) -> None:
    """Lint a project of kind `checks` with each wrong check."""
    box = Box(Path(folder) / "checks")
    box.root.mkdir()
    box.row3("init", "--kind", "checks", code=0)
    for check in checks():
        print(json.dumps(check), flush=True)
        box.write("golden/checks/odd.gold.json", json.dumps({"id": "odd", "input": "a", "checks": [check]}))
        wrong = next(key for key in reversed(check))
        refuses(box, ("lint",), "odd.gold.json", wrong)


def refuses(box: Box, command: tuple[str, ...], *words: str) -> None:
    done = box.row3(*command, code=2)
    assert all(word in f"{done.out}{done.err}" for word in words), (words, done)
    assert "internal error" not in done.err, done


def test_a_wrong_field_of_every_check_is_a_message(tmp_path: Path) -> None:
    assert len(in_child("lint_checks", str(tmp_path))) == len(list(checks()))


def read_files(folder: str, *names: str) -> None:
    """Read each file with one wrong field beside every other field."""
    for name in names:
        box = tiny(Path(folder) / name)
        box.init()
        box.row3("promote", "v1.0", code=0)
        broken = Broken(box, prepared(name, box))
        for place in places(broken.value):
            inner: Any = broken.value
            for part in place[:-1]:
                inner = inner[part]
            odd = changed(broken.value, (*place[:-1], "zzz"), 1) if isinstance(inner, dict) else broken.value
            for value in (odd, changed(broken.value, place, [[]]), changed(odd, place, [{"a": 1}])):
                print(name, json.dumps(value), flush=True)
                broken.said(broken.holding(value))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_a_wrong_field_of_every_file_is_a_message(part: int, tmp_path: Path) -> None:
    assert in_child("read_files", str(tmp_path), *sorted(FILES)[part::4])
