"""`row3 lessons`, `row3 lessons keep`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command, Group, typed_options
from row3.cli.common import Common


class Finding(Group):
    """A group that takes any word that is not a subcommand as a search."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand and its arguments, else the search."""
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "QUERY", find, [*typed_options(ctx), *args]


SEMANTIC = options.option("--semantic", is_flag=True, help="Rank by meaning instead of words (needs row3[semantic]).")
FORMAT = options.option("--format", type=click.Choice(["table", "json"]), help="Format of the list; default: table.")
SUITE = options.option("--suite", metavar="NAME", help="Only lessons of this suite; default: all suites.")


@click.group(cls=Finding, invoke_without_command=True, options_metavar="[OPTIONS] [QUERY]...")
@SEMANTIC()
@SUITE()
@FORMAT()
def command(common: Common, *, semantic: bool) -> None:
    """List lessons from past regressions, newest first; with QUERY, the best matches first.

    A comparison blocked by a regression saves its lesson in .row3/lessons.jsonl.
    """
    _show(common, "", semantic=semantic)


@click.command("QUERY", cls=Command)
@click.argument("query", nargs=-1, required=True)
@SEMANTIC()
@SUITE()
@FORMAT()
def find(common: Common, *, query: tuple[str, ...], semantic: bool) -> None:
    """List the lessons that match QUERY, best first."""
    _show(common, " ".join(query), semantic=semantic)


@command.command()
@click.argument("lesson_ids", metavar="[ID]...", nargs=-1)
@options.option("--suite", metavar="NAME", help="Only lessons of this suite; default: all suites.")()
def keep(common: Common, *, lesson_ids: tuple[str, ...]) -> None:
    """Keep lessons, all or those named, for prompts that show them.

    Copies them from .row3/lessons.jsonl to lessons/<suite>.jsonl; commit it. This changes the requests of prompts that
    show lessons.
    """
    from row3.errors import UsageError
    from row3.workflows.lessons import keep_lessons

    if not common.may_write:
        what = "tracked files are not written in CI"
        raise UsageError(what, where="row3 lessons keep", fix="Keep lessons on your machine, and commit them")
    added = keep_lessons(common.project(), lesson_ids, suite=common.suite)
    lines = [f"{file}: {', '.join(each.id for each in lessons)}" for file, lessons in added.items()]
    common.show("\n".join(lines) if lines else "no new lesson to keep")


def _show(common: Common, query: str, *, semantic: bool) -> None:
    from row3.reports.lessons import lessons_json, lessons_text
    from row3.workflows.lessons import find_lessons

    found = find_lessons(common.project(), common.suite, query, semantic=semantic)
    if common.as_json:
        common.show_json(lessons_json(found))
    else:
        common.show(lessons_text(found, query))
