"""The figures by which a suite is told among others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from row3.domain.metrics import Zone
from row3.domain.verdicts import Verdict
from row3.reports.suites.suite_figures import figures_of, run_of
from row3.reports.suites.suites_model import Broken, Gone, Judged, Ran, Unjudged


def test_a_suite_that_was_judged_has_all_figures_of_its_primary_metric(comparison: Any) -> None:
    change = next(change for change in comparison.metrics if change.key == "overall")
    figures = figures_of(Judged(comparison))
    assert figures is not None
    assert figures.metric.key == "overall"
    assert figures.zone is comparison.run.zones["overall"]
    assert figures.delta == change.delta
    assert figures.points == "−2.0"
    assert figures.cases == f"{comparison.run.cases}"


def test_a_suite_that_was_only_run_has_not_moved(run: Any) -> None:
    figures = figures_of(Ran(run))
    assert figures is not None
    assert figures.zone in Zone
    assert (figures.delta, figures.points, figures.interval) == (None, "–", "–")
    assert figures.now.endswith("%")


def test_a_metric_without_a_value_and_a_comparison_that_does_not_name_it(make: Any, run: Any) -> None:
    bare = replace(run, header=replace(run.header, metrics={}), zones={})
    figures = figures_of(Judged(replace(make.comparison(bare, (), verdict=Verdict.BLOCK), metrics=())))
    assert figures is not None
    assert (figures.now, figures.points, figures.interval, figures.zone) == ("–", "–", "–", None)


def test_what_could_not_be_run_has_none() -> None:
    for result in (Broken("a", "not JSON", 2), Gone("a"), Unjudged("a", "no baseline yet")):
        assert run_of(result) is None
        assert figures_of(result) is None
