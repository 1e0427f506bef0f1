"""Options that commands share, as decorators: a command lists those it takes, and click refuses all others."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import reduce
from typing import Any, TypeVar

import click

from row3.domain.requests import MOST_REPEATS

FORMATS = ("table", "json", "markdown", "junit", "github", "codequality")
"""Forms of a run or a comparison; `row3 report` also has `comment` and `html`."""
MODES = ("replay", "live", "record", "auto")
PLACEHOLDERS = {"--model": ("MODEL", "NAME")}
"""What a printed command shows in the place of a value that only the user knows."""
Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]


class Option(click.Option):
    """An option with a value: given once unless it collects several, never empty and never another option's name."""

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
            what = f"{name}: `{value}` begins like an option, so the {wanted} seems to be missing"
            raise click.UsageError(f"{what}. Write {name} {wanted}")
        if not value.strip() and wanted not in ("REASON", "TEXT"):  # those have a message of their own
            raise click.UsageError(f"{name}: the value is empty. Write {name} {wanted}, or leave {name} out")
        if value in PLACEHOLDERS.get(name, ()):
            what = f"{name}: `{value}` stands for the name of a model"
            raise click.UsageError(f"{what}. Write the model's own name in its place, as the provider knows it")
        try:  # whatever the locale, arguments are UTF-8
            return os.fsencode(value).decode("utf-8") if any("\ud800" <= char <= "\udfff" for char in value) else value
        except (UnicodeDecodeError, UnicodeEncodeError):
            raise click.UsageError(f"{name}: the value is not UTF-8") from None


class OutFile(Option):
    """--out of a command that writes one file; `Command` checks it before anything is done."""


class Amount(click.FloatRange):
    """A finite number in a range; click's own accepts `nan` and `inf`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; click reports what is wrong with it."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


def option(*names: str, help: str, **attrs: Any) -> Callable[..., Decorator[Any]]:  # noqa: A002 - click's word
    """Return what makes a decorator for this option; a command may describe the option in its own words."""
    attrs = {"cls": click.Option if attrs.get("is_flag") else Option} | attrs
    return lambda text=help: click.option(*names, help=text, **attrs)


def together(*decorators: Decorator[Any]) -> Decorator[Any]:
    """Return one decorator for several options, which the help lists in this order."""
    return lambda function: reduce(lambda done, decorate: decorate(done), reversed(decorators), function)


suite = option("--suite", metavar="NAME", help="The suite; default: the project's only one, or row3.toml's.")
prompt = option(
    "--prompt", multiple=True, metavar="NAME-vX.Y", help="This version of a prompt, in its place in the pipeline."
)
mode = option("--mode", type=click.Choice(MODES), help="Where answers come from; default: row3.toml's, else auto.")
model = option("--model", metavar="NAME", help="The model, whatever row3.toml and the prompt say.")
temperature = option(
    "--temperature", type=Amount(0, 2), metavar="T", help="The temperature, whatever row3.toml and the prompt say."
)
seed = option("--seed", type=int, metavar="N", help="The provider's seed.")
max_tokens = option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Most tokens an answer may have.")
repeats = option(
    "--repeats", type=click.IntRange(1, MOST_REPEATS), metavar="K", help="Ask every case K times and average."
)
jobs = option("--jobs", type=click.IntRange(1, 1024), metavar="N", help="Requests at once; in replay: processes.")
approve = option(
    "--approve", metavar="REASON", help="Let a blocked comparison proceed; written to history and changelog."
)
policy = option(
    "--policy",
    type=click.Choice(["evidence", "fixed", "paired"]),
    help="What a drop beyond the limit has to show before it blocks.",
)
inconclusive = option(
    "--inconclusive",
    type=click.Choice(["investigate", "block"]),
    help="The verdict of --policy paired if a regression is neither shown nor ruled out.",
)
fail = option("--fail", metavar="LIMITS", help="Limits of single metrics: overall:5,recall:3,hallucination:0.")
against = option(
    "--against",
    metavar="REF",
    help="Judge by the baseline, cases and thresholds of this git ref; REF... is where HEAD left it.",
)
max_cost = option(
    "--max-cost", type=Amount(min=0, min_open=True), metavar="USD", help="Stop before more than this is spent."
)
trust = option(
    "--trust", is_flag=True, help="Run code and ask addresses that the base of the change does not have (docs/ci.md)."
)
all_suites = option("--all", "all_suites", is_flag=True, help="Every suite, one after the other.")
no_interleave = option(
    "--no-interleave", is_flag=True, help="With --compare, live: do not ask the baseline's prompts again."
)
dry_run = option("--dry-run", is_flag=True, help="Show what a live run would send and cost; send nothing.")


def choice(text: str = "Only cases whose id fits; may be repeated.") -> Decorator[Any]:
    """Options that choose cases: those that fit one --case and have one --tag."""
    tag = option("--tag", multiple=True, metavar="TAG", help="Only cases with this tag; may be repeated.")
    return together(option("--case", multiple=True, metavar="GLOB", help=text)(), tag())


def parameters() -> Decorator[Any]:
    """Options of a request, but for the model."""
    return together(temperature(), seed(), max_tokens())


def run_options(*, without: str = "", **described: str) -> Decorator[Any]:
    """Options of a run, but one; `described` gives some of them another help text."""
    run = {"suite": suite, "prompt": prompt, "case": choice, "mode": mode, "model": model, "temperature": temperature}
    run |= {"seed": seed, "max_tokens": max_tokens, "repeats": repeats, "jobs": jobs, "trust": trust}
    return together(
        *(make(described[name]) if name in described else make() for name, make in run.items() if name != without)
    )


def gate_options() -> Decorator[Any]:
    """Options of the gate."""
    return together(policy(), inconclusive(), fail())


def output_options(
    *forms: str,
    form: str = "Form of the result; default: table.",
    out: str = "Write the result there instead of stdout.",
) -> Decorator[Any]:
    """--out and, for several forms (the first is the default), --format; `form` and `out` are their help texts."""
    file = option("--out", cls=OutFile, metavar="FILE", help=out)
    chosen = option("--format", type=click.Choice(forms), help=form)
    return together(*([chosen()] if forms else []), file())
