"""Whatever stands in a project's files, row3 ends with a result or one message: no traceback, no defect of its own."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from row3.cli.app import run
from tests.projects import Box, tiny

COMMANDS = (
    ("--compare",),
    ("--compare", "--format", "json"),
    ("lint",),
    ("lint", "--format", "json"),
    ("promote", "v1.1", "--dry-run"),
    ("history",),
    ("score", "--outputs", "outputs.jsonl"),
    ("diff", "extract-v1.0", "extract-v1.1"),
    ("recordings", "verify"),
    ("cases",),
    ("power",),
)
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**70, 1e308, 0.5, "", " ", "\0", "\ud800", "\u202e", "1.0", "../../x", "2024-01-01"),
    *("a" * 70_000, [], [[]], {}, [None], {"": None}, [{"label": 1}], {"id": "rye"}, json.loads("[" * 400 + "]" * 400)),
)
TOKENS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"[" * 5000, b"{" * 5000, b'"', b"'", b"---\n", b"{{", b"}}"),
    *(b"{% for x in y %}", b"NaN", b"1e999", b"-", b":", b",", b"#", b"= 1\n", b"2024-01-01", b"<<<<<<< HEAD\n"),
    *(b"\xf0\x9f\x98\x80", b"!!python/object ", b"&a [*a, *a]", b"\\ud800", b"true", b"null", b"0x10", b"''' "),
    *(b"[suites.bread.gate]\n", b"kind = 'checks'\n"),
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Box, dict[str, bytes]]:
    made = tiny(tmp_path_factory.mktemp("fuzz") / "project")
    made.init()
    made.row3("promote", "v1.0", code=0)
    outputs = [json.dumps({"caseId": case, "output": {"concepts": []}}) for case in ("rye", "oven", "yeast")]
    made.write("outputs.jsonl", "\n".join(outputs) + "\n")
    names = sorted(name for name in made.tree() if not name.startswith((".git/", ".row3/", "charts/")))
    return made, {name: made.path(name).read_bytes() for name in names}


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to all values inside a JSON value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, part in parts for place in places(part, (*at, key)))]


def replaced(value: Any, place: tuple[Any, ...], odd: Any) -> Any:
    if not place:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = replaced(value[place[0]], place[1:], odd)
    return copy


def damaged(raw: bytes, draw: st.DataObject) -> bytes:
    """The bytes with one value of their JSON replaced, or a piece cut, doubled or put in."""
    lines = raw.splitlines(keepends=True)
    number = draw.draw(st.integers(0, max(0, len(lines) - 1)), "line") if raw.lstrip()[:1] in b"[{" else -1
    for whole in (raw, lines[number].strip().strip(b",") if lines and number >= 0 else b""):
        try:
            value = json.loads(whole)
        except ValueError:
            continue
        place = draw.draw(st.sampled_from(places(value)), "place")
        odd = json.dumps(replaced(value, place, draw.draw(st.sampled_from(ODD), "odd"))).encode()
        return odd if whole is raw else raw.replace(whole, odd, 1)
    words = [match.span() for match in re.finditer(rb"[\w.\"'-]+|\n", raw)] or [(0, 0)]
    start, end = draw.draw(st.sampled_from(words), "word")
    token = draw.draw(st.sampled_from(TOKENS), "token")
    how = draw.draw(st.sampled_from(("replace", "insert", "cut", "double")), "how")
    return {
        "replace": raw[:start] + token + raw[end:],
        "insert": raw[:start] + token + raw[start:],
        "cut": raw[:start],
        "double": raw[:end] + raw[start:],
    }[how]


@pytest.mark.slow
@settings(max_examples=1500, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(draw=st.data())
def test_any_damage_is_one_message(
    project: tuple[Box, dict[str, bytes]], draw: st.DataObject, capfd: pytest.CaptureFixture[str]
) -> None:
    box, files = project
    name = draw.draw(st.sampled_from(sorted(files)), "file")
    command = draw.draw(st.sampled_from(COMMANDS), "command")
    box.path(name).write_bytes(damaged(files[name], draw))
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(box.root)
            patch.setattr(sys, "argv", ["row3", *command])
            capfd.readouterr()
            with pytest.raises(SystemExit) as end:
                run()
        said = capfd.readouterr()
        assert end.value.code in (0, 1, 2, 3), said.err
        assert "row3 itself failed" not in said.err, said.err
        assert "Traceback" not in said.err, said.err
        assert said.err.count("error:") <= 1, said.err
    finally:
        for each, raw in files.items():
            box.path(each).write_bytes(raw)
