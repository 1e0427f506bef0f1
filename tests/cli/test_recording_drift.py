"""Recordings that were replaced: by another recording, or by a hand."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from row3.domain.requests import digest_text
from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, SUITE, Box, Done, first, flawless

OLD, NEW = (f"recordings/{SUITE}/extract-v{version}.jsonl" for version in ("1.0", "1.1"))


def edit(box: Box, name: str, case_id: str, concepts: int) -> None:
    """Put another answer under the same request, with a digest that fits it."""
    lines = [json.loads(line) for line in box.read(name).splitlines()]
    text = json.dumps(first(flawless(CASES[case_id]), concepts))
    for line in lines:
        if line["caseId"] == case_id:
            line["response"]["text"], line["answerDigest"] = text, digest_text(text)
    box.write(name, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def said(done: Done) -> str:
    return " ".join(done.out.split())


def test_an_answer_that_was_put_in_the_place_of_the_baselines_blocks(box: Box) -> None:
    edit(box, OLD, "rye", 4)
    done = box.row3("--compare", "--prompt", "extract-v1.0", code=1)
    assert "recordings changed since the baseline without being recorded again: rye" in said(done)
    assert "restore recordings/ from git, or record them again (--mode record)" in said(done)


def test_an_answer_that_was_recorded_again_is_said_and_does_not_block(box: Box) -> None:
    box.record("1.0", {"rye": flawless(CASES["rye"])})
    value = box.row3("--compare", "--prompt", "extract-v1.0", "--format", "json", code=0).json
    assert "recorded again since the baseline, with other answers: rye" in value["differs"]
    assert [reason for reason in value["reasons"] if "recordings" in reason["text"]] == []


def test_a_change_that_edits_a_recording_blocks(box: Box) -> None:
    edit(box, NEW, "yeast", 3)
    done = box.row3("--compare", "--against", "HEAD", code=1)
    assert "recordings changed since HEAD without being recorded again: yeast (extract-v1.1)" in said(done)
    box.git("add", "-A")
    done = box.row3("hook", "run", "pre-commit", code=1)
    assert "without being recorded again: yeast (extract-v1.1)" in " ".join(done.err.split())


def test_a_change_that_records_again_is_judged_by_what_was_recorded(box: Box) -> None:
    box.record("1.1", {"yeast": first(flawless(CASES["yeast"]), 3)})
    value = box.row3("--compare", "--against", "HEAD", "--format", "json", code=0).json
    assert "recorded again since HEAD, with other answers: yeast (extract-v1.1)" in value["differs"]
    assert value["metrics"]["recall"] < 1


def test_a_recording_that_only_moved_to_another_file_did_not_drift(box: Box) -> None:
    box.write(f"recordings/{SUITE}/all.jsonl", box.read(NEW))
    box.path(NEW).unlink()
    value = box.row3("--compare", "--against", "HEAD", "--format", "json", code=0).json
    assert value["verdict"] == "proceed"


def test_an_edit_that_forgets_the_digest_is_refused_as_ever(box: Box) -> None:
    box.replace(NEW, "salt", "sale")
    assert "the recorded answer was edited" in box.row3("--compare", code=2).err


def test_verify_tells_edited_answers_from_those_that_were_recorded_again(box: Box) -> None:
    edit(box, NEW, "yeast", 3)
    box.record("1.0", {"rye": flawless(CASES["rye"])})
    done = box.row3("recordings", "verify", "--against", "HEAD", code=2)
    lines = done.out.splitlines()
    assert any(line.startswith(f"{NEW}:") and "error [replaced-answer] yeast" in line for line in lines)
    assert any(line.startswith(f"{OLD}:") and "warning [recorded-again] rye" in line for line in lines)
    assert "replaced-answer" not in box.row3("recordings", "verify", code=0).out


class TestAskedAgain:
    """`row3 recordings drift`."""

    @pytest.fixture
    def finds(self, box: Box) -> Iterator[dict[str, int]]:
        """How many concepts of a case the live model finds; 3 of those that are not named."""
        found: dict[str, int] = {}
        fake = FakeModel(
            lambda case_id, _: FakeReply(json.dumps(first(flawless(CASES[case_id]), found.get(case_id, 3))))
        )
        fake.serve(box)
        yield found
        fake.stop()

    def test_a_live_system_that_answers_as_recorded(self, box: Box, finds: dict[str, int]) -> None:
        before = box.tree()
        done = box.row3("recordings", "drift", code=0)
        assert "3 answered word for word as then" in said(done)
        assert f"Then recordings/{SUITE}, recorded 20" in said(done)
        assert "0.0 points of Overall since they were recorded" in said(done)
        assert box.tree() == before

    def test_a_live_system_that_moved(self, box: Box, finds: dict[str, int]) -> None:
        finds |= dict.fromkeys(CASES, 1)
        done = box.row3("recordings", "drift", code=1)
        assert "the live system moved: its answers fell by 12.5 points of Overall since they were recorded" in said(
            done
        )
        value = box.row3("recordings", "drift", "--format", "json", code=1).json
        assert value["verdict"] == "the live system moved"
        assert value["then"]["source"] == f"recordings/{SUITE}"
        assert {case["id"] for case in value["cases"]} == set(CASES)
        assert all(case["now"] < case["then"] and not case["same"] for case in value["cases"])

    def test_one_other_answer_is_listed(self, box: Box, finds: dict[str, int]) -> None:
        finds["rye"] = 4
        done = box.row3("recordings", "drift", code=0)
        assert "2 answered word for word as then" in said(done)
        assert "rye 78.8% 85.0% +6.2" in said(done)
        assert "oven 7" not in said(done)

    def test_the_prompts_that_are_named_and_a_sample(self, box: Box, finds: dict[str, int]) -> None:
        finds |= dict.fromkeys(CASES, 4)
        args = ("--prompt", "extract-v1.1", "--sample", "2", "--seed", "1", "--format", "json")
        value = box.row3("recordings", "drift", *args, code=0).json
        assert (value["prompts"], len(value["sample"]), value["of"]) == ({"extract": "v1.1"}, 2, 3)

    def test_what_is_not_recorded_cannot_drift(self, box: Box, finds: dict[str, int]) -> None:
        box.path(OLD).unlink()
        assert "there is no recording of the promoted prompts" in box.row3("recordings", "drift", code=2).err
        done = box.row3("recordings", "drift", "--model", "x", code=2)
        assert "has no option `--model`" in done.err
