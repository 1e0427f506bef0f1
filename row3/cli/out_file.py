"""Where --out may write: a name that fits what is written, and no file that somebody else wrote."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from row3.cli.common import Common
from row3.cli.takes import HTML, Takes
from row3.errors import EnvironmentFault, UsageError

TEXT, MARKDOWN, JSON = (".txt", ".log"), (".md", ".markdown", ".txt"), (".json",)
ENDINGS = {
    "table": TEXT,
    "github": TEXT,
    "markdown": MARKDOWN,
    "comment": MARKDOWN,
    "json": JSON,
    "codequality": JSON,
    "junit": (".xml",),
    HTML: (".html", ".htm"),
}
"""Of the files of each form; a name without an ending fits them all."""
DOCUMENTS = (
    ".pdf", ".doc", ".docx", ".odt", ".rtf", ".xls", ".xlsx", ".ods", ".csv", ".tsv", ".yaml", ".yml", ".toml", ".ini",
    ".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp", ".zip", ".gz", ".tar", ".py", ".js", ".ts", ".sh", ".sql",
)  # fmt: skip
"""Endings of what no command writes there."""
PROMISES = frozenset((*DOCUMENTS, *MARKDOWN, *JSON, *ENDINGS["junit"], *ENDINGS[HTML])).difference(TEXT)
"""Endings that promise a form. Of any other, such as .txt, .out or the end of `results-v1.1`, nobody expects one."""
HEAD, TAIL = 1 << 16, 1 << 12
"""Bytes of a file by which it is recognised."""


def check_out(common: Common, takes: Takes) -> None:
    """Raise `UsageError` where --out names a file that cannot or must not be written, before anything is done."""
    if common.out is None:
        return
    target, where = Path(common.out), f"--out {common.out}"
    ending = target.suffix.lower()
    if HTML not in takes.forms and ending in ENDINGS[HTML]:
        raise UsageError("only a report can be a page", where=where, fix=f"Use `row3 report --out {common.out}`")
    if (target.exists() and not target.is_file()) or not _writable(target.parent):
        raise UsageError("no file can be written there", where=where, fix="Name a file in a folder that is there")
    if target.is_file() and _is_of_the_project(common, target.resolve()):
        raise UsageError("this is a file of the project, and would be lost", where=where, fix="Name another file")
    form = common.format or (takes.forms[0] if takes.forms else "table")
    if ending in PROMISES and ending not in endings_of(form, takes):
        raise _misnamed(ending, form, common, takes)
    refuse_foreign([target], form, where=where)


def check_folder(common: Common, folder: Path) -> None:
    """Raise `UsageError` where --out names a folder for pages that holds files of the project, or none can."""
    refuse_own(common, folder, where=f"--out {common.out}")
    if not _writable(folder if folder.is_dir() else folder.parent):
        raise UsageError("no file can be written there", where=f"--out {common.out}", fix="Name another folder")


def refuse_own(common: Common, folder: Path, *, where: str) -> None:
    """Raise `UsageError` for a folder that row3 reads its own data from, or one in it; `where` named it."""
    if _is_of_the_project(common, folder.resolve()):
        raise UsageError("row3 reads its own data from this folder", where=where, fix="Name another one")


def refuse_foreign(targets: Iterable[Path], form: str, *, where: str = "") -> None:
    """Raise `UsageError` for the first file that row3 did not write in this form; an empty one may go.

    Args:
        form: one of `--format`, or `svg`, `png`, `schema`.
        where: what named the file; without it the file's own path.
    """
    from row3.reports.generated_files import is_ours

    for target in targets:
        if not target.is_file() or is_ours(form, *(ends := _ends(target))):
            continue
        other = next((each for each in ENDINGS if is_ours(each, *ends)), None)
        what = (
            f"what is there was written as {other}, not as {form}"
            if other
            else "row3 did not write the file that is there"
        )
        raise UsageError(
            f"{what}, and it would be lost", where=where or str(target), fix="Name another place, or remove it first"
        )


def refuse_foreign_charts(name: Path) -> None:
    """The same of a chart's two files; `name` is theirs without the ending."""
    for ending in ("svg", "png"):
        refuse_foreign([name.with_name(f"{name.name}.{ending}")], ending)


def endings_of(form: str, takes: Takes) -> tuple[str, ...]:
    """What the name of a file may end in."""
    return ENDINGS[form] + (takes.endings if form == "table" else ())


def _misnamed(ending: str, form: str, common: Common, takes: Takes) -> UsageError:
    """The error for a name whose ending belongs to another form, or to none."""
    where, forms = f"--out {common.out}", takes.forms or (form,)
    owners = [each for each in forms if ending in endings_of(each, takes)]
    if owners:
        what = f"{ending} is for {_or(owners)}, and this would be {form}"
        cure = f"--format {_or(owners)}" if common.format is None else f"--format {_or(owners)} instead"
        return UsageError(what, where=where, fix=f"Use {cure}, or a name that ends in {_or(endings_of(form, takes))}")
    by_endings: dict[tuple[str, ...], list[str]] = {}
    for each in forms:
        by_endings.setdefault(endings_of(each, takes), []).append(each)
    known = "; ".join(f"{_or(endings)} for {_or(names)}" for endings, names in by_endings.items())
    return UsageError(f"nothing that this command writes ends in {ending}", where=where, fix=f"Use {known}")


def _or(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _ends(path: Path) -> tuple[bytes, bytes]:
    """How a file begins and how it ends. Raises `EnvironmentFault`."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
            file.seek(max(0, path.stat().st_size - TAIL))
            return head, file.read(TAIL)
    except OSError as error:
        what = f"the file is there and cannot be read ({error.strerror})"
        raise EnvironmentFault(what, where=str(path), fix="Name another file") from None


def _writable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK)


def _is_of_the_project(common: Common, target: Path) -> bool:
    """Whether runs are made of this file, or judged by it."""
    from row3.errors import Row3Error
    from row3.store.project import CHANGELOG, READ_PATHS, find_root

    try:
        parts = target.relative_to(find_root(common.start)).parts
    except (Row3Error, ValueError):
        return False
    return bool(parts) and parts[0] in (*READ_PATHS, CHANGELOG)
