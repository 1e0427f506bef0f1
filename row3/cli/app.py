"""The entry point: the group of commands, and the one place where errors become text."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import os
import signal
import sys
import warnings
from typing import Any, NoReturn, TextIO

import click

from row3.cli.once import once
from row3.cli.options import Amount, Common, common_options
from row3.cli.output import Unheard, Unread, tell
from row3.errors import Row3Error

COMMANDS = {
    "promote": "Gate VERSION and, if it passes, make it the current one.",
    "hook": "Install, uninstall or run the git hooks that block a regression.",
    "init": "Make a row3 project here, with a starter suite.",
    "lint": "Check golden cases, prompts and settings.",
    "new-version": "Copy a prompt's current version to the next one.",
    "score": "Score outputs made elsewhere, without a provider.",
    "diff": "Compare prompt versions, runs, baselines, git refs or models; nothing is judged.",
    "leaderboard": "Rank models × prompt versions on one suite by score, cost and latency; nothing is judged.",
    "investigate": "Explain a case: what was missed, unexpected, misdirected or unquoted, and where.",
    "aliases": "Judge what recorded runs found and no golden case knows: alias, real miss or hallucination.",
    "power": "Say how small a drop the suite detects, and whether cases or repeats are the better buy.",
    "drift": "Ask the baseline's prompts again on a sample: has the provider changed?",
    "flaky": "Find the cases that waver by themselves, and put them into quarantine.",
    "cases": "Say which cases matter: which tell good prompts from bad ones, which are redundant, which never fail.",
    "history": "List the baselines, comparisons and promotions.",
    "trend": "Draw the metrics over time (SVG and PNG).",
    "recordings": "List, import, prune or verify the recorded answers; see how far the live system drifts.",
    "report": "Write a comparison as a report: Markdown, or a page for a browser.",
    "comment": "Compare all suites, or --suite, and keep one comment on a GitHub pull request.",
    "schema": "Write JSON Schemas for the project's files.",
}
"""Help of each command, so that `row3 --help` need not load them; a test holds it to theirs."""


class Commands(click.Group):
    """Loads a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import `row3.cli.<name>` and take its `command`."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"row3.cli.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the near miss of an unknown command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            options = {"compare": "--compare", "baseline": "--baseline"}
            near = difflib.get_close_matches(args[0], [*options, *COMMANDS], n=1)
            near = [options.get(name, name) for name in near]
            hint = f"Did you mean `{near[0]}`?" if near else "See `row3 --help`."
            raise click.UsageError(f"there is no command `{args[0]}`. {hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--baseline", is_flag=True, help="Run the promoted prompts and save the run as the baseline.")
@click.option("--compare", is_flag=True, help="Compare with the baseline; exit 1 on a regression.")
@click.option("--all", "all_suites", is_flag=True, help="Every suite, one after the other; exit code: the worst.")
@once(
    "--against",
    metavar="REF",
    help="Judge by the baseline, cases and thresholds of this git ref; REF... is where HEAD left it.",
)
@click.option("--dry-run", is_flag=True, help="Show what a live run would send and cost; send nothing.")
@click.option(
    "--only",
    type=click.Choice(["failing", "regressed", "changed"]),
    help="Run a part of the cases. A part is no gate.",
)
@click.option("--adaptive", is_flag=True, help="With --compare: ask in rounds, on both sides, until it is decided.")
@click.option(
    "--max-repeats", type=click.IntRange(2, 100), metavar="K", help="Rounds of --adaptive at most; default: 5."
)
@click.option(
    "--max-cost", type=Amount(min=0, min_open=True), metavar="USD", help="Stop before more than this is spent."
)
@click.option("--no-interleave", is_flag=True, help="With --compare, live: do not ask the baseline's prompts again.")
@common_options("row3")
@click.version_option(package_name="row3", message="row3 %(version)s")
@click.pass_context
def main(ctx: click.Context, /, common: Common, **flags: Any) -> None:
    """Run the suite's candidates and print the scorecard.

    \b
    row3 init              make a project here, with a starter suite
    row3 --baseline        before edits: save the promoted prompts' run
    row3 --compare         after edits: exit 1 on a regression
    row3 promote v1.1      gate, lock, baseline, changelog, history, charts
    row3 hook install      git blocks the merge

    `row3 COMMAND --help` says more of each command.

    Exit codes: 0 proceed or investigate, 1 blocked, 2 usage or invalid file, 3 run incomplete, 130 interrupted.
    """
    ctx.obj = common
    if ctx.invoked_subcommand is not None:
        _refuse_own(ctx, ctx.invoked_subcommand, [name for name, value in flags.items() if value])
        return
    from row3.cli.run import run_default

    ctx.exit(run_default(common, **flags))


def _refuse_own(ctx: click.Context, name: str, given: list[str]) -> None:
    """Raise `UsageError` for an option of `row3` alone that stands before a command."""
    if not given:
        return
    flag = "--all" if given[0] == "all_suites" else f"--{given[0].replace('_', '-')}"
    command = main.get_command(ctx, name)
    belows = [command, *command.commands.values()] if isinstance(command, click.Group) else [command]
    if any(flag in option.opts for each in belows if each is not None for option in each.params):
        raise click.UsageError(f"{flag} before `{name}` is for `row3` alone; write it after: row3 {name} … {flag}")
    raise click.UsageError(f"{flag} does not go with `{name}`; it goes with `row3` without a command")


COLLECT_AFTER = 50_000
"""Objects from which on the interpreter looks for cycles."""


def run() -> NoReturn:
    """Run the command line; every error is one message on stderr, never a traceback."""
    # Imports and cases make many objects and few cycles: looking for them every 700 objects takes a tenth of a run.
    gc.set_threshold(COLLECT_AFTER)
    if sys.stdout is None:  # closed by whoever called us
        sys.stdout = _nowhere()
    if isinstance(sys.stdout, io.TextIOWrapper):
        with contextlib.suppress(ValueError):  # closed
            sys.stdout = Unread(sys.stdout)
    if sys.stderr is None:  # what it would say is not for stdout, where only the result goes
        sys.stderr = _nowhere()
    elif isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = Unheard(sys.stderr)
    sys.exit(_guarded())


def _nowhere() -> TextIO:
    """A place for what nobody hears, open as long as the process lives."""
    from pathlib import Path

    return Path(os.devnull).open("w", encoding="utf-8")


def _guarded() -> int:
    try:
        code = main(prog_name="row3", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except click.UsageError as error:
        _complain(_of_usage(error))
        return 2
    except click.ClickException as error:
        _complain(error.format_message())
        return 2
    except Row3Error as error:
        _complain(str(error))
        return error.exit_code
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _complain(f"{where}{error.strerror or error}. Check free space and permissions, then run again.")
        return 2
    except MemoryError:
        _complain(
            "memory ran out. Run it with --jobs 1 (each process takes memory of its own), or where there is more of it."
        )
        return 2
    except Exception as error:  # the last net: a defect of row3 is told as one, without a traceback
        if _broken_by_ctrl_c(error):
            return _interrupted()
        if os.environ.get("ROW3_DEBUG"):
            raise
        _complain(
            f"row3 itself failed ({type(error).__name__}: {error}). This is a defect: please report it, with the "
            "traceback that ROW3_DEBUG=1 shows."
        )
        return 2


def _of_usage(error: click.UsageError) -> str:
    """What click says of a command line, in words for people, and where the help is that it lacks."""
    text = error.format_message()
    for theirs, ours in (("is not a valid float", "is no number"), ("is not a valid integer", "is no whole number")):
        text = text.replace(f"{theirs} range", ours).replace(theirs, ours)
    lacks = isinstance(error, click.MissingParameter) or text.startswith("Got unexpected extra argument")
    if not lacks or error.ctx is None:
        return text
    return f"{text.rstrip('.')}. See `{error.ctx.command_path} --help`."


def _interrupted() -> int:
    # Once is enough: a second Ctrl-C would cut the message short.
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a second one had cut off half-way has nothing to add ("Task exception was never retrieved").
    if (logging := sys.modules.get("logging")) is not None:
        logging.disable()
    warnings.simplefilter("ignore")
    _complain("interrupted; every answer that came is kept, and the same command goes on from there")
    return 130


def _broken_by_ctrl_c(error: BaseException | None) -> bool:
    """Whether an error came of Ctrl-C: where that strikes inside of a lock of the standard library, whoever leaves the
    lock next fails in its place ("release unlocked lock")."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _complain(text: str) -> None:
    tell(f"error: {text}")
