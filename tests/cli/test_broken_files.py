"""Every file that row3 reads, made wrong in every way: one message that names the file and the field."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.projects import CASES, SUITE, Box, flawless

Value = dict[str, Any]
Place = tuple[str | int, ...]
DAY = "2026-11-24"
RUBRIC = """---
name: {name}
version: "1.1"
output: {output}
---
{{% block user %}}{{{{ {variable} }}}}{{% endblock %}}
"""


@dataclass(frozen=True)
class Form:
    """How a file holds an object: all of it, in a line, or in front of a template."""

    read: Callable[[str], Value]
    write: Callable[[str, str], str]
    """The file's text and the object as JSON; returns the file with that object."""


def inline(value: Any) -> str:
    """A JSON value as TOML has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {inline(part)}" for key, part in value.items()) + "}"
    return f"[{', '.join(map(inline, value))}]" if isinstance(value, list) else json.dumps(value)


def toml(_: str, text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if not isinstance(value, dict):
        return inline(value)
    return "".join(f"{json.dumps(key)} = {inline(part)}\n" for key, part in value.items())


def in_line(number: int) -> Form:
    """One object a line, this one in the line of that number; the commas of an array stay."""

    def read(text: str) -> Value:
        found: Value = json.loads(text.splitlines()[number].removesuffix(","))
        return found

    def write(text: str, held: str) -> str:
        lines = text.splitlines()
        lines[number] = held + "," * lines[number].endswith(",")
        return "\n".join(lines) + "\n"

    return Form(read, write)


WHOLE = Form(json.loads, lambda _, text: text)
LINE, IN_ARRAY = in_line(0), in_line(1)
TOML = Form(tomllib.loads, toml)
FRONT = Form(
    lambda text: {
        "name": "extract", "version": "1.1", "description": "x", "output": "extraction", "temperature": 0,
        "seed": 1, "max_tokens": 5, "lessons": False, "model": "m",
    },
    lambda text, held: "---\n".join(("", f"{held}\n", text.split("---\n", 2)[-1])),
)  # fmt: skip


@dataclass(frozen=True)
class File:
    """One kind of file of a project."""

    path: str
    command: tuple[str, ...]
    form: Form = WHOLE
    made: Any = None
    """What is written first: an object, or a text."""
    kind: str = "extraction"


def case(kind: str, value: Value) -> File:
    """A golden case of a kind."""
    given = {"version": "1.0", "created": DAY, "tags": ["a"], "critical": False, "history": [], "origin": "original"}
    return File(f"golden/{SUITE}/rye.gold.json", ("lint",), made={**value, **given}, kind=kind)


ID = {"id": "rye"}
FIGURES = {"eval_name": SUITE, "baseline_score": 1, "current_score": 0.5, "drop_percentage": 0.5, "timestamp": DAY}
DOCUMENT = {"document_id": "rye", "title": "Rye", "date": DAY, "document": "Ann Ash baked rye.", "domain": "mail"}
ENTITY = {"name": "Ann Ash", "type": "PERSON", "mentions": ["Ann Ash"]}
EVENT = {"category": "Decision", "description": "bakes rye", "actor": "Ann Ash", "due_date": DAY}
CONNECTION = {"document_id": "e", "connection_reason": "shared_entity", "entity": "x"}
FILES = {
    "row3.toml": File("row3.toml", ("--compare",), TOML),
    "extraction": case("extraction", {**ID, **CASES["rye"], "topic": "Rye", "domain": "technical", "citation": "x"}),
    "events": case("events", {**DOCUMENT, "expected_events": [EVENT]}),
    "entities": case("entities", {**DOCUMENT, "expected_entities": [ENTITY]}),
    "retrieval": case("retrieval", {**ID, "query": "rye?", "relevant_documents": [{"id": "d", "relevance": 3}]}),
    "graph": case("graph", {**ID, "seed_document": "d", "depth": 1, "expected_connections": [CONNECTION]}),
    "checks": case("checks", {**ID, "input": "?", "checks": [{"contains": "rye", "weight": 1, "name": "x"}]}),
    "outcome": case(
        "outcome",
        {
            **ID,
            "question": "What is baked?",
            "required_facts": [{"fact_id": "rye", "claim": "rye", "must_cite": [{"doc": "d", "quote_contains": "x"}]}],
        },
    ),
    "prompt": File("prompts/extract-v1.1.md", ("--compare",), FRONT),
    "promoted": File("prompts/promoted.json", ("--compare",)),
    "recordings": File(f"recordings/{SUITE}/extract-v1.1.jsonl", ("--compare",), LINE),
    "baseline": File(f"baselines/{SUITE}.json", ("--compare",)),
    "history": File("metrics-history.json", ("history",), IN_ARRAY),
    "outputs": File(
        "outputs.jsonl",
        ("score", SUITE, "--outputs", "outputs.jsonl"),
        LINE,
        "".join(json.dumps({"caseId": name, "output": flawless(each)}) + "\n" for name, each in CASES.items()),
    ),
    "responses": File(
        "responses.jsonl",
        ("recordings", "import", "responses.jsonl", "--model", "other"),
        LINE,
        json.dumps(
            {
                "caseId": "rye", "prompt": "extract", "response": "{}", "repeat": 0, "finishReason": "stop",
                "usage": {"promptTokens": 1, "completionTokens": 1}, "servedModel": "x", "latencyS": 1,
            }
        ) + "\n",
    ),
    "quarantine": File(
        f"golden/{SUITE}/quarantine.json",
        ("lint",),
        made={
            "schemaVersion": 1,
            "cases": [{"case": "rye", "since": DAY, "until": "2026-12-24", "reason": "x", "who": "y"}],
        },
    ),
    "reviewed": File(
        f"golden/{SUITE}/reviewed.jsonl",
        ("aliases", "review", "--list"),
        LINE,
        {"schemaVersion": 1, "caseId": "rye", "item": "x", "verdict": "wrong", "text": "0" * 16, "date": DAY},
    ),
    "lessons": File(
        f"lessons/{SUITE}.jsonl",
        ("--compare",),
        LINE,
        {"schemaVersion": 1, "id": "x", "information": "x", "tags": ["a"], "metadata": FIGURES},
    ),
    "run": File(".row3/runs/x.json", ("diff", ".row3/runs/x.json", "latest")),
    "embeddings": File(
        f"recordings/{SUITE}/embeddings-m.jsonl",
        ("recordings", "list"),
        LINE,
        {"digest": "0" * 64, "schemaVersion": 1, "model": "m", "text": "x", "vector": "AAAA"},
    ),
    "labels": File(
        f"calibrations/{SUITE}.labels.jsonl",
        ("lint",),
        LINE,
        {"schemaVersion": 1, "suite": SUITE, "rubric": "help", "caseId": "rye", "answerDigest": "0" * 64, "grade": 75},
        "checks",
    ),
    "calibrations": File(
        f"calibrations/{SUITE}.json",
        ("lint",),
        made={"schemaVersion": 1, "rubrics": {}},
        kind="checks",
    ),
}  # fmt: skip


A_FILE = re.compile(r"\w\.(json|jsonl|md|toml)\b")
NONE: frozenset[str] = frozenset()
FREE = {
    "checks": frozenset({"input"}),
    "recordings": frozenset({"inputDigest", "promptDigest"}),
    "outputs": frozenset({"output"}),
    "run": frozenset({"gate", "usage", "tally"}),
}
"""Fields whose form is the user's, a model's, or nobody's that reads them again."""
OPEN = frozenset({"recordings", "outputs", "responses", "embeddings"})
"""Files of others' making, or of every version of row3, in which unknown fields are ignored."""


def places(value: Any, at: Place = (), deep: int = 3) -> Iterator[Place]:
    """Paths of the fields of objects, the first of each array."""
    if isinstance(value, dict) and deep:
        for key, part in value.items():
            yield (*at, key)
            yield from places(part, (*at, key), deep - 1)
    elif isinstance(value, list) and value:
        yield from places(value[0], (*at, 0), deep)


def changed(value: Any, place: Place, new: Any) -> Any:
    """The value with another one at a place; with `...` it is gone."""
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if len(place) > 1:
        copy[place[0]] = changed(value[place[0]], place[1:], new)
    elif new is ...:
        del copy[place[0]]
    else:
        copy[place[0]] = new
    return copy


def prepared(name: str, box: Box) -> File:
    """Put the file into a project of its kind."""
    file = FILES[name]
    if file.kind != "extraction":
        for folder in ("golden", "prompts", "recordings", "baselines"):
            shutil.rmtree(box.path(folder))
        more = 'documents = "documents"\n' if file.kind == "outcome" else ""
        suite = f'[judge]\nmodel = "judge"\n[suites.{SUITE}]\nkind = "{file.kind}"\n{more}'
        box.write("row3.toml", f"{box.read('row3.toml')}{suite}")
        box.write("prompts/help-v1.1.md", RUBRIC.format(name="help", output="grade", variable="answer"))
        box.write("prompts/extract-v1.1.md", RUBRIC.format(name="extract", output="answer", variable="input"))
    if name in ("labels", "calibrations"):
        box.write(f"golden/{SUITE}/rye.gold.json", json.dumps({**ID, "input": "?", "checks": [{"judge": "help"}]}))
    if name == "outcome":
        box.write("golden/documents/d.json", json.dumps({"document_id": "d", "document": "x"}))
    if name == "lessons":  # are read for a prompt that shows them
        box.replace("prompts/extract-v1.1.md", "temperature: 0", "temperature: 0\nlessons: true")
    if name == "quarantine":  # takes one case in five
        for number in range(2):
            box.case(f"rye-{number}", **{**CASES["rye"], "sourceText": f"Rye {number}. {CASES['rye']['sourceText']}"})
    if name == "run":
        box.row3(code=0)
        next(box.path(".row3/runs").iterdir()).rename(box.path(file.path))
        box.row3(code=0)
    if file.made is not None:
        box.write(file.path, file.made if isinstance(file.made, str) else json.dumps(file.made) + "\n")
    return file


class Broken:
    """A file, and what row3 says when it holds something else."""

    def __init__(self, box: Box, file: File) -> None:
        self.box, self.file = box, file
        self.text = box.read(file.path)
        self.value = file.form.read(self.text)

    def said(self, content: str | bytes) -> tuple[int, str]:
        """Exit code and all that is said, as one line; the file is put back."""
        self.box.write(self.file.path, content)
        try:
            done = self.box.row3(*self.file.command)
        finally:
            self.box.write(self.file.path, self.text)
        said = " ".join(f"{done.out} {done.err}".split())
        assert done.code in (0, 1, 2, 3), done
        assert "internal error" not in said, said
        return done.code or 0, said

    def refused(self, content: str | bytes, *words: str) -> None:
        """It must be refused, by its name and these words."""
        code, said = self.said(content)
        assert code == 2, said
        for word in (self.file.path.rpartition("/")[2], *words):
            assert word in said, (word, said)

    def holding(self, value: Any) -> str:
        """The file with another value."""
        return self.file.form.write(self.text, json.dumps(value))


@pytest.fixture
def broken(request: pytest.FixtureRequest, box: Box) -> Broken:
    return Broken(box, prepared(request.param, box))


EVERY = pytest.mark.parametrize("broken", FILES, indirect=True)


@EVERY
def test_the_file_as_it_should_be_is_read(broken: Broken) -> None:
    code, said = broken.said(broken.text)
    assert code == 0, said


@EVERY
def test_what_is_no_text_and_no_json(broken: Broken) -> None:
    broken.refused(broken.text.replace("e", "é").encode("latin-1", "replace"), "UTF-8")
    broken.refused(broken.text.encode("utf-16"), "UTF-16")
    broken.refused(broken.file.form.write(broken.text, json.dumps(broken.value)[:-9]))
    for other in ("[]", "7"):
        broken.refused(broken.file.form.write(broken.text, other))


@pytest.mark.parametrize("broken", [name for name, file in FILES.items() if file.form is not FRONT], indirect=True)
def test_a_newer_and_an_impossible_version(broken: Broken) -> None:
    for version in (99, "x", 0):
        broken.refused(broken.holding({**broken.value, "schemaVersion": version}), "chemaVersion")


@EVERY
@pytest.mark.slow
def test_a_field_of_another_type_that_is_missing_or_unknown(broken: Broken) -> None:
    name = next(name for name, file in FILES.items() if file is broken.file)
    for place in places(broken.value):
        field = next(part for part in reversed(place) if isinstance(part, str))
        old: Any = broken.value
        for part in place:
            old = old[part]
        other: Any = 7 if isinstance(old, dict) else {"x": 1}
        if not FREE.get(name, NONE).intersection(place):
            broken.refused(broken.holding(changed(broken.value, place, other)), field)
        for odd in (..., None, -1, ""):
            code, said = broken.said(broken.holding(changed(broken.value, place, odd)))
            assert code != 2 or A_FILE.search(said), (place, odd, said)
    if name not in OPEN:
        broken.refused(broken.holding({**broken.value, "zzz": 1}), "zzz")
