"""The page that leads to the pages of all suites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from row3.reports import numbers
from row3.reports.html.escape import policy
from row3.reports.html.page import STYLES, joined, template
from row3.reports.style import MARKS
from row3.reports.suites_model import Broken, Gone, Judged, SuiteResult, SuitesReport, Unjudged, standing
from row3.reports.suites_table import counted, headword, primary_of, run_of

TEMPLATE = "index.html"


def index_html(report: SuitesReport, pages: Mapping[str, str]) -> Iterator[bytes]:
    """The page as UTF-8: a row a suite; `pages` are the files of those that have a page, beside it."""
    style = joined(STYLES)
    page = template(TEMPLATE).render(
        policy=policy("", style),
        style=Markup(style),  # noqa: S704 - our own file
        word=headword(report),
        verdict={2: "block", 3: "incomplete"}.get(report.exit_code, report.verdict.word),
        line=counted(report),
        rows=[_row(result, pages.get(result.suite)) for result in report.results],
    )
    yield page.encode()


def _row(result: SuiteResult, page: str | None) -> dict[str, Any]:
    word = standing(result)
    row: dict[str, Any] = {
        "suite": result.suite,
        "page": None if page is None else quote(page),
        "verdict": "not judged" if word == "none" else word,
        "tone": {"unusable": "block", "approved": "investigate", "informational": "investigate"}.get(word, word),
        "metric": "",
        "now": "–",
        "points": "–",
        "interval": "–",
        "zone": "",
        "cases": "–",
        "noun": "cases",
        "note": result.problem if isinstance(result, Broken | Gone) else "",
    }
    if isinstance(result, Judged | Unjudged):
        row["note"] = result.note
    run = run_of(result)
    if run is None:
        return row
    metric = primary_of(run)
    value, zone = run.header.metrics.get(metric.key), run.zones.get(metric.key)
    limits = numbers.limits_of(run.suite.rules.thresholds.get(metric.key))
    changes = result.comparison.metrics if isinstance(result, Judged) else ()
    change = next((change for change in changes if change.key == metric.key), None)
    known = None if change is None else change.interval
    return row | {
        "metric": metric.title,
        "now": "–" if value is None else numbers.percent(value, beside=limits),
        "points": "–" if change is None or change.delta is None else numbers.points(change.delta),
        "interval": "–" if known is None else numbers.interval(known.low, known.high),
        "zone": "" if zone is None else zone.word,
        "mark": "" if zone is None else MARKS[zone],
        "cases": f"{run.cases:,}",
        "noun": numbers.count(run.cases, "case").partition(" ")[2],
    }
