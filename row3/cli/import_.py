"""`row3 import promptfoo | csv | jsonl`, and `row3 cases import`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import click

from row3.cli import options
from row3.cli.common import Common
from row3.commands.importing import tables, write
from row3.commands.importing.drafts import Drafts, PromptFiles
from row3.commands.importing.promptfoo import read_promptfoo, read_table
from row3.errors import EnvironmentFault, UsageError
from row3.integrations.monitoring.rows import record_with_text
from row3.integrations.monitoring.storage import open_store
from row3.kinds import DEFAULT, MODULES, checking_kind
from row3.kinds.base import Kind
from row3.project.files import MAX_TEXT_BYTES, decode, read_bytes
from row3.reports.recordings import imported_document, kept_text

Reader = Callable[[Path, PromptFiles, Kind], Drafts]

suite = options.suite("The suite, created if new; default: the project's own.")
dry_run = options.dry_run("Show what would be written, and write nothing.")
check = options.option("--check", metavar="CHECK", help="Kind checks: the check to create; default: equals.")()
expected = options.option(
    "--expected", metavar="COLUMN", help="Kind checks: the column with the expected answer; the others are the input."
)()
at = options.option("--path", metavar="JSONPATH", help="Kind checks: the part of the answer to check: $.category.")()
ENDINGS = (".csv", ".jsonl")


@click.group(cls=options.Group)
def command() -> None:
    """Create golden cases of kind checks from a promptfoo configuration, a table or JSON Lines.

    Overwrites nothing. Keeps items without a matching check in golden/SUITE/not-imported.jsonl and lists them.
    """


@command.command()
@click.argument("file")
@suite
@dry_run
def promptfoo(file: str, common: Common, *, dry_run: bool) -> None:
    """Import the tests, assertions and prompts of a promptfoo configuration (YAML or JSON)."""
    _import(
        common, Path(file), lambda path, prompts, _: read_promptfoo(path, prompts), checking_kind(), dry_run=dry_run
    )


@command.command("csv")
@click.argument("file")
@expected
@check
@at
@suite
@dry_run
def csv_(file: str, common: Common, *, dry_run: bool, **checks: str | None) -> None:
    """Import the rows of a table; understands promptfoo's columns such as __expected."""
    _import(common, Path(file), _reader(".csv", **checks), checking_kind(), dry_run=dry_run)


@command.command()
@click.argument("file")
@check
@at
@suite
@dry_run
def jsonl(file: str, common: Common, *, dry_run: bool, **checks: str | None) -> None:
    """Import golden cases, or {"input": …, "expected": …}, one per line."""
    _import(common, Path(file), _reader(".jsonl", **checks), checking_kind(), dry_run=dry_run)


@click.command("import", cls=options.Command)
@click.argument("file")
@suite
@options.option("--kind", type=click.Choice(list(MODULES)), help=f"Kind of a new suite; default: {DEFAULT}.")()
@expected
@check
@at
@dry_run
def import_cases(file: str, common: Common, *, kind: str | None, dry_run: bool, **checks: str | None) -> None:
    """Create golden cases of any kind from FILE (.csv or .jsonl); overwrites nothing.

    Each line of JSON Lines is a golden case; each column of a table is a field. A list in a cell is JSON, or texts
    separated by semicolons. Cases without an id are numbered. Kind checks reads the same files as `row3 import`.
    """
    ending = Path(file).suffix
    if ending not in ENDINGS:
        raise UsageError(f"the file is neither {' nor '.join(ENDINGS)}", where=file, fix="Save it as one of these")
    _import(common, Path(file), _reader(ending, **checks), kind, dry_run=dry_run)


def _reader(ending: str, *, check: str | None, path: str | None, expected: str | None = None) -> Reader:
    """Return a reader of tables or JSON Lines for a kind; raises `UsageError` for options it would ignore."""
    if (check or path) is not None and expected is None and ending == ".csv":
        raise click.UsageError(f"{'--check' if check else '--path'} needs --expected COLUMN")
    if expected is not None and ending != ".csv":
        raise click.UsageError("--expected names a column, and JSON Lines has none; leave it out")

    def read(file: Path, prompts: PromptFiles, kind: Kind) -> Drafts:
        if kind.check_model is None:
            if (expected or check or path) is not None:
                where = "--expected, --check, --path"
                raise UsageError(f"kind {kind.name} has no checks", where=where, fix="Leave them out")
            return tables.read_columns(file, kind) if ending == ".csv" else tables.read_lines(file)
        if ending == ".jsonl":
            return tables.read_jsonl(file, check or "equals", path)
        if expected is None:
            return read_table(file, prompts)
        return tables.read_csv(file, expected, check or "equals", path)

    return read


def _import(common: Common, file: Path, read: Reader, kind: str | None, *, dry_run: bool) -> None:
    project = common.project()
    into, prompts = write.target_suite(project, common.suite, file, kind), PromptFiles(project.tree)
    done = write.import_cases(project, into, read(file, prompts, into[1]), prompts, file, dry_run=dry_run)
    common.show_document(imported_document(done, dry_run=dry_run))
    for line in (*done.notes, *kept_text(done)):
        common.say(line)


@click.command("new", cls=options.Command)
@click.argument("name")
@options.option("--from-text", "--text", metavar="FILE", help="A file with the text; - for stdin.")()
@options.option("--from-trace", metavar="ID", help="A record kept by `row3 monitor`, with its source text.")()
@options.suite()
def new_case(name: str, common: Common, *, from_text: str | None, from_trace: str | None) -> None:
    """Draft a golden case from a text, for a person to complete; overwrites nothing.

    NAME is its id or topic. A draft is never scored; `row3 lint` says what is missing. Write the expectations from the
    text, not from an answer, then remove `draft`.
    """
    if (from_text is None) == (from_trace is None):
        raise click.UsageError("give either --from-text or --from-trace")
    project, suite = common.project_and_suite()
    origin = topic = None
    if from_trace is not None:
        with open_store(project, os.environ).open() as connection:
            topic, text = record_with_text(connection, from_trace)
        where, origin = f"record {from_trace}", f"production record {from_trace}"
    else:
        assert from_text is not None
        where = "stdin" if from_text == "-" else from_text
        text = _read(from_text, where)
    common.show(write.draft_case(project, suite, name, text, where=where, origin=origin, topic=topic))
    common.say("a draft is never scored: add the expectations, then remove `draft`")


def _read(file: str, where: str) -> str:
    if file != "-":
        return decode(read_bytes(Path(file), where=where), where=where)
    if sys.stdin is None:
        raise EnvironmentFault("stdin is closed", where="--from-text -", fix="Name a file")
    return decode(sys.stdin.buffer.read(MAX_TEXT_BYTES), where=where)
