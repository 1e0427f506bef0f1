"""`row3 import promptfoo | csv | jsonl`, and `row3 cases import`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from row3.cli import options
from row3.cli.commands import Command, Group
from row3.cli.common import Common
from row3.errors import UsageError
from row3.kinds import MODULES

if TYPE_CHECKING:
    from row3.kinds.base import Kind
    from row3.workflows.importing.drafts import Drafts, PromptFiles

suite = options.suite("The suite, which is made if it is new; default: the project's own.")
dry_run = options.dry_run("Show what would be written; write nothing.")
check = options.option("--check", metavar="CHECK", help="Kind checks: the check that is made of it; default: equals.")()
expected = options.option(
    "--expected", metavar="COLUMN", help="Kind checks: the column with what is expected; the others are the input."
)()
ENDINGS = (".csv", ".jsonl")


@click.group(cls=Group)
def command() -> None:
    """Make golden cases of kind checks from a promptfoo configuration, a table or JSON Lines.

    Nothing is overwritten. What row3 has no check for is listed and kept in golden/SUITE/not-imported.jsonl.
    """


@command.command()
@click.argument("file")
@suite
@dry_run
def promptfoo(file: str, common: Common, *, dry_run: bool) -> None:
    """Import tests, assertions and prompts of a promptfoo configuration in YAML or JSON."""
    from row3.workflows.importing.promptfoo import read_promptfoo

    _import(common, Path(file), lambda path, prompts, _: read_promptfoo(path, prompts), "checks", dry_run=dry_run)


@command.command("csv")
@click.argument("file")
@expected
@check
@suite
@dry_run
def csv_(file: str, common: Common, *, expected: str | None, check: str | None, dry_run: bool) -> None:
    """Import the rows of a table; promptfoo's columns, such as __expected, are known."""
    _import(common, Path(file), _reader(".csv", expected, check), "checks", dry_run=dry_run)


@command.command()
@click.argument("file")
@check
@suite
@dry_run
def jsonl(file: str, common: Common, *, check: str | None, dry_run: bool) -> None:
    """Import golden cases, or pairs {"input": …, "expected": …}, one a line."""
    _import(common, Path(file), _reader(".jsonl", None, check), "checks", dry_run=dry_run)


@click.command("import", cls=Command)
@click.argument("file")
@suite
@options.option("--kind", type=click.Choice(list(MODULES)), help="The kind of a new suite; default: extraction.")()
@expected
@check
@dry_run
def import_cases(
    file: str, common: Common, *, kind: str | None, expected: str | None, check: str | None, dry_run: bool
) -> None:
    """Make golden cases of any kind from FILE, .csv or .jsonl; nothing is overwritten.

    A line of JSON Lines is a golden case, a column of a table one of its fields. A list in a cell is JSON, or texts
    between semicolons. Cases without an id are numbered. Kind checks reads what `row3 import csv` and `jsonl` read.
    """
    path = Path(file)
    if path.suffix not in ENDINGS:
        raise UsageError(f"the file is neither {' nor '.join(ENDINGS)}", where=file, fix="Save it as one of these")
    _import(common, path, _reader(path.suffix, expected, check), kind, dry_run=dry_run)


def _reader(ending: str, expected: str | None, check: str | None) -> Callable[[Path, PromptFiles, Kind], Drafts]:
    """Return what reads a table or JSON Lines as cases of a kind; raises `UsageError` for options that it ignores."""
    from row3.workflows.importing.promptfoo import read_table
    from row3.workflows.importing.tables import read_columns, read_csv, read_jsonl, read_lines

    if check is not None and expected is None and ending == ".csv":
        raise click.UsageError("--check needs --expected COLUMN")
    if expected is not None and ending != ".csv":
        raise click.UsageError("--expected names a column, and JSON Lines has none; leave it out")

    def read(path: Path, prompts: PromptFiles, kind: Kind) -> Drafts:
        if kind.name != "checks":
            if expected is not None or check is not None:
                raise UsageError(f"kind {kind.name} has no checks", where="--expected, --check", fix="Leave them out")
            return read_columns(path, kind) if ending == ".csv" else read_lines(path)
        if ending == ".jsonl":
            return read_jsonl(path, check or "equals")
        return read_table(path, prompts) if expected is None else read_csv(path, expected, check or "equals")

    return read


def _import(
    common: Common,
    file: Path,
    read: Callable[[Path, PromptFiles, Kind], Drafts],
    kind: str | None,
    *,
    dry_run: bool,
) -> None:
    from row3.reports.imports import imported_document, kept_text
    from row3.workflows.importing.drafts import PromptFiles
    from row3.workflows.importing.write import import_cases, suite_of

    project = common.project()
    into, prompts = suite_of(project, common.suite, file, kind), PromptFiles(project.tree)
    done = import_cases(project, into, read(file, prompts, into[1]), prompts, file, dry_run=dry_run)
    common.show_document(imported_document(done, dry_run=dry_run))
    for line in (*done.notes, *kept_text(done)):
        common.say(line)
