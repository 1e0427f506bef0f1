"""`row3 import promptfoo | csv | jsonl`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from row3.cli import options
from row3.cli.commands import Group
from row3.cli.common import Common

if TYPE_CHECKING:
    from row3.workflows.importing.drafts import Drafts, PromptFiles

suite = options.suite("The suite, which is made if it is new; default: the project's own.")
dry_run = options.dry_run("Show what would be written; write nothing.")
check = options.option("--check", metavar="CHECK", help="The check that is made of it; default: equals.")()


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

    _import(common, Path(file), read_promptfoo, dry_run=dry_run)


@command.command("csv")
@click.argument("file")
@options.option("--expected", metavar="COLUMN", help="The column with what is expected; the others are the input.")()
@check
@suite
@dry_run
def csv_(file: str, common: Common, *, expected: str | None, check: str | None, dry_run: bool) -> None:
    """Import the rows of a table; promptfoo's columns, such as __expected, are known."""
    from row3.workflows.importing.promptfoo import read_table
    from row3.workflows.importing.tables import read_csv

    if check is not None and expected is None:
        raise click.UsageError("--check needs --expected COLUMN")

    def read(path: Path, prompts: PromptFiles) -> Drafts:
        return read_table(path, prompts) if expected is None else read_csv(path, expected, check or "equals")

    _import(common, Path(file), read, dry_run=dry_run)


@command.command()
@click.argument("file")
@check
@suite
@dry_run
def jsonl(file: str, common: Common, *, check: str | None, dry_run: bool) -> None:
    """Import golden cases, or pairs {"input": …, "expected": …}, one a line."""
    from row3.workflows.importing.tables import read_jsonl

    _import(common, Path(file), lambda path, _: read_jsonl(path, check or "equals"), dry_run=dry_run)


def _import(common: Common, file: Path, read: Callable[[Path, PromptFiles], Drafts], *, dry_run: bool) -> None:
    from row3.reports.imports import imported_document, kept_text
    from row3.workflows.importing.drafts import PromptFiles
    from row3.workflows.importing.write import import_cases, suite_of

    project = common.project()
    name, prompts = suite_of(project, common.suite, file), PromptFiles(project.tree)
    done = import_cases(project, name, read(file, prompts), prompts, file, dry_run=dry_run)
    common.show_document(imported_document(done, dry_run=dry_run))
    for line in (*done.notes, *kept_text(done)):
        common.say(line)
