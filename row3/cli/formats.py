"""The forms that results are written in: who may choose one, and how a file of it is recognised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

TEXT, MARKDOWN, JSON = (".txt", ".log"), (".md", ".markdown", ".txt"), (".json",)
KEYS = "suite|suites|case|verdict|files|findings|recordings|combinations|runId|figures|review"
"""Keys that follow `schemaVersion` in the JSON of the commands."""
OUR_TEXT = (
    r"\S+ · "  # a run, a comparison, a drift, cases, power: the suite, then what ran
    r"|::(?:notice|warning|error) (?:[^\n]*,)?title=row3"
    r"|suite +metric +"
    r"|── \S+ ─"  # the drift of several suites
    r"|prompt +recordings +cases|no recordings\n"
    r"|(?:[✓!✗?] [A-Z][^\n]* · )?row3(?: [a-z]+)? · "  # several suites, a difference, a leaderboard
    r"|Dry run of "
    r"|── (?:Failure Investigation|(?:Weekly|Monthly|Quarterly) review): "
    r"|No history yet: "
    r"|(?:[^\n]*\n){1,2}item +answers +nearest expected"  # unmatched items
    r"|Nothing to review: |(?:Nothing decided|\d+ (?:alias|canar|real miss)[^\n;]*);"
    r"|hooks in "
    r"|copied \S+-v\d+\.\d+ to prompts/"
    r"|  (?:kept|created|extended) "
    r"|\S+ (?:does not count until|is out of quarantine)"
    r"|\S+-v\d+\.\d+: [\d,]+ recordings?(?:, as answers from [^\n]+)?\n"
)
OUR_MARKDOWN = r"### [^\n]*\brow3\b|## (?:Failure Investigation|(?:Weekly|Monthly|Quarterly) review): "


OUR_END = (
    r"(?:files? checked, nothing found"
    r"|[\d,]+ errors?, [\d,]+ warnings?(?: in [\d,]+ files?)?"
    r"|all recordings are in order"
    r"|[\d,]+ (?:would be )?removed, [\d,]+ kept"
    r"|[\d,]+ responses? read(?:, [\d,]+ recordings? new or changed|: [\w, ]+))\s*\Z"
)
"""Ends of texts whose beginning may be anything, such as findings."""


class Form(NamedTuple):
    """A form of a result."""

    endings: tuple[str, ...]
    """File endings; one that no form lists fits every form."""
    begins: str
    """How a result begins: it carries no signature, and may overwrite an earlier one and nothing else."""
    of_runs: bool = True
    """Whether every command that scores has it as a `--format`."""
    in_ci: bool = False
    """Whether it is for CI: a run in it writes no tracked file."""
    explains: bool = False
    """Whether it has the explanation of every case."""


FORMS: Mapping[str, Form] = {
    "table": Form(TEXT, OUR_TEXT),
    "json": Form(JSON, rf'\[?\s*\{{\s*"schemaVersion"\s*:\s*\d+\s*,\s*"(?:{KEYS})"|\[\s*\]\s*\Z', explains=True),
    "markdown": Form(MARKDOWN, OUR_MARKDOWN),
    "junit": Form(
        (".xml",),
        r"(?:<\?xml[^>]*\?>\s*)?<testsuites\b[^>]*>\s*<testsuite name=\"row3 ",
        in_ci=True,
        explains=True,
    ),
    "github": Form(TEXT, OUR_TEXT, in_ci=True, explains=True),
    "codequality": Form(
        JSON, r'\[\s*\{\s*"description"\s*:.*?"check_name"\s*:\s*"row3/|\[\s*\]\s*\Z', in_ci=True, explains=True
    ),
    "comment": Form(MARKDOWN, OUR_MARKDOWN, of_runs=False, in_ci=True),
    "html": Form((".html", ".htm"), r"<!doctype html>.*?<title>[^<]*· row3</title>", of_runs=False),
    "svg": Form((), r"(?:<\?xml|<svg\b).*?<title>(?:Quality trend|Leaderboard): ", of_runs=False),
    "png": Form((), "\ufffdPNG\r\n\x1a\n", of_runs=False),
    "schema": Form((), r'\{\s*"\$schema"\s*:\s*"[^"]*"\s*,\s*"title"\s*:\s*"row3: ', of_runs=False),
}
RUN_FORMATS = tuple(name for name, form in FORMS.items() if form.of_runs)
RESERVED = {ending for form in FORMS.values() for ending in form.endings}.difference(TEXT)
