"""Puts the page together: skeleton, style, script, and the data of the cases after them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from row3.reports import numbers
from row3.reports.html.escape import finalize, policy, seen
from row3.reports.html.islands import CASES_A_CHUNK, case_islands, rows_island, value_island
from row3.reports.html.prompt_lines import prompt_lines
from row3.reports.html.summary import summary_of
from row3.reports.html.trend import HEIGHT, MOST_RUNS, WIDTH, Moment, charts, moments
from row3.reports.model import ComparisonView, HistoryView

FOLDER = Path(__file__).parent
SKELETON = "skeleton.html"
STYLES = ("report.css", "cases.css", "print.css")
SCRIPTS = (
    "text.js",
    "data.js",
    "marks.js",
    "answers.js",
    "extraction.js",
    "lists.js",
    "source.js",
    "details.js",
    "list.js",
    "boot.js",
)
"""In the order in which they need each other."""
ROWS, CASES = "<!-- rows -->", "<!-- cases -->"
"""Where the data goes: what the list needs before the script, so that it starts while the rest is still being read."""


def html_report(comparison: ComparisonView, history: Sequence[HistoryView] = ()) -> Iterator[bytes]:
    """The page, piece by piece, as UTF-8.

    Args:
        comparison: judged; the details of its run are lines of `case_line`.
        history: the suite's earlier runs, oldest first; the present one is added.
    """
    run = comparison.run
    script, style = joined(SCRIPTS), joined(STYLES)
    header = run.header
    now = Moment(
        numbers.moment(header.at),
        "this run",
        " · ".join(f"{name} {version}" for name, version in header.prompts.items()),
        header.metrics,
        comparison.verdict.word,
    )
    kind = run.suite.kind
    page = template(SKELETON).render(
        policy=policy(script, style),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        summary=summary_of(comparison),
        charts=charts(moments(history, now), kind.metrics, run.suite.rules.thresholds, kind.primary),
        chart_size=(WIDTH, HEIGHT),
        runs=min(len(history), MOST_RUNS) + 1,
        prompts=[(name, prompt_lines(diff)) for name, diff in comparison.prompt_diffs.items()],
        cases=len(run.details),
        made=numbers.moment(header.at),
    )
    top, _, rest = page.partition(ROWS)
    middle, _, bottom = rest.rpartition(CASES)
    yield top.encode()
    yield value_island("meta", _meta(comparison))
    yield rows_island(run.details)
    yield middle.encode()
    yield from case_islands(run.details)
    yield bottom.encode()


def _meta(comparison: ComparisonView) -> dict[str, Any]:
    """What the script has to know of the run."""
    run = comparison.run
    return {
        "chunk": CASES_A_CHUNK,
        "primary": run.suite.kind.primary,
        "metrics": {
            metric.key: [metric.title, metric.higher_is_better, metric.companion] for metric in run.suite.kind.metrics
        },
        "quarantined": {entry.case_id: entry.until for entry in run.quarantine.active},
        "mode": run.header.mode,
        "limits": {key: [t.minimum, t.target, t.excellent] for key, t in run.suite.rules.thresholds.items()},
    }


def joined(names: Sequence[str]) -> str:
    """Files of this folder as one text."""
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names)


def template(name: str) -> Any:
    """A template of this folder: what it is given is escaped, and what it is not given is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["seen"] = seen
    return environment.get_template(name)
