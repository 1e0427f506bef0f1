"""`row3 schema`."""

from __future__ import annotations

from pathlib import Path

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common
from row3.cli.out_file import check_folder, refuse_foreign
from row3.cli.output import emit


@click.command(cls=Command)
@options.option("--out", metavar="FOLDER", help="Write there instead of into schemas/.")()
def command(common: Common) -> None:
    """Write JSON Schemas for the project's files.

    They go into schemas/, or into the folder that --out names.
    Editors complete and check golden cases, row3.toml and the rest by them as you type.
    """
    from row3.store.project import find_root
    from row3.workflows.schemas import schema_files, write_schemas

    folder = Path(common.out) if common.out is not None else find_root(common.start) / "schemas"
    if common.out is not None:
        check_folder(common, folder, f"--out {common.out}")
    refuse_foreign((folder / Path(name).name for name in schema_files()), "schema")
    emit("\n".join(str(path) for path in write_schemas(folder)), None)
