"""The page that leads to the pages of all suites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from row3.reports.html.escape import policy
from row3.reports.html.page import STYLES, joined, template
from row3.reports.style import MARKS
from row3.reports.suites.suite_figures import figures_of
from row3.reports.suites.suites_model import Broken, Gone, Judged, SuiteResult, SuitesReport, Unjudged, standing
from row3.reports.suites.suites_table import counted, headword

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
    figures = figures_of(result)
    if figures is None:
        return row
    return row | {
        "metric": figures.metric.title,
        "now": figures.now,
        "points": figures.points,
        "interval": figures.interval,
        "zone": "" if figures.zone is None else figures.zone.word,
        "mark": "" if figures.zone is None else MARKS[figures.zone],
        "cases": figures.cases,
        "noun": figures.noun,
    }
