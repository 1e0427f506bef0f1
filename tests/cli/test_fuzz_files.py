"""Whatever stands in a file of a project or of an import, row3 ends with a result or one message, and soon.

Each kind of file is damaged at random for some seconds. Every damage has a number, and the same number makes the same
damage: `ROW3_FUZZ=142` tries only that one.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from tests.cli.test_broken_files import FILES, File, changed, prepared
from tests.langfuse_server import LangFuse
from tests.monitored import record
from tests.projects import HOME, SUITE, Box

TOGETHER_S = 180.0
"""For all kinds of file."""
SOON_S = 20.0
"""For one command, on a machine that does other things too."""
SHOWN = 3_000
COMMANDS = (
    ("--compare",), ("--compare", "--format", "json"), ("lint",), ("lint", "--format", "json"), ("history",),
    ("promote", "v1.1", "--dry-run"), ("diff", "extract-v1.0", "extract-v1.1"), ("recordings", "verify"),
    ("recordings", "list"), ("cases",), ("power",), ("trend",), ("investigate",), ("flaky",),
)  # fmt: skip
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2**53, 2**70, -(2**70), 1e308, -0.0, 0.5, "", " ", "\0", "\ud800", "\u202e", "1.0", "v9.9"),
    *("../../x", "/etc/passwd", "2024-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31", "{{ x }}", "a" * 70_000),
    *([], [[]], {}, [None], {"": None}, [{"label": 1}], {"id": "rye"}, json.loads("[" * 400 + "]" * 400)),
    *(json.loads('{"a":' * 900 + "1" + "}" * 900), ["a"] * 3_000, {f"k{n}": n for n in range(300)}, "(a+)+$", "[", "*"),
)
TOKENS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"[" * 50_000, b"{" * 5000, b'{"a":' * 50_000, b'"', b"'", b"---\n"),
    *(b"{{", b"}}", b"{% for x in y %}", b"NaN", b"nan", b"inf", b"-Infinity", b"1e999", b"-", b":", b",", b"#"),
    *(b"= 1\n", b"= inf\n", b"2024-01-01", b"2024-01-01T00:00:00Z", b"<<<<<<< HEAD\n", b"\xf0\x9f\x98\x80", b"\\ud800"),
    *(b"!!python/object ", b"&a [*a, *a]", b"*a", b"<<: *a", b"? [a]\n: b", b"!!binary x", b"true", b"null", b"0x10"),
    *(b"''' ", b"[suites.bread.gate]\n", b"kind = 'checks'\n", b"9" * 5000, b"-9223372036854775809", b"\xed\xa0\x80"),
)
PROMPTFOO = tuple(sorted(path.name for path in (HOME / "tests/data/promptfoo").glob("*.yaml")))
TABLE = "id,question,__expected,__description\n1,What?,contains:rye,first\n2,Why?,equals:salt,second\n"
IMPORTS = {
    **{f"promptfoo {name}": File(name, ("import", "promptfoo", name, "--suite", "new")) for name in PROMPTFOO},
    "csv": File("a.csv", ("import", "csv", "a.csv", "--suite", "new"), made=TABLE),
    "csv column": File(
        "a.csv", ("import", "csv", "a.csv", "--expected", "question", "--check", "regex", "--suite", "n"), made=TABLE
    ),
    "jsonl": File(
        "a.jsonl", ("import", "jsonl", "a.jsonl", "--suite", "new"), made={"input": {"a": 1}, "expected": "rye"}
    ),
    "cases": File("a.jsonl", ("cases", "import", "a.jsonl", "--suite", SUITE), made={"id": "a", "sourceText": "Rye."}),
    "monitor": File("m.jsonl", ("monitor", "ingest", "m.jsonl"), made=record("a")),
    "rating": File("m.jsonl", ("monitor", "ingest", "m.jsonl"), made={"id": "a", "acceptable": True, "by": "x"}),
    "one output": File(
        "outputs.jsonl",
        ("score", SUITE, "--outputs", "outputs.jsonl", "--format", "json"),
        made={"caseId": "rye", "output": {"concepts": [{"label": "rye", "sourceQuote": "Rye"}]}},
    ),
}  # fmt: skip
SUBJECTS = FILES | IMPORTS
PART_S = TOGETHER_S / (len(SUBJECTS) + 1)


class HangError(Exception):
    """A command took longer than it may."""


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to all values inside a JSON value."""
    yield at
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*at, key))


def damaged_value(value: Any, chance: random.Random) -> Any:
    """The value with one of its values replaced, left out, or given another key."""
    place = chance.choice(list(places(value)))
    odd = chance.choice(ODD)
    if not place:
        return odd
    if chance.random() < 0.2 and isinstance(place[-1], str):
        value = changed(value, (*place[:-1], chance.choice(("zzz", "", place[-1].upper(), "$schema"))), odd)
    return changed(value, place, ... if chance.random() < 0.1 else odd)


def damaged_bytes(raw: bytes, chance: random.Random) -> bytes:
    """The bytes with a piece of them replaced, cut, doubled or put in."""
    start, end = chance.choice([found.span() for found in re.finditer(rb"[\w.\"'-]+|\n", raw)] or [(0, 0)])
    token = chance.choice(TOKENS)
    how: Mapping[str, bytes] = {
        "replace": raw[:start] + token + raw[end:],
        "insert": raw[:start] + token + raw[start:],
        "cut": raw[:start],
        "double": raw[:end] + raw[start:],
    }
    return how[chance.choice(list(how))]


def damaged(file: File, raw: bytes, chance: random.Random) -> bytes:
    """The file with one or two damages."""
    for _ in range(chance.choice((1, 1, 1, 2))):
        if chance.random() < 0.6:
            try:
                text = raw.decode()
                raw = file.form.write(text, json.dumps(damaged_value(file.form.read(text), chance))).encode()
            except (ValueError, IndexError, RecursionError):  # the form's reader does not know what is damaged
                continue
        else:
            raw = damaged_bytes(raw, chance)
    return raw


def numbers(seconds: float) -> Iterator[int]:
    """The numbers of damages, until the time is over."""
    if only := os.environ.get("ROW3_FUZZ"):
        yield int(only)
        return
    until = time.monotonic() + seconds
    yield from itertools.takewhile(lambda _: time.monotonic() < until, itertools.count())


@contextmanager
def soon() -> Iterator[None]:
    """Stop what takes too long."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise HangError(f"still running after {SOON_S:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SOON_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def tried(box: Box, command: tuple[str, ...], what: str) -> None:
    """A command must end with a result or one message."""
    begun = time.monotonic()
    with soon():
        done = box.row3(*command)
    told = f"{what}\nrow3 {' '.join(command)}\n{done}"
    assert done.code in (0, 1, 2, 3), told
    assert "internal error" not in done.err, told
    assert len(done.errors) <= 1, told
    assert time.monotonic() - begun < SOON_S, told


def restored(box: Box, files: Mapping[str, bytes]) -> None:
    """Put the project's files back."""
    now = box.tree()
    for name in now.keys() - files.keys():
        box.path(name).unlink()
    for name, raw in files.items():
        if now.get(name) != raw:
            box.write(name, raw)


def set_up(name: str, box: Box) -> File:
    """Put a file, and what it needs, into the project."""
    if name in FILES:
        return prepared(name, box)
    file = SUBJECTS[name]
    if name.startswith("promptfoo"):
        shutil.copytree(HOME / "tests/data/promptfoo", box.root, dirs_exist_ok=True)
    else:
        box.write(file.path, file.made if isinstance(file.made, str) else json.dumps(file.made) + "\n")
    return file


@pytest.mark.slow
@pytest.mark.parametrize("name", SUBJECTS)
def test_any_damage_is_one_message(name: str, box: Box) -> None:
    file = set_up(name, box)
    files, raw = box.tree(), box.path(file.path).read_bytes()
    for number in numbers(PART_S):
        chance = random.Random(f"{name} {number}")
        content = damaged(file, raw, chance)
        box.write(file.path, content)
        command = chance.choice((file.command, chance.choice(COMMANDS))) if name in FILES else file.command
        tried(box, command, f"{name}, ROW3_FUZZ={number}, {file.path}: {content[:SHOWN]!r}")
        if name in ("monitor", "rating"):
            tried(box, ("monitor", "figures"), f"after ingest, ROW3_FUZZ={number}: {content[:SHOWN]!r}")
            shutil.rmtree(box.path(".row3"), ignore_errors=True)
        restored(box, files)


@pytest.mark.slow
def test_any_damage_to_a_dataset_is_one_message(box: Box) -> None:
    server = LangFuse()
    try:
        box.env |= server.env
        box.row3("langfuse", "push", SUITE, code=0)
        files, items = box.tree(), json.loads(json.dumps(server.items))
        for number in numbers(PART_S):
            chance = random.Random(f"items {number}")
            key = chance.choice(sorted(items))
            part = chance.choice(("input", "expectedOutput", "metadata"))
            server.items = items | {key: items[key] | {part: damaged_value(items[key][part], chance)}}
            tried(box, ("langfuse", "pull", SUITE, "--force"), f"ROW3_FUZZ={number}: {server.items[key]}"[:SHOWN])
            restored(box, files)
    finally:
        server.stop()
