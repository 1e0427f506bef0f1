"""Checks of --out: the file's ending must fit the format, and only files written by row3 may be replaced."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from row3.cli.common import Common
from row3.cli.formats import FORMS, OUR_END, OUR_TEXT, RESERVED
from row3.errors import EnvironmentFault, Row3Error, UsageError

HEAD, TAIL = 1 << 16, 1 << 12
"""Bytes at a file's beginning and end by which a result is recognised."""


def check_out(common: Common, forms: tuple[str, ...]) -> None:
    """Raise `UsageError` if --out is unusable; `forms` are the formats, the default first."""
    if common.out is None:
        return
    target, where = Path(common.out), f"--out {common.out}"
    ending = target.suffix.lower()
    if ending in FORMS["html"].endings and "html" not in forms:
        raise UsageError("only `row3 report` writes HTML", where=where, fix=f"Use `row3 report --out {common.out}`")
    writable = target.parent.is_dir() and os.access(target.parent, os.W_OK)
    if (target.exists() and not target.is_file()) or not writable:
        raise UsageError("cannot write there", where=where, fix="Name a file in an existing folder")
    if target.is_file() and _is_project_file(common, target):
        raise UsageError("this would overwrite a file of the project", where=where, fix="Name another file")
    form = common.format or forms[0]
    fitting = FORMS[form].endings
    if ending in RESERVED and ending not in fitting:
        owners = [each for each in forms if ending in FORMS[each].endings]
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
    from row3.project.root import own_file

    for target in targets:
        if not own_file(target).is_file() or is_generated(form, *(ends := _ends(target))):
            continue
        other = next((each for each in FORMS if is_generated(each, *ends)), None)
        what = f"the file was written as {other}, not as {form}" if other else "row3 did not write this file"
        fix = "Name another place, or remove it first"
        raise UsageError(f"{what}; writing would overwrite it", where=where or str(target), fix=fix)


def is_generated(form: str, head: bytes, tail: bytes) -> bool:
    """Return whether a file, by its first and last bytes, is empty or an earlier result in this form."""
    begins, ends = head.decode("utf-8", "replace").lstrip("\ufeff"), tail.decode("utf-8", "replace")
    ours = re.match(FORMS[form].begins, begins, re.DOTALL) or (
        FORMS[form].begins is OUR_TEXT and re.search(OUR_END, ends)
    )
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
    from row3.project.places import CHANGELOG, READ_PATHS
    from row3.project.root import find_root

    try:
        parts = target.resolve().relative_to(find_root(common.start)).parts
    except (Row3Error, ValueError):
        return False
    return bool(parts) and parts[0] in (*READ_PATHS, CHANGELOG)
