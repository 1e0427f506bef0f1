"""`row3 hook install | uninstall | status | run`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from row3.cli import options
from row3.cli.common import Common
from row3.cli.output import inert

if TYPE_CHECKING:
    from row3.commands.hook import HookName
    from row3.project.git.hooks import HookReport
    from row3.project.git.repository import Repository

OUTCOMES = {
    "left": "left alone: not a row3 hook",
    "absent": "not installed",
    "unchanged": "already installed",
    "updated": "reinstalled",
}


@click.group(cls=options.Group)
def command() -> None:
    """Install, uninstall or run the git hooks that block a regression."""


@command.command()
@options.output_options()
def install(common: Common) -> None:
    """Install pre-commit, pre-merge-commit and pre-push; existing hooks still run."""
    from row3.project.git.hooks import install as install_hooks
    from row3.project.root import find_root

    _show(install_hooks(_repository(common), sys.executable, find_root(common.start)), common)
    common.say("`git commit --no-verify` skips the hook; `row3 --compare --against` in CI does not (`row3 docs ci`)")


@command.command()
@options.output_options()
def uninstall(common: Common) -> None:
    """Remove row3's hooks and restore the previous ones."""
    from row3.project.git.hooks import uninstall as uninstall_hooks

    _show(uninstall_hooks(_repository(common)), common)


@command.command()
@options.output_options()
def status(common: Common) -> None:
    """Show which hooks are installed."""
    from row3.project.git.hooks import status as hook_status

    _show(hook_status(_repository(common)), common)


@command.command("run")
@click.argument("name", type=click.Choice(["pre-commit", "pre-merge-commit", "pre-push"]), default="pre-commit")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run_(common: Common, name: HookName, arguments: tuple[str, ...]) -> int:
    """Judge a commit, merge or push (called by git)."""
    del arguments  # from git: the remote's name and address
    from row3.commands.hook import run_hook
    from row3.project.root import find_root

    verdict = run_hook(find_root(common.start), name, _pushed() if name == "pre-push" else "")
    if common.quiet or not verdict.results:
        return verdict.exit_code
    from row3.reports.hook import hook_document
    from row3.reports.terminal import Style, terminal_text

    text = terminal_text(hook_document(verdict), Style(sys.stderr.isatty() and common.wants_colour)).strip("\n")
    if text:
        sys.stderr.write(f"{inert(text)}\n")
    return verdict.exit_code


def _repository(common: Common) -> Repository:
    from row3.errors import UsageError
    from row3.project.git.repository import Repository
    from row3.project.root import find_root

    repository = Repository.find(find_root(common.start))
    if repository is None:
        raise UsageError("not a git repository", where=str(common.start.resolve()), fix="Run `git init` first")
    return repository


def _show(report: HookReport, common: Common) -> None:
    lines = [f"hooks in {report.folder}"]
    for hook in report.hooks:
        first = "; the existing hook runs first" if hook.runs_first else ""
        remark = f" ({hook.note})" if hook.note else ""
        lines.append(f"  {hook.name:<17} {OUTCOMES.get(hook.outcome, hook.outcome)}{first}{remark}")
    common.show(common.fitted("\n".join(lines)))


def _pushed() -> str:
    """Return the pushed refs in git's format, from stdin or the pre-commit framework's environment."""
    text = "" if sys.stdin.isatty() else sys.stdin.read()
    new = os.environ.get("PRE_COMMIT_TO_REF")
    if text.strip() or not new:
        return text
    local = os.environ.get("PRE_COMMIT_LOCAL_BRANCH", "HEAD")
    remote = os.environ.get("PRE_COMMIT_REMOTE_BRANCH", local)
    return f"{local} {new} {remote} {os.environ.get('PRE_COMMIT_FROM_REF') or '0' * len(new)}\n"
