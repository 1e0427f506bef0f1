"""Puts the pages together: skeleton, style, script, and compressed data; and the page that leads to all suites."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from row3.domain.runs import HistoryEntry
from row3.gate.results import Comparison, SuiteResult, SuitesReport
from row3.reports import numbers
from row3.reports.html.charts import HEIGHT, MOST_RUNS, WIDTH, Moment, charts, moments
from row3.reports.html.summary import prompt_lines, summary_of
from row3.reports.style import MARKS
from row3.reports.suites import counted, headword, primary_change, primary_metric, primary_value, problem_of

FOLDER = Path(__file__).parent
SKELETON = "skeleton.html"
STYLES = ("report.css", "cases.css", "print.css")
SCRIPTS = (
    "base.js",
    "marks.js",
    "answers.js",
    "extraction.js",
    "items.js",
    "source.js",
    "details.js",
    "list.js",
    "boot.js",
)
"""In the order in which they need each other."""
ROWS, CASES = "<!-- rows -->", "<!-- cases -->"
"""Where the data goes: what the list needs before the script, so that it starts while the rest is still being read."""


def html_report(comparison: Comparison, history: Sequence[HistoryEntry] = ()) -> Iterator[bytes]:
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


def _meta(comparison: Comparison) -> dict[str, Any]:
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


CASES_A_CHUNK = 40
"""Cases that are unpacked together when one of them is opened."""
LEVEL = 4
"""Of compression: above it takes twice the time for a tenth of the size."""
TAB = b"\t"


def island(name: str, content: bytes) -> bytes:
    """A data block of the page; `name` is an id of ours."""
    packed = base64.b64encode(gzip.compress(content, LEVEL, mtime=0))
    return b'<script type="application/gzip" id="%b">%b</script>\n' % (name.encode(), packed)


def value_island(name: str, value: Any) -> bytes:
    """A data block of one JSON value."""
    return island(name, json.dumps(value, allow_nan=False, separators=(",", ":")).encode())


def rows_island(lines: Iterable[bytes]) -> bytes:
    """What the list shows of every case: the part of each line before its tab."""
    return island("rows", b"[" + b",\n".join([line.partition(TAB)[0] for line in lines]) + b"]")


def case_islands(lines: Iterable[bytes]) -> Iterator[bytes]:
    """What is shown of the cases that are opened: the parts after the tab, in blocks of `CASES_A_CHUNK`."""
    left = iter(lines)
    number = 0
    while bodies := [line.partition(TAB)[2] for line in islice(left, CASES_A_CHUNK)]:
        yield island(f"cases-{number}", b"[" + b",\n".join(bodies) + b"]")
        number += 1


HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Controls, marks that turn or hide text, halves of surrogate pairs. Joiners stay: scripts need them."""


def seen(text: str) -> str:
    """The text with everything in it that cannot be seen named: `⟨U+202E⟩`. Escaping is the template's."""
    return HIDDEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text.replace("\r\n", "\n"))


def finalize(value: Any) -> Any:
    """What the template writes of a value: text is made visible, and markup of the page itself is left alone."""
    if value is None:
        return ""
    return seen(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def policy(script: str, style: str) -> str:
    """The page's Content-Security-Policy: its own script and style by their digests, and nothing from anywhere.

    An injected script has no such digest and an event handler none at all; `trusted-types 'none'` also refuses
    markup and `javascript:` addresses that a script would make of text.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_digest(script)}",
            f"style-src {_digest(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


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
    word, run = result.standing, result.run
    row: dict[str, Any] = {
        "suite": result.suite,
        "page": None if page is None else quote(page),
        "verdict": "not judged" if word == "none" else word,
        "tone": {"unusable": "block", "approved": "proceed", "informational": "investigate"}.get(word, word),
        "metric": "",
        "now": "–",
        "points": "–",
        "zone": "",
        "cases": "–",
        "noun": "cases",
        "note": problem_of(result),
    }
    if run is None:
        return row
    zone, change = run.zones.get(run.suite.kind.primary), primary_change(result)
    cases, noun = numbers.count(run.cases, "case").split(" ")
    return row | {
        "metric": primary_metric(run).title,
        "now": primary_value(run),
        "points": "–" if change is None or change.delta is None else numbers.points(change.delta),
        "zone": "" if zone is None else zone.word,
        "mark": "" if zone is None else MARKS[zone],
        "cases": cases,
        "noun": noun,
    }
