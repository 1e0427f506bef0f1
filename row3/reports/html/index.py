"""The page that leads to the pages of all suites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from row3.reports import numbers
from row3.reports.html.escape import policy
from row3.reports.html.page import STYLES, joined, template
from row3.reports.model import SuiteResultView, SuitesView
from row3.reports.style import MARKS
from row3.reports.suites import counted, headword, primary_change, primary_metric, primary_value, problem_of

TEMPLATE = "index.html"


def index_html(report: SuitesView, pages: Mapping[str, str]) -> Iterator[bytes]:
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


def _row(result: SuiteResultView, page: str | None) -> dict[str, Any]:
    word, run = result.standing, result.run
    row: dict[str, Any] = {
        "suite": result.suite,
        "page": None if page is None else quote(page),
        "verdict": "not judged" if word == "none" else word,
        "tone": {"unusable": "block", "approved": "proceed", "informational": "investigate"}.get(word, word),
        "metric": "",
        "now": "–",
        "points": "–",
        "interval": "–",
        "zone": "",
        "cases": "–",
        "noun": "cases",
        "note": problem_of(result),
    }
    if run is None:
        return row
    zone, change = run.zones.get(run.suite.kind.primary), primary_change(result)
    known = None if change is None else change.interval
    cases, noun = numbers.count(run.cases, "case").split(" ")
    return row | {
        "metric": primary_metric(run).title,
        "now": primary_value(run),
        "points": "–" if change is None or change.delta is None else numbers.points(change.delta),
        "interval": "–" if known is None else numbers.interval(known.low, known.high),
        "zone": "" if zone is None else zone.word,
        "mark": "" if zone is None else MARKS[zone],
        "cases": cases,
        "noun": noun,
    }
