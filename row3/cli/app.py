"""The entry point: the list of commands, and the only place that prints errors."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import warnings
from keyword import iskeyword
from typing import Any, NoReturn

import click

from row3.cli import options
from row3.cli.common import Common
from row3.cli.formats import RUN_FORMATS
from row3.cli.output import make_streams_safe, tell
from row3.domain.requests import MOST_CONFIRMING
from row3.domain.words import nearest
from row3.errors import Row3Error

COMMANDS = (
    "init", "lint", "new-version", "investigate", "promote", "hook", "import", "optimize", "score", "merge", "diff",
    "leaderboard", "aliases", "judge", "power", "drift", "flaky", "lessons", "cases", "history", "trend",
    "recordings", "monitor", "review", "langfuse", "experiment", "report", "comment", "export", "schema", "docs",
)  # fmt: skip
"""In the order of the help. A command is `command` in `row3.cli.<name>`, or is in a module of `SHARED`."""
SHARED = {
    **dict.fromkeys(("init", "lint", "new-version", "schema", "docs"), "project"),
    **dict.fromkeys(("power", "cases", "flaky", "lessons", "trend"), "over_time"),
    **dict.fromkeys(("score", "merge", "diff", "leaderboard", "investigate"), "inspection"),
    **dict.fromkeys(("langfuse", "experiment", "export"), "langfuse"),
    **dict.fromkeys(("monitor", "review"), "monitor"),
    "optimize": "promote",
    "drift": "recordings",
    "comment": "report",
}
"""Module by command."""


class Program(options.Group):
    """`row3`: imports commands on demand; the help describes the first six."""

    described = 6

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_") + ("_" if iskeyword(cmd_name) else "")
        module = importlib.import_module(f"row3.cli.{SHARED.get(cmd_name, name)}")
        command = getattr(module, name if cmd_name in SHARED else "command")
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Program, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--baseline", is_flag=True, help="Run the promoted prompts and save the run as the baseline.")
@click.option("--compare", is_flag=True, help="Compare with the baseline; exit 1 on a regression.")
@options.all_suites("Run every suite; the exit code is the worst one.")
@options.against()
@options.dry_run()
@options.option("--only", type=click.Choice(["failing", "changed"]), help="Run part of the cases, without a verdict.")()
@options.option(
    "--confirm",
    type=click.IntRange(0, MOST_CONFIRMING),
    metavar="N",
    help="With --compare: ask up to N more answers a case and side before a fall that may be noise blocks; 0: none.",
)()
@click.option("--adaptive", is_flag=True, help="The same as --confirm 8.")
@options.max_cost()
@options.no_interleave()
@options.batch()
@options.run_options()
@options.executors()
@options.results()
@options.shard()
@options.gate_options()
@options.approve()
@options.output_options(*RUN_FORMATS)
@click.version_option(package_name="row3", message="row3 %(version)s")
def main(common: Common, **flags: Any) -> int:
    """Run the suite's candidates and print the scorecard.

    \b
    row3 init              create a project here
    row3 --baseline        before edits: save the promoted prompts' run
    row3 --compare         after edits: exit 1 on a regression
    row3 promote v1.1      gate, lock, baseline, changelog, history, charts
    row3 hook install      git blocks the merge

    `row3 COMMAND --help` describes a command.

    Exit codes: 0 proceed or investigate, 1 blocked, 2 usage or invalid file, 3 run incomplete, 130 interrupted.
    """
    from row3.cli.run import Flags, run_default

    return run_default(common, Flags(**flags))


def run() -> NoReturn:
    """Run the command line; every error is one message on stderr, never a traceback."""
    make_streams_safe()
    sys.exit(_run_and_report())


def _run_and_report() -> int:
    try:
        code = main(prog_name="row3", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except click.ClickException as error:
        return _print_error(_usage_text(error))
    except Row3Error as error:
        return _print_error(str(error), error.exit_code)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _print_error(f"{where}{error.strerror or error}. Check free space and permissions, then run again.")
    except MemoryError:
        return _print_error("out of memory. Use --jobs 1, as each process needs its own, or a larger machine.")
    except Exception as error:  # a bug in row3, or Ctrl-C in disguise
        if _caused_by_ctrl_c(error):
            return _interrupted()
        if os.environ.get("ROW3_DEBUG"):
            raise
        what = f"internal error in row3 ({type(error).__name__}: {error})"
        return _print_error(f"{what}. Please report it with the traceback that ROW3_DEBUG=1 shows.")


def _print_error(text: str, code: int = 2) -> int:
    tell(f"error: {text}")
    return code


def _usage_text(error: click.ClickException) -> str:
    """Return click's message in plain words, with a pointer to --help for unknown options and arguments."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption) and context is not None:
        path, known = context.command_path, _known(context)
        near = nearest(error.option_name, known, 0.75)
        hint = f" Did you mean `{known[near]}`?" if near else ""
        return f"`{path}` has no option `{error.option_name}`.{hint} See `{path} --help`."
    text = error.format_message()
    for jargon, plain in (
        ("is not a valid float", "is not a number"),
        ("is not a valid integer", "is not a whole number"),
    ):
        text = text.replace(f"{jargon} range", plain).replace(jargon, plain)
    misread = isinstance(error, click.MissingParameter) or text.startswith("Got unexpected extra")
    return f"{text.rstrip('.')}. See `{context.command_path} --help`." if misread and context else text


def _known(context: click.Context) -> dict[str, str]:
    """Return what an unknown option may stand for, by spelling: an option, an option's value, or an argument."""
    known: dict[str, str] = {}
    values: dict[str, str] = {}
    for each in context.command.params:
        if isinstance(each, click.Argument):
            name = each.make_metavar(context).strip("[].")
            values[f"--{name.lower()}"] = f"{context.command_path} {name}"
        else:
            known |= {name: name for name in each.opts}
            choices = each.type.choices if isinstance(each.type, click.Choice) else ()
            values |= {f"--{value}": f"{each.opts[0]} {value}" for value in choices}
    return values | known


def _interrupted() -> int:
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would cut the message short
    # Silences "Task exception was never retrieved" after a second Ctrl-C.
    if (logging := sys.modules.get("logging")) is not None:
        logging.disable()
    warnings.simplefilter("ignore")
    return _print_error("interrupted; all answers so far are saved. Run the same command to continue", 130)


def _caused_by_ctrl_c(error: BaseException | None) -> bool:
    """Return whether Ctrl-C caused an error, as inside a lock, where it becomes "release unlocked lock"."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
