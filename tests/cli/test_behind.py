"""`--against` where the ref that judges has commits that HEAD lacks, and `--against REF...`."""

from __future__ import annotations

import pytest

from tests.journeys import judged
from tests.projects import CASES, SUITE, Box, copy_of, first, flawless, worse
from tests.rows import every_row

BEHIND = "HEAD lacks 1 commit of main that changes row3's files"


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def left_behind(tiny_promoted: Box, tmp_path_factory: pytest.TempPathFactory) -> Box:
    """A branch with a page of its own, that left main before v1.1 was promoted there."""
    box = tiny_promoted.copy(tmp_path_factory.mktemp("behind") / "project")
    box.write(".gitattributes", "metrics-history.json merge=union\n")  # as `row3 init` writes it
    box.commit("attributes")
    box.git("checkout", "-q", "-b", "docs")
    box.write("page.md", "A page.\n")
    box.commit("page")
    box.git("checkout", "-q", "main")
    box.row3("promote", "v1.1", code=0)
    box.commit("v1.1")
    box.write("README.md", "Nothing that row3 reads.\n")
    box.commit("readme")
    box.git("checkout", "-q", "docs")
    return box


behind = copy_of("left_behind")


def test_what_main_did_is_told_before_the_branch_is_blamed(behind: Box) -> None:
    done = behind.row3("--compare", "--against", "main", "--format", "json")
    assert (done.code, done.json["verdict"]) == (1, "block")  # as a plain ref always judged
    shown = flat(behind.row3("--compare", "--against", "main", code=1, CI="1").out)
    assert BEHIND in shown.partition("Next:")[2]
    assert shown.endswith("--against main...")


@every_row("scope", [(), ("--all",)])
@every_row("form", ["table", "markdown", "github", "junit"])
def test_every_form_tells_it(behind: Box, form: str, scope: tuple[str, ...]) -> None:
    done = behind.row3("--compare", *scope, "--against", "main", "--format", form, code=1, CI="1")
    assert BEHIND in flat(done.out)
    left = behind.row3("--compare", *scope, "--against", "main...", "--format", form, code=0, CI="1")
    assert "lacks" not in left.out


def test_all_suites_tell_it_once_more_as_the_way_on(behind: Box) -> None:
    shown = flat(behind.row3("--compare", "--all", "--against", "main", code=1, CI="1").out)
    assert (
        "files: merge or rebase first, or compare with the fork point: --against main..." in shown.partition("Next:")[2]
    )
    assert BEHIND in flat(behind.row3("comment", "--dry-run", "--against", "main").out)


def test_an_incomplete_run_tells_it(box: Box) -> None:
    box.git("checkout", "-q", "-b", "docs")
    box.git("checkout", "-q", "main")
    new = CASES["rye"] | {"sourceText": "Rye is a cereal. Salt slows the proofing of every dough."}
    box.case("crumb", **new)
    box.record("1.1", {"crumb": flawless(new)})
    box.commit("crumb")
    box.git("checkout", "-q", "docs")
    done = box.row3("--compare", "--against", "main", CI="1")
    assert done.code in (1, 3)
    assert f"Next: {BEHIND}: merge or rebase first" in flat(done.out)
    box.row3("--compare", "--against", "main...HEAD", code=0)


def test_after_the_merge_or_rebase_nothing_is_lacking(behind: Box) -> None:
    behind.row3("--compare", "--against", "main", code=1)
    assert "metrics-history.json" in behind.git("status", "--short").out  # noted, and in no rebase's way
    behind.git("rebase", "--autostash", "main")
    assert "lacks" not in behind.row3("--compare", "--against", "main", code=0).out


def test_what_is_being_merged_is_not_lacking(behind: Box) -> None:
    behind.git("merge", "--no-commit", "--no-ff", "main")
    assert "lacks" not in behind.row3("--compare", "--against", "main", code=0).out


def test_commits_that_row3_does_not_read_are_not_counted(box: Box) -> None:
    box.git("checkout", "-q", "-b", "docs")
    box.git("checkout", "-q", "main")
    box.write("README.md", "Nothing that row3 reads.\n")
    box.commit("readme")
    box.git("checkout", "-q", "docs")
    assert "lacks" not in box.row3("--compare", "--against", "main", code=0).out


def test_behind_or_not_a_worse_prompt_blocks(behind: Box) -> None:
    worse(behind)
    for ref in ("main", "main..."):
        done = behind.row3("--compare", "--against", ref, code=1)
        assert "Overall is worse by" in done.out


def test_three_dots_do_not_let_a_branch_loosen_what_judges(behind: Box) -> None:
    behind.case("rye", forbiddenConcepts=[])
    behind.path(f"golden/{SUITE}/oven.gold.json").unlink()
    reasons = judged(behind, against="main...", code=1).reasons
    assert reasons >= {"block criteria_removed case oven", "block criteria_removed case rye canary:cold rye memory"}


def test_the_tip_sees_what_three_dots_cannot(behind: Box) -> None:
    """Why CI judges by the tip: a branch that left before v1.1 is no worse than what it left, and worse than main."""
    worse(behind, "1.2", 3)
    behind.row3("--compare", "--against", "main...", code=0)
    done = behind.row3("--compare", "--against", "main", code=1)
    assert "Overall is worse by" in done.out
    behind.commit("v1.2")
    behind.git("merge", "-q", "--no-edit", "main")
    assert "Overall is worse by" in behind.row3("--compare", "--against", "main", code=1).out


@every_row("name", ["main..", "main..HEAD", "main...docs", "...main", "...", "nowhere..."])
def test_other_ranges_are_refused_in_one_message(box: Box, name: str) -> None:
    done = box.row3("--compare", "--against", name, code=2)
    assert len(done.errors) == 1
    assert "git knows" in done.err


def test_no_common_ancestor(box: Box) -> None:
    box.git("checkout", "-q", "--orphan", "other")
    box.commit("other")
    done = box.row3("--compare", "--against", "main...", code=2)
    assert (len(done.errors), "have no common ancestor" in done.err) == (1, True)
    clone = Box(box.root.parent / "shallow")
    box.git("clone", "-q", "--depth", "1", "-b", "other", f"file://{box.root}", str(clone.root))
    clone.git("fetch", "-q", "--depth", "1", "origin", "main")
    done = clone.row3("--compare", "--against", "FETCH_HEAD...", code=2)
    assert (len(done.errors), "git fetch --unshallow" in done.err) == (1, True)
    assert "lacks" not in clone.row3("--compare", "--against", "FETCH_HEAD").out


def test_the_better_prompt_of_a_branch_behind_is_seen_from_where_it_left(behind: Box) -> None:
    behind.record("1.1", {case_id: first(flawless(case), 4) for case_id, case in CASES.items()})
    result = behind.row3("--compare", "--against", "main...", "--format", "json", code=0).json
    assert (result["verdict"], result["baseline"]["against"]) == ("proceed", "main...")
