"""`row3 init`, `lint`, `new-version`, `schema` and `docs`: a project's files, and the documentation."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from row3.cli import options
from row3.cli.common import Common
from row3.cli.out_file import check_folder, refuse_foreign
from row3.cli.output import emit
from row3.domain.words import did_you_mean
from row3.errors import UsageError
from row3.kinds import ANY_FORM, DEFAULT, MODULES

STARTERS = [name for name in MODULES if files("row3").joinpath("starter", name).is_dir()]
"""Kinds with a starter: suites that need neither documents nor systems of the user's."""


@click.command(cls=options.Command)
@options.option(
    "--kind",
    type=click.Choice(STARTERS),
    help=f"What the suite scores; default: {DEFAULT}, the concepts of a text.",
)()
@click.option("--empty", is_flag=True, help="Only settings, no suite.")
@click.option("--example", is_flag=True, help="An example with five long golden cases, two prompts and every setting.")
@click.option("--schema", metavar="SCHEMA", help="What answers must fit: schemas/ticket.json or models:Ticket.")
@options.output_options()
def init(kind: str | None, schema: str | None, common: Common, *, empty: bool, example: bool) -> None:
    """Create a row3 project here: settings, a prompt, two golden cases; overwrites nothing."""
    from row3.commands.init import init as make_project
    from row3.commands.init import next_steps

    if sum((empty, example, kind is not None)) > 1:
        raise click.UsageError("--kind, --empty and --example exclude each other; leave out all but one")
    if schema is not None and kind != ANY_FORM:
        raise click.UsageError(f"--schema is for --kind {ANY_FORM}, whose answers have any form")
    made = make_project(common.start, "empty" if empty else "example" if example else kind or DEFAULT, schema)
    lines = [f"  {item.what:<9} {item.path}" for item in made]
    common.show(common.fitted("\n".join([*lines, "", *next_steps(made)])))


@click.command(cls=options.Command)
@options.suite("Only this suite; default: all.")
@click.option("--fix", is_flag=True, help="Write the schemas of models that prompts name, if they differ.")
@options.output_options("table", "json", "github", "codequality")
def lint(common: Common, *, fix: bool) -> int:
    """Check golden cases, prompts and settings.

    Exit 2 on errors; warnings do not fail, and -q hides them. In a pipe each finding is one line.
    """
    from row3.cli.show import places_of
    from row3.commands.linting.lint import lint_at
    from row3.reports.findings import findings_json, findings_text

    if fix:
        common.check_may_write("lint --fix", "Run it on a developer's machine and commit the files")
    report = lint_at(common.start, common.suite, finish=common.may_write, fix=fix, guard=common.guard, say=common.say)
    match common.format:
        case "json":
            common.show(findings_json(report))
        case "github":
            from row3.reports.issues import github_text, lint_issues, lint_notice

            common.show(github_text(lint_issues(report), lint_notice(report), places_of(common)))
        case "codequality":
            from row3.reports.issues import codequality_json, lint_issues

            common.show(codequality_json(lint_issues(report), places_of(common)))
        case _:
            width = common.width if common.on_terminal else None
            common.show(findings_text(report, width=width, errors_only=common.quiet))
    return report.exit_code


@click.command(cls=options.Command)
@click.argument("name")
@click.option("--major", is_flag=True, help="Make a major version: v2.0 after v1.3 instead of v1.4.")
@options.output_options()
def new_version(name: str, common: Common, *, major: bool) -> None:
    """Copy a prompt's current version to the next one.

    Adds an "Unreleased" entry to CHANGELOG.md: describe there what the new version changes.
    """
    from row3.commands.promoting.new_version import new_version as copy_version

    project = common.project()
    made = copy_version(project, name, major=major)
    changelog = f", wrote {made.schema}" if made.schema else ""
    changelog += " and opened its entry in CHANGELOG.md" if made.changelog_changed else ""
    common.show(common.fitted(f"copied {made.copied_from} to prompts/{made.ref}.md{changelog}"))
    skipped = [v for v in project.versions.get(name, ()) if made.copied_from.version < v < made.ref.version]
    old = made.copied_from.version
    if skipped:
        common.say(f"{name} {skipped[-1]} also exists, but is not promoted; this is a copy of {old}")
    if made.description:
        where = f"`description` in prompts/{made.ref}.md still describes {old}"
        common.say(f"{where}: describe there, or in CHANGELOG.md, what the new version changes")


@click.command(cls=options.Command)
@options.option("--out", metavar="FOLDER", help="Write to this folder instead of schemas/.")()
def schema(common: Common) -> None:
    """Write JSON Schemas for the project's files.

    Editors use them to complete and check golden cases, row3.toml and the rest as you type.
    """
    from row3.commands.schemas import schema_files, write_schemas
    from row3.project.root import find_root

    folder = Path(common.out) if common.out is not None else find_root(common.start) / "schemas"
    if common.out is not None:
        check_folder(common, folder, f"--out {common.out}")
    refuse_foreign((folder / Path(name).name for name in schema_files()), "schema")
    emit("\n".join(str(path) for path in write_schemas(folder)), None)


@click.command(cls=options.Command)
@click.argument("topic", required=False)
@options.output_options()
def docs(topic: str | None, common: Common) -> None:
    """Print a page of the documentation; without TOPIC, list the pages."""
    pages = page_files()
    if topic is None:
        titles = {name: text.partition("\n")[0].lstrip("# ") for name, text in pages.items()}
        width = max(map(len, titles))
        common.show("\n".join(f"{name:<{width}}  {title}" for name, title in titles.items()))
        return
    name = topic.removeprefix("docs/").removesuffix(".md")
    if name not in pages:
        fix = did_you_mean(name, pages, "`row3 docs` lists them")
        raise UsageError(f"there is no page `{name}`", where="TOPIC", fix=fix)
    common.show(pages[name].rstrip("\n"))


def page_files() -> dict[str, str]:
    """Return the text of every page by its name, from the package or the source tree."""
    package = Path(str(files("row3")))
    folder = next((each for each in (package / "docs", package.parent / "docs") if each.is_dir()), package)
    paths = sorted(path for path in folder.glob("*.md") if path.stem != "README")  # an index of the others
    return {path.stem: path.read_text(encoding="utf-8") for path in paths}
