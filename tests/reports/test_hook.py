"""What a git hook says."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from row3.domain.judgements import Code, Judgement, Reason, Verdict
from row3.domain.printable import cells
from row3.domain.quarantine import Quarantine, Quarantined
from row3.gate.results import Confirmation, SuiteResult, judged
from row3.reports.hook import hook_document
from row3.reports.terminal import terminal_text

INVESTIGATE, BLOCK = Verdict.INVESTIGATE, Verdict.BLOCK
FAILS = Reason(Code.IN_FAIL_ZONE, INVESTIGATE, "recall", {"before": 0.5, "after": 0.5, "minimum": 0.6})


@dataclass
class Hook:
    results: list[SuiteResult]
    exit_code: int = 1
    name: str = "pre-commit"
    base: str | None = "0123456789"
    untouched: list[str] = field(default_factory=list)
    merging: bool = False
    not_added: set[str] = field(default_factory=set)
    directory: str = ""
    folder: str = ""


def said(hook: Hook) -> str:
    return terminal_text(hook_document(hook))


@pytest.fixture
def still(make: Any, run: Any) -> Any:
    """A suite in whose fail zone nothing moved."""
    same = replace(run, suite=replace(run.suite, name="graph"))
    quiet = make.judged(make.comparison(same, ()), FAILS)
    moved = [replace(change, delta=0.0, worse_by=0.0) for change in quiet.metrics]
    return replace(quiet, metrics=moved, moves={"unchanged": 2})


def test_a_block_says_why_and_what_to_do(comparison: Any) -> None:
    text = said(Hook([judged(replace(comparison, against="0123456789"))]))
    assert text == BLOCKED
    assert max(map(cells, text.splitlines())) <= 80


def test_suites_in_which_nothing_moved_share_a_line(comparison: Any, still: Any) -> None:
    other = replace(still, run=replace(still.run, suite=replace(still.run.suite, name="retrieval")))
    text = said(Hook([judged(comparison), judged(still), judged(other)], untouched=["rest"]))
    assert "row3: unchanged: graph, retrieval\nrow3: not affected: rest\n" in text
    assert "INVESTIGATE" not in text
    alone = said(Hook([judged(still)], exit_code=0))
    assert alone.startswith("row3: graph: INVESTIGATE, overall ")
    assert "nothing moved" not in alone
    assert said(Hook([], exit_code=0)).strip() == ""


def test_a_change_of_the_criteria_is_told_though_no_number_moved(comparison: Any, still: Any, make: Any) -> None:
    changed = make.judged(still, Reason(Code.CRITERIA_CHANGED, INVESTIGATE, "rule weight.recall"))
    assert "rule weight.recall changed" in said(Hook([judged(comparison), judged(changed)]))
    entry = Quarantined("ozone", "2026-01-01", "2026-02-01", "it wavers")
    resting = replace(still, run=replace(still.run, quarantine=Quarantine((entry,))))
    assert "it wavers" in said(Hook([judged(comparison), judged(resting)]))


def test_an_approved_block_passes_with_a_note(comparison: Any, make: Any) -> None:
    text = said(Hook([judged(make.judged(comparison, *comparison.reasons, approved=True))], exit_code=0))
    assert "APPROVED (was: block)" in text
    assert "approved by Ann, 2026-01-29 11:00 UTC: known gap\n" in text
    assert "stops" not in text


@pytest.mark.parametrize("name", ["pre-commit", "pre-merge-commit", "pre-push"])
def test_what_is_pushed_has_to_be_committed(comparison: Any, name: str) -> None:
    text = said(Hook([judged(comparison)], name=name, merging=name == "pre-merge-commit"))
    end = " && git commit" if name == "pre-push" else ""
    assert f"\n    git add metrics-history.json CHANGELOG.md{end}\n" in text
    assert ("git merge --abort" in text) == (name == "pre-merge-commit")


def test_commands_say_where_the_project_is(comparison: Any) -> None:
    result = judged(replace(comparison, against="0123456789"))
    text = said(Hook([result], directory="../team a", folder="../team a/", merging=True))
    assert "row3 -C '../team a' --compare --against 0123456789 --approve REASON\n" in text
    assert "git add '../team a/metrics-history.json' '../team a/CHANGELOG.md'\n" in text
    assert "git checkout '../team a/metrics-history.json'; git merge --abort\n" in text
    new = SuiteResult("new", problem="no baseline yet (`row3 --baseline --suite new` makes one)")
    assert "`row3 -C '../team a' --baseline" in " ".join(said(Hook([new], 0, directory="../team a")).split())


def test_a_suite_that_is_gone_is_named_though_it_was_the_only_one() -> None:
    reason = Reason(Code.CRITERIA_REMOVED, BLOCK, "suite old")
    text = said(Hook([SuiteResult("old", judgement=Judgement(BLOCK, (reason,), complete=True, signature=""))]))
    assert "row3: suite old: suite old was removed\n" in text
    assert "row3 --compare --suite old --against 0123456789 --approve REASON" in text
    assert "investigate" not in text


def test_missing_answers_are_recorded(make: Any, run: Any) -> None:
    lacking = [replace(run, suite=replace(run.suite, name=name), failed=("ozone",)) for name in ("a", "b")]
    results = [judged(make.comparison(each, ())) for each in lacking]
    text = said(Hook([*results], exit_code=3, not_added={"recordings/a.jsonl"}))
    assert "Not added to the change: recordings/a.jsonl.\n" in text
    assert "change:\n    row3 --compare --all --mode auto --model MODEL && git add recordings\n" in text
    assert "row3 --compare --mode auto --model MODEL && git add recordings\n" in said(Hook([results[0]], exit_code=3))


def test_an_incomplete_comparison_has_no_mark_of_a_block_and_offers_an_import(make: Any, run: Any) -> None:
    lacking = make.judged(make.comparison(run, ()), Reason(Code.NO_ANSWER, BLOCK, "ozone"))
    incomplete = replace(lacking, judgement=Judgement(BLOCK, lacking.reasons, complete=False, signature=""))
    text = said(Hook([judged(incomplete)], exit_code=3))
    assert "? incomplete: 1 case has no answer: ozone" in text
    assert "block" not in text
    assert "\n    row3 recordings import FILE && git add recordings\n" in text
    system = replace(incomplete, run=replace(run, suite=replace(run.suite, prompted=False)))
    assert "recordings import" not in said(Hook([judged(system)], exit_code=3))
    ungraded = replace(incomplete, run=replace(run, failed=("ozone",), ungraded=("ozone",)))
    assert "recordings import" not in said(Hook([judged(ungraded)], exit_code=3))


def test_files_that_were_not_added_are_named(comparison: Any) -> None:
    files = {f"recordings/{i}.jsonl" for i in range(5)}
    text = said(Hook([judged(comparison)], not_added=files))
    assert "Not added to the change: recordings/0.jsonl, recordings/1.jsonl" in text
    assert "and 2 more." in " ".join(text.split())


BLOCKED = """\
row3: decomposition against 0123456789: BLOCK, overall 72.0% → 70.0% (−2.0
  points)
✗ block: Concept recall went from 76.0% to 70.0% (−6.0 points)
  ozone −10.0: lost: Halons, ozone layer; canary extracted: Kyoto Protocol; 1
  relationship lost: Halons IS_A Gas

row3 stops this commit.
See it in full and explain a case:
    row3 --compare --against 0123456789
    row3 investigate ozone

Or accept it with a reason, and add the approval:
    row3 --compare --against 0123456789 --approve REASON
    git add metrics-history.json CHANGELOG.md
"""


def test_an_unconfirmed_block_prints_the_command_that_confirms_it_and_what_to_add(comparison: Any, make: Any) -> None:
    known = Confirmation(4, command="row3 --compare --mode auto --confirm 4")
    doubt = [Reason(code, BLOCK, "recall") for code in (Code.WORSE, Code.UNCONFIRMED)]
    blocked = make.judged(replace(comparison, confirmation=known), *doubt)
    text = said(Hook([judged(blocked)]))
    lines = [line.strip() for line in text.split("\n")]
    at = lines.index(known.command)
    assert lines[at + 1] == "git add recordings metrics-history.json"
    moved = make.judged(
        comparison, Reason(Code.PROVIDER_MOVED, Verdict.PROCEED, "recall", {"before": 0.9, "after": 0.8})
    )
    assert "the provider moved" in said(Hook([judged(moved)], exit_code=0))
