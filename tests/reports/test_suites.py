"""Several suites as one document, and the comment on a pull request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from row3.domain.judgements import CaseChange, Code, Judgement, Reason, Verdict
from row3.domain.printable import cells, visible
from row3.gate.results import SuiteResult, SuitesReport, judged, ran
from row3.reports.formats import result_text, step_summary
from row3.reports.suites import comment_markdown
from row3.reports.terminal import Style

HOSTILE = "evil\x1b[31m\nsuite | <b> @all"
NOTE, INVESTIGATE, BLOCK = Verdict
REMOVED = Judgement(BLOCK, (Reason(Code.CRITERIA_REMOVED, BLOCK, "suite old"),), complete=True, signature="")


def named(run: Any, name: str) -> Any:
    return replace(run, suite=replace(run.suite, name=name))


def verdict_on(make: Any, comparison: Any, name: str, verdict: Verdict, **rest: Any) -> SuiteResult:
    reason = Reason(Code.WORSE, verdict, "recall", {"before": 0.8, "after": 0.7})
    reasons = () if verdict is NOTE else (reason, Reason(Code.CANARY, INVESTIGATE, "hallucinationRate"))
    return judged(make.judged(replace(comparison, run=named(comparison.run, name)), *reasons, **rest))


@pytest.fixture
def report(make: Any, comparison: Any) -> SuitesReport:
    """One of each, with names that are long and hostile."""
    return SuitesReport(
        [
            verdict_on(make, comparison, "a-suite-with-a-name-that-is-far-too-long-for-any-table", BLOCK),
            verdict_on(make, comparison, HOSTILE, INVESTIGATE),
            SuiteResult(HOSTILE, problem="no baseline yet"),
            SuiteResult("検索と順位の品質を測る長い名前の一式", judgement=REMOVED),
            SuiteResult(HOSTILE, problem=f"{HOSTILE}: not JSON", fault=2),
        ]
    )


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("verbose", [False, True])
def test_it_fits_and_nothing_steers_the_terminal(report: SuitesReport, width: int, verbose: bool) -> None:
    plain, painted = (str(result_text(report, style=Style(colour, width), verbose=verbose)) for colour in (False, True))
    assert max(cells(line) for line in plain.splitlines()) <= width
    assert all(line == visible(line) for line in plain.splitlines())
    assert [visible(line) for line in painted.splitlines()] == plain.splitlines()


def test_a_suite_that_blocks_is_shown_in_full_the_others_with_a_reason(make: Any, comparison: Any) -> None:
    suites = [
        verdict_on(make, comparison, name, verdict) for name, verdict in (("a", BLOCK), ("b", INVESTIGATE), ("c", NOTE))
    ]
    text = str(result_text(SuitesReport(suites)))
    assert text.startswith("✗ BLOCK · row3 · 3 suites: 1 block · 1 investigate · 1 proceed\n")
    assert "\n✗ block: Concept recall went from 80.0% to 70.0% (−10.0 points)\n" in text
    assert "- ! b: Concept recall went from 80.0% to 70.0% (−10.0 points); and 1 more" in text
    assert text.count("Based on") == 1
    assert text.endswith("Next: row3 --compare --suite a\n")


def test_many_are_counted(make: Any, comparison: Any) -> None:
    suites = [verdict_on(make, comparison, f"s{i:02}", INVESTIGATE) for i in range(11)]
    text = str(result_text(SuitesReport(suites)))
    assert "- others: 3 more\n" in text
    assert text.startswith("! INVESTIGATE · row3 · 11 suites: 11 investigate\n")


def test_suites_that_nobody_judges_have_no_verdict(run: Any) -> None:
    text = str(result_text(SuitesReport([ran(run)])))
    assert "verdict" not in text
    assert text.startswith("row3 · 1 suite\n")


def test_a_suite_that_is_gone_says_how_to_approve(comparison: Any) -> None:
    text = " ".join(str(result_text(SuitesReport([SuiteResult("old", judgement=REMOVED)]))).split())
    assert "suite old was removed" in text
    assert "row3 --compare --suite old --approve REASON" in text


def test_what_a_suite_is_called_is_no_markup(report: SuitesReport) -> None:
    for text in (step_summary(report), comment_markdown(report.results)):
        assert "<b>" not in text
        assert "@all" not in text
    commands = str(result_text(report, "github")).splitlines()
    assert all(line.startswith("::") for line in commands)
    assert commands[0].startswith("::error ")
    assert commands[-1].startswith("::notice title=row3%3A UNUSABLE::5 suites: 1 unusable · 2 block · 1 investigate")


def test_the_comment_shows_the_worst_suite_in_full(make: Any, comparison: Any) -> None:
    results = [
        verdict_on(make, comparison, name, verdict) for name, verdict in (("a", NOTE), ("b", BLOCK), ("c", INVESTIGATE))
    ]
    text = comment_markdown(results, more_at="https://example.org/run")
    assert text.startswith("### ✗ BLOCK · row3 · 3 suites\n\n| suite |")
    assert text.index("| **b** |") < text.index("| **c** |") < text.index("| **a** |")
    assert "#### ✗ BLOCK · row3 · b\n" in text
    assert "- ! c: Concept recall went from" in text
    assert text.endswith("\n<sub>Full report: <https://example.org/run></sub>\n")


def test_the_comment_about_one_suite_has_no_table_of_suites(make: Any, comparison: Any) -> None:
    one = verdict_on(make, comparison, "a", BLOCK)
    assert comment_markdown([one]).startswith("### ✗ BLOCK · row3 · a\n")
    text = comment_markdown([SuiteResult("new", problem="no baseline yet: run `row3 --baseline`")])
    assert text == "### ? NOT JUDGED · row3 · new\n\nno baseline yet: run \\`row3 --baseline\\`\n"


def test_the_comment_is_one_screen_whatever_is_in_it(make: Any, run: Any) -> None:
    label = "x" * 90_000
    changes = [CaseChange(f"case{i}", "regressed", -0.1, lost={"missedConcepts": (label,) * 9}) for i in range(500)]
    results = [judged(make.comparison(named(run, f"{i}{label}"), changes)) for i in range(3)]
    assert len(comment_markdown(results).encode()) < 7_000
    assert len(step_summary(SuitesReport(results)).encode()) < 2_000_000
