"""Recordings that the index refuses: contradictory, edited, or recorded twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from row3.domain.requests import Answer, Request, digest_text, messages_of
from row3.errors import InvalidFile
from row3.project.json_lines import lines_in
from row3.project.recording_lines import to_line
from row3.project.recordings import RecordingIndex, open_index
from row3.project.tree import WorkTree
from tests.rows import every_row

AT = "2026-01-01T00:00:00Z"
OTHERS: list[tuple[str, Any]] = [
    ("model", "other"),
    ("temperature", 0.5),
    ("seed", 1),
    ("maxTokens", 5),
    ("repeat", 1),
    ("schemaDigest", "x"),
]


def ask(number: int = 0, case_id: str = "a") -> Request:
    digest = digest_text(f"{number}")
    return Request(
        case_id, "p-v1.0", 0, "m", 0.0, None, None, messages_of("", "u"), "concepts", {}, "s", "p", {}, digest
    )


def recorded(root: Path, *lines: str) -> RecordingIndex:
    folder = root / "recordings/s"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "p-v1.0.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return open_index(WorkTree(root), "s")


@every_row(("key", "value"), OTHERS)
def test_a_line_whose_fields_contradict_its_digest_is_refused(tmp_path: Path, key: str, value: object) -> None:
    line = json.loads(to_line(ask(1), Answer("first"), recorded_at=AT))
    (line if key == "repeat" else line["request"])[key] = value
    index = recorded(tmp_path, json.dumps(line))
    with pytest.raises(InvalidFile, match=f"does not match its digest: its `{key}` is `{value}`"):
        index.answer(ask(1))
    if key != "repeat":  # a missing field cannot contradict
        del line["request"][key]
        assert recorded(tmp_path, json.dumps(line)).answer(ask(1)) == Answer("first", replayed=True)


@every_row("otherwise", [False, True])
def test_a_line_of_another_prompt_or_case_is_checked(tmp_path: Path, otherwise: bool) -> None:
    index = recorded(tmp_path, to_line(ask(1, "b"), Answer("first"), recorded_at=AT))
    index.asks_differently = lambda recording, request: otherwise
    if not otherwise:
        assert index.answer(ask(1)) == Answer("first", replayed=True)
        return
    with pytest.raises(InvalidFile, match="p-v1.0 asks something else about `b`"):
        index.answer(ask(1))


def test_edited_duplicate_and_broken_answers_are_refused(tmp_path: Path) -> None:
    whole, edited, twice, again = (
        to_line(ask(number), Answer(text), recorded_at=AT)
        for number, text in ((1, "first"), (2, "second"), (3, "third"), (3, "another"))
    )
    broken = to_line(ask(4), Answer("fourth"), recorded_at=AT).replace('"text": "fourth"', '"text": 4')
    index = recorded(tmp_path, whole, edited.replace("second", "secund"), twice, again, broken)
    assert index.answer(ask(1)) == Answer("first", replayed=True)
    assert index.answer(ask(1).digest) == Answer("first", replayed=True)
    assert index.answer(ask(5)) is None
    faults = (
        (2, "the recorded answer was edited"),
        (3, "has a different answer"),
        (4, "field `response.text`"),
    )
    for number, says in faults:
        with pytest.raises(InvalidFile, match=says) as error:
            index.answer(ask(number))
        assert error.value.where == f"recordings/s/p-v1.0.jsonl:{number if number < 4 else 5}"
        with pytest.raises(InvalidFile, match=says):
            index.answer(ask(number).digest)


def test_a_link_created_after_the_check_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = tmp_path / "outside"
    outside.write_text("{}\n")
    monkeypatch.setattr(WorkTree, "at", lambda tree, path: tree.root / path)  # the check was before it was put there
    path = "recordings/bread/extract-v1.0.jsonl"
    link = tmp_path / "project" / path
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    with pytest.raises(InvalidFile, match="symbolic link"):
        lines_in(WorkTree(tmp_path / "project"), path)
    with pytest.raises(InvalidFile, match="symbolic link"):
        RecordingIndex().add_journal(link)
