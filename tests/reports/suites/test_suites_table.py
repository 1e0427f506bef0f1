"""All suites on a terminal, whatever they are called and however wide it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from row3.domain.verdicts import Reason, Verdict
from row3.reports.style import cells, visible
from row3.reports.suites.suites_model import Broken, Gone, Judged, Ran, SuitesReport, Unjudged
from row3.reports.suites.suites_table import suites_table
from row3.reports.suites.suites_text import suites_github, suites_markdown

HOSTILE = "evil\x1b[31m\nsuite | <b>"


@pytest.fixture
def report(make: Any, run: Any) -> SuitesReport:
    """One of each, with names that are long and hostile."""
    long = replace(run, suite=replace(run.suite, name="a-suite-with-a-name-that-is-far-too-long-for-any-table"))
    other = replace(run, suite=replace(run.suite, name=HOSTILE))
    return SuitesReport(
        [
            Judged(make.comparison(long, (), verdict=Verdict.BLOCK)),
            Judged(make.comparison(other, (), verdict=Verdict.INVESTIGATE), "the baseline is new in this change"),
            Unjudged(HOSTILE, "no baseline yet"),
            Gone("検索と順位の品質を測る長い名前の一式" * 3),
            Broken(HOSTILE, f"{HOSTILE}: not JSON", 2),
        ]
    )


@pytest.mark.parametrize("width", [80, 104, 112, 140])
@pytest.mark.parametrize("verbose", [False, True])
def test_it_fits_and_nothing_steers_the_terminal(report: SuitesReport, width: int, verbose: bool) -> None:
    text = suites_table(report, width=width, verbose=verbose)
    assert max(cells(line) for line in text.splitlines()) <= width
    assert all(line == visible(line) for line in text.splitlines())


@pytest.mark.parametrize("width", [80, 140])
def test_the_name_of_a_metric_is_never_cut(make: Any, run: Any, width: int) -> None:
    metric = next(metric for metric in run.suite.kind.metrics if metric.key == run.suite.kind.primary)
    title = "Precision of all the connections that were found"
    kind = replace(run.suite.kind, metrics=[replace(metric, title=title)])
    run = replace(run, suite=replace(run.suite, kind=kind, name="a-suite-with-a-long-name"))
    text = suites_table(SuitesReport([Judged(make.comparison(run, (), verdict=Verdict.PROCEED))]), width=width)
    table = text.partition("\n\n")[0]
    assert max(map(cells, table.splitlines())) <= width
    assert set(title.split()) <= set(table.split())


def test_colour_changes_nothing_but_colour(report: SuitesReport) -> None:
    plain, painted = (suites_table(report, width=100, colour=colour) for colour in (False, True))
    assert [visible(line) for line in painted.splitlines()] == plain.splitlines()


def test_runs_that_nobody_judges_have_no_verdict(run: Any) -> None:
    text = suites_table(SuitesReport([Ran(run)]), width=80)
    assert "verdict" not in text
    assert text.endswith("1 suite\n")


def test_what_a_suite_is_called_is_no_markup(report: SuitesReport) -> None:
    assert "<b>" not in suites_markdown(report).replace("&lt;b&gt;", "").replace("\\<b\\>", "")
    commands = suites_github(report).splitlines()
    assert all(line.startswith("::") for line in commands)
    assert commands[0].startswith("::error ")


def looked_into(make: Any, run: Any, suites: int) -> SuitesReport:
    """Suites that are to be investigated, for two reasons each, and one that proceeds."""
    why = (Reason(Verdict.INVESTIGATE, "MRR is worse by 2.0 points"), Reason(Verdict.INVESTIGATE, "and so on"))
    named = [replace(run, suite=replace(run.suite, name=f"s{i}")) for i in range(suites)]
    return SuitesReport(
        [
            *(Judged(make.comparison(each, (), verdict=Verdict.INVESTIGATE, reasons=why)) for each in named),
            Judged(make.comparison(run, (), verdict=Verdict.PROCEED)),
        ]
    )


def test_what_is_to_be_investigated_is_named_with_its_reason(make: Any, run: Any) -> None:
    report = looked_into(make, run, 2)
    end = suites_table(report, width=80).splitlines()[-3:]
    assert end == [
        "! INVESTIGATE  3 suites: 2 are to be investigated · 1 proceeds",
        "  s0: MRR is worse by 2.0 points; and 1 more reason",
        "  s1: MRR is worse by 2.0 points; and 1 more reason",
    ]
    assert "- **s0**: MRR is worse by 2.0 points; and 1 more reason\n- **s1**" in suites_markdown(report)


def test_many_are_counted(make: Any, run: Any) -> None:
    end = suites_table(looked_into(make, run, 11), width=80).splitlines()[-9:]
    assert end[0].startswith("  s0: ")
    assert end[-1] == "  others: 3 more"
