"""An unedited copy of a prompt: nothing is recorded in the place of the original's answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, first, flawless

Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]
SAME = r"extract-v1.2 and extract-v1.0 send the same request for `\w+`: recording it would replace"
EDIT = "Edit prompts/extract-v1.2.md first, or use --mode auto"


def fewer(case_id: str, times: int) -> FakeReply:
    """Another answer than any that is recorded."""
    return FakeReply(json.dumps(first(flawless(CASES[case_id]), 1)))


@pytest.fixture
def copied(box: Box, model: Make) -> FakeModel:
    """Version 1.2 is an unedited copy of 1.0, which is promoted; the model answers otherwise today."""
    fake = model(fewer)
    fake.serve(box)
    box.row3("new-version", "extract", code=0)
    return fake


@pytest.mark.parametrize("args", [(), ("--compare",), ("--case", "rye"), ("investigate", "rye")])
def test_a_copy_takes_no_answer_of_the_original(box: Box, copied: FakeModel, args: tuple[str, ...]) -> None:
    # Requests of one job go out in turn: where the baseline's prompts are asked too, theirs may be the first.
    before = box.tree()
    jobs = () if "investigate" in args else ("--jobs", "1")
    done = box.row3(*args, "--mode", "record", *jobs, code=2)
    assert re.search(f"error: --mode record: {SAME}", done.err)
    assert len(done.errors) == 1
    assert len(copied.asked) <= (args == ("--compare",))
    assert box.tree() == before


def test_what_is_to_be_done_is_said_and_works(box: Box, copied: FakeModel) -> None:
    assert EDIT in box.row3("--mode", "record", code=2).err
    before = box.tree()
    box.row3("--mode", "auto", code=0)
    assert (copied.asked, box.tree()) == ([], before)
    box.replace("prompts/extract-v1.2.md", "about bread", "of bread")
    box.row3("--mode", "record", code=0)
    assert len(copied.asked) == len(CASES)
    after = box.tree()
    assert {name for name in after if after[name] != before.get(name)} == {
        "prompts/extract-v1.2.md",
        "recordings/bread/extract-v1.2.jsonl",
    }


def test_the_original_is_recorded_anew_as_before(box: Box, copied: FakeModel) -> None:
    before = box.read("recordings/bread/extract-v1.0.jsonl")
    box.row3("--prompt", "extract-v1.0", "--mode", "record", code=0)
    assert box.read("recordings/bread/extract-v1.0.jsonl") != before
    assert not box.path("recordings/bread/extract-v1.2.jsonl").exists()


def test_a_case_that_has_no_answer_is_recorded_for_the_copy(box: Box, copied: FakeModel) -> None:
    lines = box.read("recordings/bread/extract-v1.0.jsonl").splitlines(keepends=True)
    box.write("recordings/bread/extract-v1.0.jsonl", "".join(line for line in lines if '"rye"' not in line))
    box.row3("--case", "rye", "--mode", "record", code=0)
    assert copied.asked == ["rye"]
    assert len(box.read("recordings/bread/extract-v1.0.jsonl").splitlines()) == len(CASES) - 1
    assert len(box.read("recordings/bread/extract-v1.2.jsonl").splitlines()) == 1
