"""`row3 langfuse push | pull | seed`, and `row3 langfuse prompts push | pull`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from row3.cli import options
from row3.cli.commands import Group
from row3.cli.common import Common
from row3.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from row3.integrations.langfuse.client import Connection
    from row3.integrations.langfuse.datasets import Synced
    from row3.integrations.langfuse.prompts import PromptSync
    from row3.store.project import Project
    from row3.store.suites import Suite

force = options.option("--force", is_flag=True, help="Overwrite changes on the other side too.")()
names = click.argument("names", nargs=-1, metavar="[NAME]…")


@click.group(cls=Group)
def command() -> None:
    """Exchange golden cases and prompts with LangFuse.

    LANGFUSE_HOST, LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY give address and keys. Commands can be repeated: equal
    items stay as they are.
    """


@command.command()
@click.argument("suite")
@force
def push(common: Common, *, force: bool) -> None:
    """Write a suite's golden cases to its dataset in LangFuse.

    A case that changed only there is left alone; one that changed on both sides stops the command.
    """
    from row3.integrations.langfuse.datasets import push as push_cases

    _sync(common, lambda *given: push_cases(*given, force=force), push=True)


@command.command()
@click.argument("suite")
@force
def pull(common: Common, *, force: bool) -> None:
    """Write a dataset's items to the suite's golden cases, all or none."""
    from row3.integrations.langfuse.datasets import pull as pull_cases

    _may_write(common)
    _sync(common, lambda *given: pull_cases(*given, force=force), push=False)


@command.command()
@click.option("--trace", required=True, metavar="ID", cls=options.Option, help="The trace's id in LangFuse.")
@options.suite()
def seed(common: Common, *, trace: str) -> None:
    """Create a dataset item and a draft of a golden case from a checked trace.

    A reviewer's correction of the output in LangFuse counts in place of the output. Complete the draft: aliases,
    canaries, what is required; then remove `"draft": true`.
    """
    from row3.integrations.langfuse.seed import seed as seed_from

    _may_write(common)
    project, suite, connection = opened(common)
    done = seed_from(project, suite, connection, trace)
    if not done.new:
        common.show(f"{done.path} is there already and was left as it is")
        return
    source = "the reviewer's correction" if done.corrected else "the trace's output"
    common.show(common.fitted(f"wrote {done.path}, a draft, and item {done.item}, both from {source}"))
    common.say('complete the draft and remove `"draft": true`; nothing scores it before')


@command.group(cls=Group)
def prompts() -> None:
    """Exchange prompt versions with LangFuse, by label."""


@prompts.command("push")
@names
@options.option("--label", metavar="LABEL", help="Move this label to what is pushed.")()
def push_prompts(names: tuple[str, ...], common: Common, *, label: str | None) -> None:
    """Push the highest version of each prompt, or of these."""
    from row3.integrations.langfuse.prompts import push_prompts as push_versions

    project = common.project()
    _show_prompts(common, push_versions(project, connected(project), names, label), "pushed", "LangFuse has")


@prompts.command("pull")
@names
@options.option("--label", metavar="LABEL", required=True, help="Pull the versions with this label.")()
def pull_prompts(names: tuple[str, ...], common: Common, *, label: str) -> None:
    """Write the labelled versions of the project's prompts, or of these, as new versions in prompts/.

    A version that says the same is used as it is; none is changed.
    """
    from row3.integrations.langfuse.prompts import pull_prompts as pull_versions

    _may_write(common)
    project = common.project()
    _show_prompts(common, pull_versions(project, connected(project), names, label), "wrote", "the same as")


def opened(common: Common) -> tuple[Project, Suite, Connection]:
    """Open project, suite and connection. Raises `MissingExtra`, and `UsageError` without keys."""
    project, suite = common.project_and_suite()
    return project, suite, connected(project)


def connected(project: Project) -> Connection:
    """Open the connection, until the command ends. Raises as `opened`."""
    from row3.integrations.langfuse.client import connect

    connection = connect(project)
    click.get_current_context().call_on_close(connection.http.close)
    return connection


def _may_write(common: Common) -> None:
    if not common.may_write:
        raise UsageError("no file is written in CI", where="row3 langfuse", fix="Pull on your own machine and commit")


def _sync(common: Common, sync: Callable[[Project, Suite, Connection], Synced], *, push: bool) -> None:
    from row3.domain.counts import count
    from row3.integrations.langfuse.datasets import NAMED
    from row3.reports.headline import some

    done = sync(*opened(common))
    what, source, other = ("item", "here", "pull") if push else ("golden case", "in LangFuse", "push")
    written = count(len(done.written), what)
    common.show(common.fitted(f"{written} written, {done.unchanged:,} unchanged, dataset {done.dataset}"))
    run = f"`row3 langfuse {other} {common.suite}`"
    if done.target_newer:
        common.say(f"newer on the other side, so left alone: {some(done.target_newer, NAMED)}. Run {run}")
    if done.target_only:
        common.say(f"not {source}: {some(done.target_only, NAMED)}. Run {run}, or delete them there")


def _show_prompts(common: Common, done: Sequence[PromptSync], verb: str, same: str) -> None:
    common.show(
        "\n".join(
            f"{verb if each.new else same} {each.ref} (version {each.remote_version} in LangFuse)" for each in done
        )
    )
