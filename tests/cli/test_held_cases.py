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


def without_old_answers(box: Box) -> None:
    """A draft that answers as well, the answers of the version before it gone, and an alias more."""
    critical(box)
    box.path(PRUNED).unlink()
    expected = CASES["rye"]["expectedConcepts"]
    box.case("rye", critical=True, expectedConcepts=[{**expected[0], "aliases": ["secale", "zz"]}, *expected[1:]])
    draft(box, flawless(CASES["rye"]))


def test_cases_whose_old_answers_are_gone_are_held_too(work: Box) -> None:
    without_old_answers(work)
    merge(work, "a draft")
    work.replace("prompts/extract-v1.2.md", "about bread", "of bread")
    work.record("1.2", GOOD | {"rye": POOR["rye"]})
    told = said(work, 1)
    assert "(more than 5) with 1 case whose old answer cannot be scored again" in told
    assert "critical case rye broke: Overall fell from" in told
    assert "and its old answer cannot be scored again" in told
    work.row3("promote", "v1.2", "--approve", "shorter is wanted", code=0)
    work.git("checkout", "-q", "--", "metrics-history.json", "CHANGELOG.md")
    told = said(work, 1)
    assert "the new baseline is of worse answers: Concept recall 100.0% → 83.3%" in told
    assert "the new baseline is of worse answers: critical case rye, Overall" in told


GONE = f"investigate recorded answers that the baseline of suite {SUITE} rests on are gone since main (extract-v1.1): "


def test_that_they_are_gone_is_told(work: Box) -> None:
    without_old_answers(work)
    told = said(work, 0)
    assert f"{GONE}oven, rye, yeast; they are needed until `row3 --baseline`, best in the same change, makes" in told
    assert "git diff main -- recordings" in told


def test_of_what_no_baseline_rests_on_nothing_is(work: Box) -> None:
    work.path(f"recordings/{SUITE}/extract-v1.0.jsonl").unlink()
    lines = work.read(PRUNED).splitlines(keepends=True)
    work.record("1.1", GOOD, repeat=1)
    merge(work, "more answers than the baseline is of")
    work.write(PRUNED, "".join(lines))
    assert "rests on are gone" not in said(work, 0)
    work.prompt("1.2")
    work.record("1.2", GOOD)
    work.row3("promote", "v1.2", code=0)
    work.path(PRUNED).unlink()
    assert "rests on are gone" not in said(work, 0), "the promotion made another baseline"


@pytest.mark.parametrize(
    ("part", "new", "verdict", "code"),
    [
        (r"rapidfuzz/[\d.]+", "rapidfuzz/3.0", "investigate", 0),
        (r"extraction/\d+", "extraction/1", "block", 1),
        (r"levenshtein>=0.85", "levenshtein>=0.5", "block", 1),
    ],
)
def test_a_new_baseline_names_the_scorer_that_made_it(work: Box, part: str, new: str, verdict: str, code: int) -> None:
    ours = re.findall(part, work.read(BASELINE))[0]
    work.replace(BASELINE, ours, new)
    assert f"{verdict} the new baseline is of another scorer than this row3's: {ours} → {new}" in said(work, code)
    merge(work, "another scorer")
    work.case("rye", expectedConcepts=[*CASES["rye"]["expectedConcepts"], {"label": "dough", "required": False}])
    work.write(BASELINE, work.read(BASELINE).rstrip() + "\n\n")
    assert "another scorer than this row3's" not in said(work, 0), "the one before has it"
