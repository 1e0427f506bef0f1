"""The journal of a live run."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from pathlib import Path

import pytest

from row3.domain.requests import Answer, Request, messages_of
from row3.errors import EnvironmentFault
from row3.project.local_state import in_state
from row3.project.recording_lines import from_line
from row3.running.journal import Journal, abandoned, discard, lines_of

WHEN = "2026-01-01T00:00:00Z"


def ask(case_id: str) -> Request:
    return Request(
        case_id=case_id,
        prompt="p-v1.0",
        repeat=0,
        model="m",
        temperature=None,
        seed=None,
        max_tokens=None,
        messages=messages_of("", ""),
        schema_name="concepts",
        schema={},
        schema_digest="s",
        prompt_digest="p",
        variables={},
        digest=case_id * 64,
    )


def kept(root: Path, suite: str, kind: str, run: str, *cases: str) -> Path:
    journal = Journal(root, suite, kind, run)
    for case_id in cases:
        asyncio.run(journal.keep(ask(case_id), Answer("x"), recorded_at=WHEN))
    journal.close()
    return journal.path


def test_every_answer_is_on_disk_before_the_next_request(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "bread", "save", "run1")
    assert lines_of(journal.path) == []
    for count, case_id in enumerate("ab", 1):
        asyncio.run(journal.keep(ask(case_id), Answer(f"answer {case_id}\n"), recorded_at=WHEN))
        assert len(lines_of(journal.path)) == count
    journal.close()
    journal.close()
    assert [from_line(line, where="x").answer.text for line in lines_of(journal.path)] == ["answer a\n", "answer b\n"]


def test_an_empty_journal_is_removed(tmp_path: Path) -> None:
    assert not kept(tmp_path, "bread", "save", "run1").exists()
    assert kept(tmp_path, "bread", "save", "run1", "a").exists()


def test_a_link_created_after_the_check_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = tmp_path / "bashrc"
    outside.write_text("")

    def replaced(root: Path, path: str) -> Path:
        place = in_state(root, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".jsonl"):
            place.symlink_to(outside)
        return place

    monkeypatch.setattr("row3.running.journal.in_state", replaced)
    with pytest.raises(EnvironmentFault, match=r"journal/bread--save--run1\.jsonl: cannot be written"):
        kept(tmp_path, "bread", "save", "run1", "a")
    assert outside.read_text() == ""


def slow_disk(monkeypatch: pytest.MonkeyPatch) -> tuple[list[int], threading.Event]:
    """The sizes of the file when it was flushed; the first flush waits for the event."""
    flushed: list[int] = []
    go_on, real = threading.Event(), os.fsync

    def fsync(number: int) -> None:
        flushed.append(os.fstat(number).st_size)
        if len(flushed) == 1:
            go_on.wait(10)
        real(number)

    monkeypatch.setattr(os, "fsync", fsync)
    return flushed, go_on


def test_answers_arriving_during_a_write_share_one_flush_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed, go_on = slow_disk(monkeypatch)
    journal = Journal(tmp_path, "bread", "save", "run1")

    async def go() -> None:
        first = asyncio.create_task(journal.keep(ask("a"), Answer("x"), recorded_at=WHEN))
        while not flushed:
            await asyncio.sleep(0.001)
        others = [asyncio.create_task(journal.keep(ask(name), Answer("x"), recorded_at=WHEN)) for name in "bcdef"]
        await asyncio.sleep(0.01)
        assert not any(task.done() for task in (first, *others)), "counted before it was on disk"
        go_on.set()
        await asyncio.gather(first, *others)

    asyncio.run(go())
    assert len(flushed) == 2
    assert [from_line(line, where="x").case_id for line in lines_of(journal.path)] == list("abcdef")
    journal.close()


def test_an_interruption_loses_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed, go_on = slow_disk(monkeypatch)
    journal = Journal(tmp_path, "bread", "save", "run1")

    async def go() -> None:
        tasks = [asyncio.create_task(journal.keep(ask("a"), Answer("x"), recorded_at=WHEN))]
        while not flushed:
            await asyncio.sleep(0.001)
        tasks += [asyncio.create_task(journal.keep(ask(name), Answer("x"), recorded_at=WHEN)) for name in "bc"]
        await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        go_on.set()

    asyncio.run(go())
    journal.close()
    assert [from_line(line, where="x").case_id for line in lines_of(journal.path)] == list("abc")


def test_a_line_cut_off_by_a_crash_is_ignored(tmp_path: Path) -> None:
    path = kept(tmp_path, "bread", "save", "run1", "a", "b")
    raw = path.read_bytes()
    for cut in (1, 10, len(raw) // 2 - 1):
        path.write_bytes(raw[:-cut])
        assert len(lines_of(path)) == 1


def test_journals_are_found_by_suite_and_kind_oldest_first_and_discarded(tmp_path: Path) -> None:
    runs = (("bread", "save", "2"), ("bread", "save", "1"), ("bread", "live", "1"), ("other", "save", "1"))
    for suite, kind, run in runs:
        kept(tmp_path, suite, kind, run, "a")
    found = abandoned(tmp_path, "bread", "save")
    assert [path.name for path in found] == ["bread--save--1.jsonl", "bread--save--2.jsonl"]
    discard(found)
    discard(found)
    assert abandoned(tmp_path, "bread", "save") == []
    assert len(abandoned(tmp_path, "bread", "live")) == len(abandoned(tmp_path, "other", "save")) == 1
    assert abandoned(tmp_path / "nowhere", "bread", "save") == []


def _found(root: Path) -> list[str]:
    return [path.name for path in abandoned(root, "bread", "save")]


def test_the_journal_of_a_running_run_is_left_alone(tmp_path: Path) -> None:
    kept(tmp_path, "bread", "save", "dead", "a")
    living = Journal(tmp_path, "bread", "save", "living")
    asyncio.run(living.keep(ask("b"), Answer("x"), recorded_at=WHEN))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_found, (tmp_path,)) == ["bread--save--dead.jsonl"]
    living.close()
    assert _found(tmp_path) == ["bread--save--dead.jsonl", "bread--save--living.jsonl"]
