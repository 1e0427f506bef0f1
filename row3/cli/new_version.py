"""`row3 new-version NAME`."""

from __future__ import annotations

import click

from row3.cli import options
from row3.cli.commands import Command
from row3.cli.common import Common


@click.command(cls=Command)
@click.argument("name")
@click.option("--major", is_flag=True, help="The next major version: after v1.3 comes v2.0 instead of v1.4.")
@options.output_options()
def command(name: str, common: Common, *, major: bool) -> None:
    """Copy a prompt's current version to the next one.

    An "Unreleased" entry is opened in CHANGELOG.md: write there what the new version changes.
    """
    from row3.store.prompts import versions
    from row3.workflows.promoting.new_version import new_version

    project = common.project()
    made = new_version(project, name, major=major)
    changelog = " and opened its entry in CHANGELOG.md" if made.changelog_changed else ""
    common.show(common.fitted(f"copied {made.copied_from} to prompts/{made.ref}.md{changelog}"))
    skipped = [v for v in versions(project.tree).get(name, ()) if made.copied_from.version < v < made.ref.version]
    if skipped:
        common.say(f"{name} {skipped[-1]} exists, is not promoted and is not in this copy")
    if made.unmeasured is not None:
        common.say(
            f"there is no baseline yet, and `row3 --baseline{made.unmeasured}` takes the highest version; to measure "
            f"{made.copied_from} first: row3 promote{made.unmeasured} {made.copied_from}"
        )
    if made.description:
        common.say(
            f"`description` in prompts/{made.ref}.md is still that of {made.copied_from.version}: describe there, or "
            "in its entry in CHANGELOG.md, what the new version changes"
        )
    if made.edited_in_place:
        common.say(
            f"{made.copied_from} was edited in place; the edits are in the new version, put the old one back: "
            f"git checkout -- prompts/{made.copied_from}.md"
        )
