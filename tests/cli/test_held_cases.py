"""Cases that cannot be compared are held to what the baseline says of them, why ever they cannot."""

from __future__ import annotations

import re

import pytest

from tests.judging import BASELINE, GOOD, POOR, said
from tests.projects import CASES, SUITE, Box, first, flawless

PRUNED = f"recordings/{SUITE}/extract-v1.1.jsonl"


def merge(box: Box, message: str) -> None:
    box.commit(message)
    box.git("branch", "-f", "main", "HEAD")


def with_another_text(box: Box, **more: object) -> None:
    box.case("rye", sourceText=CASES["rye"]["sourceText"] + " It is so.", **more)
    box.record("1.1", GOOD)
    merge(box, "a text")


def draft(box: Box, rye: dict[str, object]) -> None:
    box.prompt("1.2")
    box.record("1.2", GOOD | {"rye": rye})


def critical(box: Box) -> None:
    box.case("rye", critical=True)
    box.row3("--baseline", code=0)
    merge(box, "critical")


def test_a_small_fall_among_them_is_told(work: Box) -> None:
    work.write("row3.toml", work.read("row3.toml") + f"[suites.{SUITE}.gate]\nblock = 20\n")
    work.row3("--baseline", code=0)
    merge(work, "a lenient gate")
    with_another_text(work)
    draft(work, first(GOOD["rye"], 3))
    told = "investigate Concept recall fell from 100.0% to 91.7% with 1 case whose text is another than the baseline's"
    assert told in said(work, 0)


@pytest.mark.parametrize(("part", "new"), [(r"rapidfuzz/[\d.]+", "rapidfuzz/3.0"), (r"extraction/\d+", "extraction/1")])
def test_so_is_a_fall_by_the_figures_of_another_scorer(work: Box, part: str, new: str) -> None:
    critical(work)
    old = re.findall(part, work.read(BASELINE))[0]
    work.replace(BASELINE, old, new)
    with_another_text(work, critical=True)
    draft(work, POOR["rye"])
    told = said(work, 1)
    assert "block Concept recall fell from 100.0% to 83.3% (more than 5) with 1 case whose text is another" in told
    assert f"(scored then by another scorer: {new} → {old})" in told
    assert "block critical case rye broke: Overall fell" in told


def test_cases_whose_old_answers_are_gone_are_held_too(work: Box) -> None:
    critical(work)
    work.path(PRUNED).unlink()
    expected = CASES["rye"]["expectedConcepts"]
    work.case("rye", critical=True, expectedConcepts=[{**expected[0], "aliases": ["secale", "zz"]}, *expected[1:]])
    draft(work, flawless(CASES["rye"]))
    merge(work, "a draft, and no answers of the version before it")
    work.replace("prompts/extract-v1.2.md", "about bread", "of bread")
    draft_again = GOOD | {"rye": POOR["rye"]}
    work.record("1.2", draft_again)
    told = said(work, 1)
    assert "(more than 5) with 1 case whose old answer cannot be scored again" in told
    assert "critical case rye broke: Overall fell from" in told
    assert "and its old answer cannot be scored again" in told
