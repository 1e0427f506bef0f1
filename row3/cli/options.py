"""Shared options as decorators; a command takes only those it lists."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection
from functools import reduce
from typing import Any, TypeVar

import click

from row3.domain.requests import MOST_REPEATS

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
