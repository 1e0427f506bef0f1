"""Click classes for commands and groups, and shared options as decorators; a command takes only those it lists."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator
from functools import partial, reduce
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from row3.cli.common import Common
from row3.cli.out_file import check_out
from row3.domain.requests import MOST_REPEATS
from row3.domain.words import nearest

MODES = ("replay", "live", "record", "auto")
Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]


class Option(click.Option):
    """An option with a value. Refuses repeats (unless `multiple`), empty values and values that look like options."""

    def __init__(self, *args: Any, multiple: bool = False, **attrs: Any) -> None:
        self.collects = multiple
        attrs["multiple"] = True  # click would silently take the last of two
        super().__init__(*args, **attrs)

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the value, None if none was given, or all of them; raises `UsageError`."""
        values = tuple(self._checked(each) for each in super().process_value(ctx, value) or ())
        if self.collects:
            return values
        if len(values) > 1:
            given = ", ".join(f"`{each}`" for each in values)
            raise click.UsageError(f"{self.opts[0]} is given {len(values)} times: {given}; leave out all but one")
        return values[0] if values else None

    def _checked(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        name, wanted = self.opts[0], self.metavar
        if value.startswith("--"):
            what = f"{name}: `{value}` looks like an option, so {wanted} seems to be missing"
            raise click.UsageError(f"{what}. Write {name} {wanted}")
        if not value.strip() and wanted not in ("REASON", "TEXT"):  # those have their own message
            raise click.UsageError(f"{name}: the value is empty. Write {name} {wanted}, or leave {name} out")
        if name == "--model" and value in ("MODEL", "NAME"):  # as in printed commands
            raise click.UsageError(f"{name}: `{value}` is a placeholder. Write the name of a model of the provider")
        try:  # arguments are UTF-8 in every locale
            return os.fsencode(value).decode("utf-8") if any("\ud800" <= char <= "\udfff" for char in value) else value
        except (UnicodeDecodeError, UnicodeEncodeError):
            raise click.UsageError(f"{name}: the value is not UTF-8") from None


class OutFile(Option):
    """--out of a command that writes one file; `Command` checks it before the command runs."""


class Amount(click.FloatRange):
    """A finite number in a range; click's own accepts `nan` and `inf`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; click reports a bad one."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


def option(*names: str, help: str, **attrs: Any) -> Callable[..., Decorator[Any]]:  # noqa: A002 - click's word
    """Return a function that makes a decorator for this option; its argument overrides the help text."""
    attrs = {"cls": click.Option if attrs.get("is_flag") else Option} | attrs
    return lambda text=help: click.option(*names, help=text, **attrs)


def combine(*decorators: Decorator[Any]) -> Decorator[Any]:
    """Combine options into one decorator; the help keeps their order."""
    return lambda function: reduce(lambda done, decorate: decorate(done), reversed(decorators), function)


suite = option("--suite", metavar="NAME", help="The suite; default: the project's only one, or row3.toml's.")
prompt = option(
    "--prompt",
    multiple=True,
    metavar="NAME-vX.Y",
    help="Use this version of a prompt in the pipeline; may be repeated.",
)
tier = option("--tier", type=click.Choice(["replay", "live"]), help="The tier; default: that of row3.toml's mode.")
mode = option("--mode", type=click.Choice(MODES), help="Where answers come from; default: row3.toml's, else auto.")
model = option("--model", metavar="NAME", help="The model; overrides row3.toml and the prompt.")
temperature = option(
    "--temperature", type=Amount(0, 2), metavar="T", help="The temperature; overrides row3.toml and the prompt."
)
seed = option("--seed", type=int, metavar="N", help="The seed sent to the provider.")
random_seed = option("--random-seed", type=int, metavar="N", help="Seed of row3's own random choice; default: 0.")
max_tokens = option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Token limit of an answer.")
parameter = option(
    "--set",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the model, such as reasoning_effort=low; overrides row3.toml and the prompt. May be repeated.",
)
repeats = option(
    "--repeats", type=click.IntRange(1, MOST_REPEATS), metavar="K", help="Ask every case K times and average."
)
jobs = option("--jobs", type=click.IntRange(1, 1024), metavar="N", help="Parallel requests; in replay, processes.")
executor = option(
    "--executor", type=click.Choice(["processes", "ray"]), help="Where cases are scored; ray: in a Ray cluster."
)
ray_address = option(
    "--ray-address", metavar="HOST:PORT", help="The head of the cluster; default: RAY_ADDRESS, else one of its own."
)
results = option("--results", metavar="URL", help="Where workers write the results of cases, in replay and score.")
shard = option("--shard", metavar="N/OF", help="Run only this part of the cases, such as 3/8; join them with merge.")
approve = option("--approve", metavar="REASON", help="Accept a block or a fall; recorded in history and changelog.")
policy = option(
    "--policy",
    type=click.Choice(["evidence", "fixed", "paired"]),
    help="Which drops beyond the limit block (`row3 docs gate`).",
)
inconclusive = option(
    "--inconclusive",
    type=click.Choice(["investigate", "block"]),
    help="Verdict of --policy paired when a regression is neither shown nor ruled out.",
)
fail = option("--fail", metavar="LIMITS", help="Limits per metric: overall:5,recall:3,hallucination:0.")
against = option(
    "--against",
    metavar="REF",
    help="Judge by the baseline, cases and thresholds at this git ref; REF... means where HEAD branched off.",
)
max_cost = option(
    "--max-cost", type=Amount(min=0, min_open=True), metavar="USD", help="Stop before spending more than this."
)
trust = option(
    "--trust", is_flag=True, help="Run code and contact addresses that the base does not have (`row3 docs ci`)."
)
resume = option(
    "--continue", "resume", is_flag=True, help="Live: ask only for the answers missing from an incomplete run."
)
all_suites = option("--all", "all_suites", is_flag=True, help="Run every suite.")
no_interleave = option(
    "--no-interleave", is_flag=True, help="With --compare, live: do not ask the baseline's prompts again."
)
batch = option("--batch", is_flag=True, help="Live: send requests as batches, within a day, at half the price.")
dry_run = option("--dry-run", is_flag=True, help="Show what a live run would send and cost, and send nothing.")


def choice(text: str = "Only cases whose id matches; may be repeated.") -> Decorator[Any]:
    """Options that choose cases: those that match one --case and have one --tag."""
    tag = option("--tag", multiple=True, metavar="TAG", help="Only cases with this tag; may be repeated.")
    return combine(option("--case", multiple=True, metavar="GLOB", help=text)(), tag())


def parameters() -> Decorator[Any]:
    """Options of a request, except the model."""
    return combine(temperature(), seed(), max_tokens(), parameter())


def run_options(*, without: Collection[str] = (), **described: str) -> Decorator[Any]:
    """Options of a run, except `without`; `described` overrides help texts by name."""
    run = {"suite": suite, "prompt": prompt, "case": choice, "mode": mode, "model": model, "temperature": temperature}
    run |= {"seed": seed, "max_tokens": max_tokens, "parameters": parameter, "repeats": repeats, "jobs": jobs}
    run |= {"trust": trust, "resume": resume}
    return combine(
        *(make(described[name]) if name in described else make() for name, make in run.items() if name not in without)
    )


def executors() -> Decorator[Any]:
    """Options that choose where cases are scored."""
    return combine(executor(), ray_address())


def gate_options() -> Decorator[Any]:
    """Options of the gate."""
    return combine(policy(), inconclusive(), fail())


def output_options(
    *forms: str,
    form: str = "Format of the result; default: table.",
    out: str = "Write the result to this file instead of stdout.",
) -> Decorator[Any]:
    """--out and, for several forms (the first is the default), --format; `form` and `out` are their help texts."""
    file = option("--out", cls=OutFile, metavar="FILE", help=out)
    chosen = option("--format", type=click.Choice(forms), help=form)
    return combine(*([chosen()] if forms else []), file())


SAME_ANSWERS = frozenset(
    (
        *(
            "suite",
            "jobs",
            "executor",
            "ray_address",
            "format",
            "out",
            "directory",
            "approve",
            "trust",
            "policy",
            "inconclusive",
            "fail",
        ),
        *("verbose", "quiet", "no_color", "resume", "max_cost", "make_commit", "confirm", "adaptive", "batch"),
    )
)
"""Options that select no answers: a run continues one of the same command, whatever these are."""

COMMON_OPTIONS = (
    Option(["-C", "directory"], metavar="DIR", help="The project's folder; default: this one or a parent."),
    click.Option(["-v", "--verbose"], count=True, help="Show more: all cases, what they missed, the whole diff."),
    click.Option(["-q", "--quiet"], is_flag=True, help="No notes, no progress."),
    click.Option(["--no-color"], is_flag=True, help="No colour (or set NO_COLOR)."),
)
MISTAKEN_FOR_COMMANDS = ("baseline", "compare")
"""Options of `row3` that users type as commands."""


class Command(click.Command):
    """A command with -C, -v, -q and --no-color; its function gets the shared options as `common`."""

    def __init__(self, *args: Any, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.params += COMMON_OPTIONS

    def invoke(self, ctx: click.Context) -> Any:
        """Call the function unless a subcommand follows; raises `UsageError` if --out is unusable."""
        if ctx.invoked_subcommand is not None:
            return None
        typed = sorted((name, str(value)) for name, value in ctx.params.items() if name not in SAME_ANSWERS)
        shared = {name: ctx.params.pop(name) for name in Common.__slots__ if name in ctx.params}
        command, asks = f"{ctx.command_path} {typed}", "mode" not in shared
        ctx.params["common"] = common = Common(**shared, base=ctx.params.get("against"), command=command, asks=asks)
        for each in self.params:
            if isinstance(each, OutFile):
                check_out(common, self.forms)
        return common.ended(partial(super().invoke, ctx))

    @property
    def forms(self) -> tuple[str, ...]:
        """Formats of the result, the default first."""
        choices = (each.type for each in self.params if each.name == "format")
        return next((tuple(each.choices) for each in choices if isinstance(each, click.Choice)), ("table",))


class Group(click.Group, Command):
    """Passes options before a subcommand's name on to it; suggests names for unknown subcommands."""

    command_class = Command
    described = 1_000
    """How many commands the help describes; the others are only named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; a group without any shows its help on stderr."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand and its arguments; raises `UsageError` for an unknown one."""
        name, command, rest = args[0], self.get_command(ctx, args[0]), args[1:]
        if command is None:
            words = {each: each for each in self.list_commands(ctx)}
            if ctx.parent is None:
                words |= {each: f"--{each}" for each in MISTAKEN_FOR_COMMANDS}
            near = nearest(name, words)
            hint = f"Did you mean `{words[near]}`?" if near else f"See `{ctx.command_path} --help`."
            raise click.UsageError(f"there is no command `{name}`. {hint}")
        below = isinstance(command, click.Group) and rest and rest[0] in command.commands
        at = 1 if below else 0
        return name, command, [*rest[:at], *given_options(ctx), *rest[at:]]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Describe the first commands by the first sentence of their help, and name the others."""
        first, others = (names := self.list_commands(ctx))[: self.described], names[self.described :]
        commands = [(name, self.get_command(ctx, name)) for name in first]
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(limit=1000)) for name, each in commands if each])
        if others:
            with formatter.section("More commands"):
                formatter.write_text(", ".join(others))


def given_options(ctx: click.Context) -> Iterator[str]:
    """Yield the options given on the command line, ready to be parsed again."""
    for each in ctx.command.params:
        if not isinstance(each, click.Option) or ctx.get_parameter_source(each.name) != ParameterSource.COMMANDLINE:
            continue
        value = ctx.params[each.name]
        if each.is_flag or each.count:
            yield from [each.opts[0]] * int(value)
        else:
            for one in value if isinstance(value, tuple) else (value,):
                yield from (each.opts[0], str(one))
