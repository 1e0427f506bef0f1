"""The options that commands share."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

import click

from row3.cli.common import CI_FORMATS, Common
from row3.cli.once import once
from row3.cli.out_file import check_out
from row3.cli.takes import FORMATS, HTML, TAKES, Takes, check_taken
from row3.domain.limits import MOST_REPEATS

__all__ = ["CI_FORMATS", "FORMATS", "Amount", "Common", "common_options", "takes_a_value"]

MODES = ("replay", "live", "record", "auto")
Command = TypeVar("Command", bound=Callable[..., Any])


class Amount(click.FloatRange):
    """A number in a range; `nan`, which every range lets through, and `inf` are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; click tells what is wrong with it."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class Form(click.Choice[str]):
    """The forms of a command's result; one that only others have is told by `check_taken`, wherever it stood."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The form; click tells what is wrong with it."""
        return value if value in (*FORMATS, HTML) else super().convert(value, param, ctx)


REASONS = ("REASON", "TEXT")
"""Values that are told to be empty with what is to be written."""


def takes_a_value(_: click.Context, option: click.Parameter, value: Any) -> Any:
    """The value, unless it is the next option, which was swallowed, or empty; raises `UsageError`."""
    name, wanted = option.opts[0], option.metavar
    for text in value if isinstance(value, tuple) else (value,):
        if isinstance(text, str) and text.startswith("--"):
            raise click.UsageError(
                f"{name}: `{text}` begins like an option, so the {wanted} seems to be missing. Write {name} {wanted}"
            )
        if isinstance(text, str) and not text.strip() and wanted not in REASONS:
            raise click.UsageError(f"{name}: the value is empty. Write {name} {wanted}, or leave {name} out")
    return value


def names_a_model(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """The value, unless it is what printed commands have in the place of a model's name; raises `UsageError`."""
    placeholder = next((text for text in value or () if text in ("MODEL", "NAME")), None)
    if placeholder is not None:
        what = f"{option.opts[0]}: `{placeholder}` stands for the name of a model"
        raise click.UsageError(f"{what}. Write the model's own name in its place, as the provider knows it")
    return takes_a_value(context, option, value)


_OPTIONS = (
    once(
        "--suite",
        callback=takes_a_value,
        metavar="NAME",
        help="The suite; default: the project's only one, or row3.toml's.",
    ),
    click.option(
        "--prompt",
        callback=takes_a_value,
        multiple=True,
        metavar="NAME-vX.Y",
        help="This version of a prompt, in its place in the pipeline.",
    ),
    once("--case", callback=takes_a_value, metavar="GLOB", help="Only the cases whose id fits."),
    once("--mode", type=click.Choice(MODES), help="Where answers come from; default: row3.toml's, else auto."),
    once("--model", callback=names_a_model, metavar="NAME", help="The model, whatever row3.toml and the prompt say."),
    once(
        "--temperature", type=Amount(0, 2), metavar="T", help="The temperature, whatever row3.toml and the prompt say."
    ),
    once("--seed", type=int, metavar="N", help="The provider's seed."),
    once("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Limit of tokens a request may write."),
    once("--repeats", type=click.IntRange(1, MOST_REPEATS), metavar="K", help="Ask every case K times and average."),
    once("--jobs", type=click.IntRange(1, 256), metavar="N", help="Requests at once; in replay: processes."),
    once("--format", type=Form(FORMATS), help="Form of the result; default: table."),
    once("--out", callback=takes_a_value, metavar="FILE", help="Write the result there instead of stdout."),
    once(
        "-C", "directory", callback=takes_a_value, metavar="DIR", help="The project's folder; default: here or above."
    ),
    once(
        "--approve",
        callback=takes_a_value,
        metavar="REASON",
        help="Let a blocked comparison proceed; written to the history.",
    ),
    once(
        "--policy",
        type=click.Choice(["evidence", "fixed", "paired"]),
        help="What a drop beyond the limit has to show before it blocks.",
    ),
    once(
        "--inconclusive",
        type=click.Choice(["investigate", "block"]),
        help="What --policy paired says where a regression is neither shown nor ruled out.",
    ),
    once(
        "--fail",
        callback=takes_a_value,
        metavar="LIMITS",
        help="Limits of single metrics: overall:5,recall:3,hallucination:0.",
    ),
    click.option("-v", "--verbose", count=True, help="More: all cases, what they missed, the whole diff."),
    click.option("-q", "--quiet", is_flag=True, help="No notes and no progress."),
    click.option("--no-color", is_flag=True, help="No colour; NO_COLOR does the same."),
)


def common_options(name: str) -> Callable[[Command], Command]:
    """Add the shared options to the command that these words call; it gets them as one `common`.

    Its help shows those that it takes. An option given before the command's name holds where it is not given again
    after it. What does nothing for the command is refused, and so is a file that is not for row3 to write over.
    """
    takes, names = TAKES[name], list(Common.__slots__)

    def decorate(function: Command) -> Command:
        @wraps(function)
        def with_common(*args: Any, **values: Any) -> Any:
            own = {name: _as_utf8(name, values.pop(name)) for name in names if name in values}
            context = click.get_current_context()
            parent = context.parent.obj if context.parent is not None else None
            common = merged(parent, own)
            if context.invoked_subcommand is None:
                check_taken(name, common)
                if takes.out == "file":
                    check_out(common, takes)
            return function(*args, common=common, **values)

        wrapped: Any = with_common
        for option in reversed(_OPTIONS):
            wrapped = option(wrapped)
        for option in wrapped.__click_params__:
            _fit(option, takes)
        command: Command = wrapped
        return command

    return decorate


def _fit(option: click.Option, takes: Takes) -> None:
    """Hide an option that the command does not take, and show the forms of its result."""
    if option.name in Common.__slots__:
        option.hidden = option.name not in takes.all
        option.help = takes.words.get(option.name, option.help)
    if option.name == "format" and takes.forms:
        option.type = Form(takes.forms)
    if option.name == "out" and takes.out == "folder":
        option.metavar = "FOLDER"


def _as_utf8(name: str, value: Any) -> Any:
    """Arguments as UTF-8 whatever the locale; bytes that are none are refused before they break something deeper."""
    if isinstance(value, tuple):
        return tuple(_as_utf8(name, text) for text in value)
    if not isinstance(value, str) or not any("\ud800" <= char <= "\udfff" for char in value):
        return value
    try:
        return os.fsencode(value).decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        raise click.UsageError(f"--{name.replace('_', '-')}: the value is not UTF-8") from None


def merged(parent: object, own: Mapping[str, Any]) -> Common:
    """The command's own options over those that stand before its name."""
    given = {
        name: value
        for name, value in own.items()
        if value not in (None, (), False, 0) or (name == "seed" and value == 0)
    }
    if isinstance(own.get("temperature"), float):
        given["temperature"] = own["temperature"]
    return replace(parent if isinstance(parent, Common) else Common(), **given)
