"""Conflicts that two branches meet, resolved as docs/ci.md says: what comes of it passes hook and CI."""

from __future__ import annotations

import shlex
import sys

import pytest

from tests.journeys import judged
from tests.projects import CASES, SUITE, Box, first, flawless

MERGE = ("merge", "--no-edit", "main")
REBASE = ("rebase", "main")
WRITTEN = ("CHANGELOG.md", "baselines", "charts", "prompts/promoted.json")
UNION = "metrics-history.json merge=union\nrecordings/**/*.jsonl merge=union\n"
"""As `row3 init` writes it."""


@pytest.fixture
def two(box: Box) -> Box:
    """Branch `work` beside main, with hooks."""
    box.write(".gitattributes", UNION)
    box.commit("attributes")
    box.git("checkout", "-q", "-b", "work")
    box.row3("hook", "install", code=0)
    return box


def conclude(box: Box, how: tuple[str, ...]) -> None:
    """End the merge or rebase; the hook judges what a merge makes, and CI the outcome."""
    box.git("add", "-A")
    box.git("-c", "core.editor=true", *(("commit", "--no-edit") if how == MERGE else ("rebase", "--continue")))
    found = box.row3("lint").out
    assert "mixed-entry" not in found and "merge-conflict" not in found
    done = box.row3("--compare", "--all", "--against", "main", CI="1", code=0)
    assert "lacks" not in done.out
    box.row3("hook", "run", "pre-commit", code=0)


def promoted(box: Box, version: str, concepts: int = 4) -> None:
    """Make a version and promote it, as a commit."""
    box.prompt(version)
    box.record(version, {case_id: first(flawless(case), concepts) for case_id, case in CASES.items()})
    box.row3("promote", f"v{version}", "--commit", code=0)


def add_case(box: Box, name: str) -> None:
    new = CASES["rye"] | {"sourceText": f"Rye is a cereal. Salt slows the proofing of a {name}."}
    box.case(name, **new)
    for version in ("1.0", "1.1"):
        box.record(version, {name: first(flawless(new), 3)})


@pytest.mark.parametrize("how", [MERGE, REBASE])
def test_two_cases_merge_by_themselves(two: Box, how: tuple[str, ...]) -> None:
    add_case(two, "loaf")
    two.commit("loaf")
    two.git("checkout", "-q", "main")
    add_case(two, "bun")
    two.commit("bun")
    two.git("checkout", "-q", "work")
    two.git(*how)
    two.row3("--compare", "--all", "--against", "main", CI="1", code=0)


def both_with_a_baseline(two: Box, how: tuple[str, ...]) -> None:
    """Each side adds a case and saves a baseline; they are in conflict."""
    add_case(two, "loaf")
    two.row3("--baseline", code=0)
    two.commit("loaf")
    two.git("checkout", "-q", "main")
    add_case(two, "bun")
    two.row3("--baseline", code=0)
    two.commit("bun")
    two.git("checkout", "-q", "work")
    two.git(*how, code=1)


@pytest.mark.parametrize("how", [MERGE, REBASE])
def test_two_baselines(two: Box, how: tuple[str, ...]) -> None:
    both_with_a_baseline(two, how)
    told = two.row3("--baseline", code=2)
    assert "take the other branch's and run your command again" in told.errors[0]
    two.git("checkout", "main", "--", "baselines")
    two.row3("--baseline", code=0)
    conclude(two, how)
    saved = two.read(f"baselines/{SUITE}.json")
    assert all(f'"{name}"' in saved for name in ("bun", "loaf", *CASES))


@pytest.mark.parametrize("how", [MERGE, REBASE])
def test_one_sides_baseline_is_stopped(two: Box, how: tuple[str, ...]) -> None:
    both_with_a_baseline(two, how)
    two.git("checkout", "--ours" if how == MERGE else "--theirs", "--", "baselines")
    two.git("add", "-A")
    assert judged(two, code=1).reasons >= {"block baseline_differs baseline"}


@pytest.mark.parametrize("how", [MERGE, REBASE])
def test_two_promotions_of_one_prompt(two: Box, how: tuple[str, ...]) -> None:
    promoted(two, "1.2")
    two.git("checkout", "-q", "main")
    two.row3("promote", "v1.1", "--commit", code=0)
    two.git("checkout", "-q", "work")
    two.git(*how, code=1)
    two.git("checkout", "main", "--", *WRITTEN)
    two.row3("promote", "v1.2", code=0)
    conclude(two, how)
    assert "| Metric | v1.1 | v1.2 | Delta |" in two.read("CHANGELOG.md")


def test_the_worse_of_two_promotions_is_stopped(two: Box) -> None:
    """Each was better than what both left; beside one another one of them is worse, and no merge hides that."""
    promoted(two, "1.2", concepts=3)
    two.git("checkout", "-q", "main")
    two.row3("promote", "v1.1", "--commit", code=0)
    two.git("checkout", "-q", "work")
    two.git(*MERGE, code=1)
    two.git("checkout", "main", "--", *WRITTEN)
    assert "Overall is worse by" in two.row3("promote", "v1.2", code=1).out
    two.git("add", "-A")
    assert "row3 stops this" in two.git("commit", "--no-edit", code=1).err


@pytest.mark.parametrize("how", [MERGE, REBASE])
def test_the_same_version_number(two: Box, how: tuple[str, ...]) -> None:
    two.row3("promote", "v1.1", "--commit", code=0)
    two.git("branch", "-f", "main", "work")
    two.prompt("1.2")
    two.replace("prompts/extract-v1.2.md", "You read texts", "With care you read texts")
    two.record("1.2", {case_id: flawless(case) for case_id, case in CASES.items()})
    two.row3("promote", "v1.2", "--commit", code=0)
    two.git("checkout", "-q", "main")
    promoted(two, "1.2")
    two.git("checkout", "-q", "work")
    two.git(*how, code=1)
    mine = two.git("show", "work:prompts/extract-v1.2.md").out
    two.write("prompts/extract-v1.3.md", mine.replace('version: "1.2"', 'version: "1.3"'))
    two.git("checkout", "main", "--", *WRITTEN, "prompts/extract-v1.2.md")
    two.row3("promote", "v1.3", code=0)
    conclude(two, how)
    assert "With care" in two.read("prompts/extract-v1.3.md")
    assert "With care" not in two.read("prompts/extract-v1.2.md")


def test_a_comparison_before_a_rebase_is_taken_along(two: Box) -> None:
    two.commit("mine")
    two.git("checkout", "-q", "main")
    two.row3("--compare", code=0)
    two.commit("compared")
    two.git("checkout", "-q", "work")
    two.row3("--compare", code=0)
    noted = len(two.history())
    assert "unstaged changes" in two.git("rebase", "main", code=1).err
    two.git("rebase", "--autostash", "main")
    assert len(two.history()) == noted + 1


def test_bisect(two: Box) -> None:
    two.row3("promote", "v1.1", "--commit", code=0)
    promoted = two.git("rev-parse", "HEAD").out.strip()
    for number in range(5):
        if number == 2:
            two.prompt("1.2")
            two.record("1.2", {case_id: first(flawless(case), 2) for case_id, case in CASES.items()})
        two.write("page.md", f"{number}\n")
        bad = two.commit(f"page {number}")
        if number == 2:
            worse = bad
    two.git("bisect", "start", "HEAD", promoted)
    script = shlex.join([sys.executable, "-m", "row3", "--compare"])
    done = two.git("bisect", "run", "sh", "-c", f"CI=1 {script} || exit $(($? == 1 ? 1 : 125))")
    assert f"{worse} is the first bad commit" in done.out
    two.git("bisect", "reset")
    assert two.git("status", "--porcelain").out == ""
