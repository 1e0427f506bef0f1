"""`row3 cases new`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common
from row3.errors import EnvironmentFault


@click.command("new", cls=Command)
@click.argument("name")
@options.option("--from-text", "--text", metavar="FILE", help="A file with the text; - for stdin.")()
@options.option("--from-trace", metavar="ID", help="A record kept by `row3 monitor`, with its source text.")()
@options.suite()
def new_case(name: str, common: Common, *, from_text: str | None, from_trace: str | None) -> None:
    """Draft a golden case from a text, for a person to complete; overwrites nothing.

    NAME is its id, or what it is about. A draft is never scored; `row3 lint` says what is missing. Write the
    expectations from the text, not from an answer, then remove `draft`.
    """
    if (from_text is None) == (from_trace is None):
        raise click.UsageError("give either --from-text or --from-trace")
    from row3.workflows.importing.new_case import draft_case

    project, suite = common.project_and_suite()
    origin = topic = None
    if from_trace is not None:
        from row3.integrations.monitoring.samples import record_with_text
        from row3.integrations.monitoring.storage import open_store

        with open_store(project, os.environ).open() as connection:
            topic, text = record_with_text(connection, from_trace)
        where, origin = f"record {from_trace}", f"production record {from_trace}"
    else:
        assert from_text is not None
        where = "stdin" if from_text == "-" else from_text
        text = _read(from_text, where)
    path = draft_case(project, suite, name, text, where=where, origin=origin, topic=topic)
    common.show(path)
    common.say("a draft is never scored: add what the text says, then remove `draft`")


def _read(file: str, where: str) -> str:
    from row3.store.files import MAX_TEXT_BYTES, decode, read_bytes

    if file != "-":
        return decode(read_bytes(Path(file), where=where), where=where)
    if sys.stdin is None:
        raise EnvironmentFault("stdin is closed", where="--from-text -", fix="Name a file")
    return decode(sys.stdin.buffer.read(MAX_TEXT_BYTES), where=where)
