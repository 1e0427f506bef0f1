"""Recognise files that row3 wrote: a result may overwrite an earlier result and nothing else.

Results carry no signature, so their beginning identifies them; for findings also their end.
"""

from __future__ import annotations

import re

JSON_KEYS = (
    "suite",
    "suites",
    "case",
    "verdict",
    "files",
    "findings",
    "recordings",
    "combinations",
    "runId",
    "figures",
    "review",
)
"""Keys that follow `schemaVersion` in the JSON of the commands."""
JSON = re.compile(rf'\[?\s*\{{\s*"schemaVersion"\s*:\s*\d+\s*,\s*"(?:{"|".join(JSON_KEYS)})"|\[\s*\]\s*\Z')
CODE_QUALITY = re.compile(r'\[\s*\{\s*"description"\s*:.*?"check_name"\s*:\s*"row3/|\[\s*\]\s*\Z', re.DOTALL)
JUNIT = re.compile(r"(?:<\?xml[^>]*\?>\s*)?<testsuites\b[^>]*>\s*<testsuite name=\"row3 ")
HTML = re.compile(r"<!doctype html>.*?<title>[^<]*· row3</title>", re.DOTALL)
MARKDOWN = re.compile(r"### [^\n]*\brow3\b|## (?:Failure Investigation|(?:Weekly|Monthly|Quarterly) review): ")
SVG = re.compile(r"(?:<\?xml|<svg\b).*?<title>(?:Quality trend|Leaderboard): ", re.DOTALL)
SCHEMA = re.compile(r'\{\s*"\$schema"\s*:\s*"[^"]*"\s*,\s*"title"\s*:\s*"row3: ')
PNG = re.compile("\ufffdPNG\r\n\x1a\n")
TEXT = re.compile(
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
    r"|\S+-v\d+\.\d+: [\d,]+ recordings?(?:, as answers from [^\n]+)?\n",
    re.DOTALL,
)
TEXT_END = re.compile(
    r"(?:files? checked, nothing found"
    r"|[\d,]+ errors?, [\d,]+ warnings?(?: in [\d,]+ files?)?"
    r"|all recordings are in order"
    r"|[\d,]+ (?:would be )?removed, [\d,]+ kept"
    r"|[\d,]+ responses? read(?:, [\d,]+ recordings? new or changed|: [\w, ]+))\s*\Z"
)
"""Ends of lists whose beginning may be anything."""

KNOWN = {
    "table": TEXT,
    "github": TEXT,
    "markdown": MARKDOWN,
    "comment": MARKDOWN,
    "json": JSON,
    "codequality": CODE_QUALITY,
    "junit": JUNIT,
    "html": HTML,
    "svg": SVG,
    "png": PNG,
    "schema": SCHEMA,
}


def is_generated(form: str, head: bytes, tail: bytes) -> bool:
    """Return whether a file, by its first and last bytes, is empty or an earlier result in a form of `KNOWN`."""
    begins, ends = head.decode("utf-8", "replace").lstrip("\ufeff"), tail.decode("utf-8", "replace")
    known = KNOWN[form]
    return not head.strip() or bool(known.match(begins)) or (known is TEXT and bool(TEXT_END.search(ends)))
