from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from row3.domain.quarantine import Quarantine, Quarantined
from row3.domain.verdicts import CaseChange, Cause, Reason, Verdict
from row3.reports.hooks.hook_text import hook_text
from row3.reports.suites.suites_model import Gone, Judged, SuiteResult, Unjudged


@dataclass
class Hook:
    results: list[SuiteResult]
    exit_code: int = 1
    name: str = "pre-commit"
    base: str | None = "0123456789"
    untouched: list[str] = field(default_factory=list)
    merging: bool = False
    not_added: set[str] = field(default_factory=set)
    approved_beside: set[str] = field(default_factory=set)
    directory: str = ""
    folder: str = ""


@pytest.fixture
def still(make: Any, run: Any) -> Any:
    """A suite in whose fail zone nothing moved."""
    same = replace(run, suite=replace(run.suite, name="graph"))
    quiet = make.comparison(same, (), verdict=Verdict.INVESTIGATE)
    moved = [replace(change, delta=0.0, worse_by=0.0) for change in quiet.metrics]
    reason = Reason(Verdict.INVESTIGATE, "Recall is in its fail zone, which does not block")
    return replace(quiet, metrics=moved, moves={"unchanged": 2}, reasons=[reason])


def test_suites_in_which_nothing_moved_share_a_line(comparison: Any, still: Any) -> None:
    other = replace(still, run=replace(still.run, suite=replace(still.run.suite, name="retrieval")))
    text = hook_text(Hook([Judged(comparison), Judged(still), Judged(other)]))
    assert "row3: nothing moved: graph, retrieval\n" in text
    assert "INVESTIGATE" not in text
    assert "row3: decomposition: " in text


def test_a_suite_alone_says_where_it_stands(still: Any) -> None:
    text = hook_text(Hook([Judged(still)], exit_code=0))
    assert text.startswith("row3: graph: INVESTIGATE, overall ")
    assert "nothing moved" not in text


@pytest.mark.parametrize("cause", ["cases", "rules", "recordings", "locks", "baseline"])
def test_a_change_of_the_rules_is_told_though_no_number_moved(comparison: Any, still: Any, cause: Cause) -> None:
    changed = replace(still, reasons=[Reason(Verdict.INVESTIGATE, "something else", cause=cause)])
    assert "something else" in hook_text(Hook([Judged(comparison), Judged(changed)]))


def test_a_quarantine_is_told_though_no_number_moved(comparison: Any, still: Any) -> None:
    entry = Quarantined("ozone", "2026-01-01", "2026-02-01", "it wavers")
    resting = replace(still, run=replace(still.run, quarantine=Quarantine((entry,))))
    assert "it wavers" in hook_text(Hook([Judged(comparison), Judged(resting)]))


@pytest.mark.parametrize("name", ["pre-commit", "pre-merge-commit", "pre-push"])
def test_what_is_pushed_has_to_be_committed(comparison: Any, name: str) -> None:
    text = hook_text(Hook([Judged(comparison)], name=name, merging=name == "pre-merge-commit"))
    lines = text.splitlines()
    added = f"git add metrics-history.json CHANGELOG.md{' && git commit' if name == 'pre-push' else ''}"
    assert lines[-2 if name == "pre-merge-commit" else -1].strip() == added
    assert ("git merge --abort" in lines[-1]) == (name == "pre-merge-commit")


def test_commands_say_where_the_project_is(comparison: Any) -> None:
    judged = Judged(replace(comparison, against="0123456789"))
    hook = Hook([judged], directory="../team a", folder="../team a/", merging=True)
    text = hook_text(hook)
    assert "row3 -C '../team a' --compare --against 0123456789 --approve REASON\n" in text
    assert "git add '../team a/metrics-history.json' '../team a/CHANGELOG.md'\n" in text
    assert "git checkout '../team a/metrics-history.json'; git merge --abort\n" in text
    hook.results = [Unjudged("new", "no baseline yet (`row3 --baseline --suite new` makes one)")]
    hook.exit_code = 0
    assert "`row3 -C '../team a' --baseline" in " ".join(hook_text(hook).split())


def test_a_suite_that_is_gone_is_named_though_it_was_the_only_one() -> None:
    text = hook_text(Hook([Gone("old", "main", 3, ("Overall", 0.5))]))
    assert "row3: suite old: all its golden cases are gone (3 at main); its baseline has" in text
    assert "row3 --compare --suite old --against 0123456789 --approve REASON" in text
    assert "investigate" not in text


def test_answers_that_were_not_added_and_others(make: Any, run: Any) -> None:
    lacking = [
        replace(run, suite=replace(run.suite, name=name), collected=make.Collected(failed=("ozone",)))
        for name in ("here", "nowhere")
    ]
    results = [Judged(make.comparison(each, (), verdict=Verdict.BLOCK)) for each in lacking]
    text = hook_text(Hook([*results], exit_code=3, not_added={"here"}))
    assert "Add them:\n    git add recordings\n" in text
    assert "Other answers are not recorded." in text
    assert "row3 --compare --suite nowhere --mode auto" in text


@pytest.mark.parametrize("name", ["pre-commit", "pre-push"])
def test_an_approval_that_was_not_added(comparison: Any, name: str) -> None:
    text = hook_text(Hook([Judged(comparison)], name=name, approved_beside={"decomposition"}, folder="evals/"))
    assert "The approval for this lies in the work tree" in text
    add = "    git add evals/metrics-history.json evals/CHANGELOG.md"
    assert text.endswith(f"{add}{' && git commit' if name == 'pre-push' else ''}\n")
    assert "--approve" not in text


def test_of_two_blocks_the_one_without_an_approval_is_to_be_approved(comparison: Any) -> None:
    suite = replace(comparison.run.suite, name="graph")
    other = replace(comparison, run=replace(comparison.run, suite=suite), against="0123456789")
    text = hook_text(Hook([Judged(comparison), Judged(other)], approved_beside={"decomposition"}))
    assert "--compare --suite graph --against 0123456789 --approve REASON" in text


def test_canaries_are_named_as_what_was_lost_is(comparison: Any) -> None:
    assert "    ozone −10.0: lost Halons, ozone layer; canary extracted: Kyoto Protocol\n" in hook_text(
        Hook([Judged(comparison)])
    )
    only = CaseChange("ozone", "unchanged", 0.0, lost={"canaries": ("Kyoto Protocol",)})
    text = hook_text(Hook([Judged(replace(comparison, cases=[only]))]))
    assert "    ozone 0.0: canary extracted: Kyoto Protocol\n" in text
