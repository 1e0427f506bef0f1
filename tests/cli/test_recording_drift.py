"""`row3 recordings verify --against` and `row3 recordings drift`."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, SUITE, Box, Done, first, flawless

OLD = f"recordings/{SUITE}/extract-v1.0.jsonl"


def said(done: Done) -> str:
    return " ".join(done.out.split())


def test_verify_names_what_was_recorded_again(box: Box) -> None:
    box.record("1.0", {"rye": flawless(CASES["rye"])})
    done = box.row3("recordings", "verify", "--against", "HEAD", code=0)
    assert any(line.startswith(f"{OLD}:") and "[recorded-again] rye" in line for line in done.out.splitlines())
    assert "recorded-again" not in box.row3("recordings", "verify", code=0).out


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
        assert "3 answered word for word as before" in said(done)
        assert f"Then recordings/{SUITE} Now 3 of 3 cases" in said(done)
        assert "Overall 0.0 points (95%: 0.0…0.0) since the recordings, 3 cases" in said(done)
        assert box.tree() == before

    def test_other_answers_are_listed(self, box: Box, finds: dict[str, int]) -> None:
        finds |= dict.fromkeys(CASES, 1)
        value = box.row3("recordings", "drift", "--format", "json").json
        assert value["then"]["source"] == f"recordings/{SUITE}"
        assert {case["id"] for case in value["cases"]} == set(CASES)
        assert all(case["now"] < case["then"] and not case["same"] for case in value["cases"])

    def test_the_prompts_that_are_named_and_a_sample(self, box: Box, finds: dict[str, int]) -> None:
        finds |= dict.fromkeys(CASES, 4)
        args = ("--prompt", "extract-v1.1", "--sample", "2", "--random-seed", "1", "--format", "json")
        value = box.row3("recordings", "drift", *args, code=0).json
        assert (value["prompts"], len(value["sample"]), value["of"]) == ({"extract": "v1.1"}, 2, 3)

    def test_what_is_not_recorded_cannot_drift(self, box: Box, finds: dict[str, int]) -> None:
        box.path(OLD).unlink()
        assert "no recordings of the promoted prompts" in box.row3("recordings", "drift", code=2).err
        done = box.row3("recordings", "drift", "--model", "x", code=2)
        assert "has no option `--model`" in done.err
