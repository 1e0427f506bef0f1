"""Checks of --out: the file's ending must fit the format, and only files written by row3 may be replaced."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from row3.cli.common import Common
from row3.errors import EnvironmentFault, UsageError

TEXT, MARKDOWN, JSON = (".txt", ".log"), (".md", ".markdown", ".txt"), (".json",)
PAGES = (".html", ".htm")
ENDINGS: Mapping[str, tuple[str, ...]] = {
    "table": TEXT,
    "github": TEXT,
    "markdown": MARKDOWN,
    "comment": MARKDOWN,
    "json": JSON,
    "codequality": JSON,
    "junit": (".xml",),
    "html": PAGES,
}
"""File endings by format; an ending that is not listed fits every format."""
RESERVED = {ending for endings in ENDINGS.values() for ending in endings}.difference(TEXT)
HEAD, TAIL = 1 << 16, 1 << 12
"""Bytes at a file's beginning and end by which a result is recognised."""
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
OURS: Mapping[str, str] = {
    "table": OUR_TEXT,
    "github": OUR_TEXT,
    "markdown": OUR_MARKDOWN,
    "comment": OUR_MARKDOWN,
    "json": rf'\[?\s*\{{\s*"schemaVersion"\s*:\s*\d+\s*,\s*"(?:{KEYS})"|\[\s*\]\s*\Z',
    "codequality": r'\[\s*\{\s*"description"\s*:.*?"check_name"\s*:\s*"row3/|\[\s*\]\s*\Z',
    "junit": r"(?:<\?xml[^>]*\?>\s*)?<testsuites\b[^>]*>\s*<testsuite name=\"row3 ",
    "html": r"<!doctype html>.*?<title>[^<]*· row3</title>",
    "svg": r"(?:<\?xml|<svg\b).*?<title>(?:Quality trend|Leaderboard): ",
    "png": "\ufffdPNG\r\n\x1a\n",
    "schema": r'\{\s*"\$schema"\s*:\s*"[^"]*"\s*,\s*"title"\s*:\s*"row3: ',
}
"""How a result of each form begins: it carries no signature, and may overwrite an earlier one and nothing else."""
OUR_END = (
    r"(?:files? checked, nothing found"
    r"|[\d,]+ errors?, [\d,]+ warnings?(?: in [\d,]+ files?)?"
    r"|all recordings are in order"
    r"|[\d,]+ (?:would be )?removed, [\d,]+ kept"
    r"|[\d,]+ responses? read(?:, [\d,]+ recordings? new or changed|: [\w, ]+))\s*\Z"
)
"""Ends of texts whose beginning may be anything, such as findings."""


def check_out(common: Common, forms: tuple[str, ...]) -> None:
    """Raise `UsageError` if --out is unusable; `forms` are the formats, the default first."""
    if common.out is None:
        return
    target, where = Path(common.out), f"--out {common.out}"
    ending = target.suffix.lower()
    if ending in PAGES and "html" not in forms:
        raise UsageError("only `row3 report` writes HTML", where=where, fix=f"Use `row3 report --out {common.out}`")
    writable = target.parent.is_dir() and os.access(target.parent, os.W_OK)
    if (target.exists() and not target.is_file()) or not writable:
        raise UsageError("cannot write there", where=where, fix="Name a file in an existing folder")
    if target.is_file() and _is_project_file(common, target):
        raise UsageError("this would overwrite a file of the project", where=where, fix="Name another file")
    form = common.format or forms[0]
    fitting = ENDINGS[form]
    if ending in RESERVED and ending not in fitting:
        owners = [each for each in forms if ending in ENDINGS[each]]
        what = f"{ending} is for {_or(owners)}, not {form}" if owners else f"this command writes no {ending} files"
        other = f"--format {_or(owners)}, or " if owners else ""
        raise UsageError(what, where=where, fix=f"Use {other}a name that ends in {_or(fitting)}")
    refuse_foreign([target], form, where=where)


def check_folder(common: Common, folder: Path, where: str) -> None:
    """Raise `UsageError` if a folder, called `where` in the message, is a file or holds project data."""
    if folder.exists() and not folder.is_dir():
        raise UsageError("this is a file, not a folder", where=where, fix="Name a folder")
    if _is_project_file(common, folder):
        raise UsageError("this folder holds the project's own data", where=where, fix="Name another folder")


def refuse_foreign(targets: Iterable[Path], form: str, *, where: str = "") -> None:
    """Raise `UsageError` for a non-empty file that row3 did not write in this form.

    Raises `InvalidFile` for a symbolic link inside a project.
    """
    from row3.project.project import own_file

    for target in targets:
        if not own_file(target).is_file() or is_generated(form, *(ends := _ends(target))):
            continue
        other = next((each for each in ENDINGS if is_generated(each, *ends)), None)
        what = f"the file was written as {other}, not as {form}" if other else "row3 did not write this file"
        fix = "Name another place, or remove it first"
        raise UsageError(f"{what}; writing would overwrite it", where=where or str(target), fix=fix)


def is_generated(form: str, head: bytes, tail: bytes) -> bool:
    """Return whether a file, by its first and last bytes, is empty or an earlier result in a form of `OURS`."""
    begins, ends = head.decode("utf-8", "replace").lstrip("\ufeff"), tail.decode("utf-8", "replace")
    ours = re.match(OURS[form], begins, re.DOTALL) or (OURS[form] is OUR_TEXT and re.search(OUR_END, ends))
    return not head.strip() or bool(ours)


def _or(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _ends(path: Path) -> tuple[bytes, bytes]:
    """Return the first and the last bytes of a file. Raises `EnvironmentFault`."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
            file.seek(max(0, path.stat().st_size - TAIL))
            return head, file.read(TAIL)
    except OSError as error:
        what = f"cannot read the existing file ({error.strerror})"
        raise EnvironmentFault(what, where=str(path), fix="Name another file") from None


def _is_project_file(common: Common, target: Path) -> bool:
    """Return whether row3 reads this file or folder, so that writing would lose data."""
    from row3.errors import Row3Error
    from row3.project.project import CHANGELOG, READ_PATHS, find_root

    try:
        parts = target.resolve().relative_to(find_root(common.start)).parts
    except (Row3Error, ValueError):
        return False
    return bool(parts) and parts[0] in (*READ_PATHS, CHANGELOG)
