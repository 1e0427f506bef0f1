"""The options that commands share."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from row3.domain.quick_dataclass import dataclass

if TYPE_CHECKING:
    from row3.reports.style import Style
    from row3.store.project import Project
    from row3.workflows.run_suite import RunOptions
    from row3.workflows.session import Session

FORMATS = ("table", "json", "markdown", "junit", "github", "codequality", "comment")
CI_FORMATS = ("junit", "github", "codequality", "comment")
"""For machines that judge a change: a run in one of these writes no tracked file."""
MODES = ("replay", "live", "record", "auto")
NARROWEST = 60
"""Columns below which lines are left to the terminal."""
Command = TypeVar("Command", bound=Callable[..., Any])


class Amount(click.FloatRange):
    """A number in a range; `nan`, which every range lets through, and `inf` are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; click tells what is wrong with it."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


@dataclass(frozen=True, slots=True)
class Common:
    """What the shared options say; None where nothing was said."""

    suite: str | None = None
    prompt: tuple[str, ...] = ()
    case: str | None = None
    mode: str | None = None
    model: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    repeats: int | None = None
    jobs: int | None = None
    format: str | None = None
    out: str | None = None
    directory: str | None = None
    approve: str | None = None
    policy: Literal["fixed", "paired"] | None = None
    inconclusive: Literal["investigate", "block"] | None = None
    fail: str | None = None
    verbose: int = 0
    quiet: bool = False
    no_color: bool = False

    @property
    def start(self) -> Path:
        """The folder to look for the project from."""
        return Path(self.directory or ".")

    @property
    def colour(self) -> bool:
        """Colour on stdout: a terminal that wants it, and no file asked for."""
        if self.no_color or os.environ.get("NO_COLOR"):
            return False
        return self.on_terminal and os.environ.get("TERM") != "dumb"

    @property
    def on_terminal(self) -> bool:
        """The result goes to a person's screen, not to a file or a pipe."""
        return self.out is None and sys.stdout.isatty()

    @property
    def width(self) -> int:
        """Columns for the result: the terminal's; in a file or a pipe always the same."""
        from row3.reports.style import WIDTH

        return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns) if self.on_terminal else WIDTH

    @property
    def style(self) -> Style:
        """Colour and width of the result."""
        from row3.reports.style import Style

        return Style(self.colour, self.width)

    @property
    def may_write(self) -> bool:
        """Whether tracked files may be written: not in CI and not for its formats."""
        in_ci = os.environ.get("CI", "").strip().lower() not in ("", "0", "false", "no")
        return not in_ci and self.format not in CI_FORMATS

    def run_options(self, **rest: Any) -> RunOptions:
        """The options of a run."""
        from row3.workflows.evaluate import Overrides
        from row3.workflows.run_suite import RunOptions

        return RunOptions(
            mode=self.mode,  # type: ignore[arg-type]
            overrides=Overrides(self.model, self.temperature, self.seed, self.max_tokens),
            repeats=1 if self.repeats is None else self.repeats,
            jobs=self.jobs,
            case=self.case,
            explain=self.format in ("json", "junit", "github", "codequality"),
            **rest,
        )

    @property
    def as_json(self) -> bool:
        """Whether a result that is a table or JSON is wanted as JSON; raises `UsageError` for another form."""
        return self.form("table", "json") == "json"

    def form(self, *known: str) -> str:
        """Which of the forms that a command has is wanted, the first by default; raises `UsageError` for another."""
        from row3.errors import UsageError

        if self.format is not None and self.format not in known:
            fix = f"Use {', '.join(known[:-1])} or {known[-1]}"
            raise UsageError("this command has no such form", where=f"--format {self.format}", fix=fix)
        return self.format or known[0]

    def check_out(self) -> None:
        """Raise `UsageError` where --out names a place that cannot be written, before anything is done."""
        from row3.errors import UsageError

        if self.out is None:
            return
        if self.format is None and self.out.lower().endswith((".html", ".htm")):
            raise UsageError(
                "only a report can be a page", where=f"--out {self.out}", fix=f"Use `row3 report --out {self.out}`"
            )
        target = Path(self.out)
        if target.is_dir() or not target.parent.is_dir() or not os.access(target.parent, os.W_OK):
            raise UsageError(
                "no file can be written there", where=f"--out {self.out}", fix="Name a file in a folder that is there"
            )
        if target.is_file() and self._is_of_the_project(target.resolve()):
            raise UsageError(
                "this is a file of the project, and would be lost", where=f"--out {self.out}", fix="Name another file"
            )

    def check_folder(self, folder: Path) -> None:
        """Raise `UsageError` where --out names a folder for pages that holds files of the project, or none can."""
        from row3.errors import UsageError

        if self._is_of_the_project(folder.resolve()):
            raise UsageError("this folder is the project's", where=f"--out {self.out}", fix="Name another one")
        if not os.access(folder if folder.is_dir() else folder.parent, os.W_OK):
            raise UsageError("no file can be written there", where=f"--out {self.out}", fix="Name another folder")

    def _is_of_the_project(self, target: Path) -> bool:
        """Whether runs are made of this file, or judged by it."""
        from row3.errors import Row3Error
        from row3.store.project import find_root

        try:
            parts = target.relative_to(find_root(self.start)).parts
        except (Row3Error, ValueError):
            return False
        folders = ("golden", "prompts", "recordings", "baselines")
        return bool(parts) and parts[0] in (*folders, "row3.toml", "metrics-history.json", "CHANGELOG.md")

    def say(self, text: str) -> None:
        """A note for the person at the terminal, who may have asked for quiet."""
        from row3.cli.output import note

        if not self.quiet:
            note(text)

    def project(self) -> Project:
        """The project, with nothing half-done left in it, for a command that runs nothing."""
        from row3.store.locks import finish_interrupted, tell_interrupted
        from row3.store.project import open_project

        project = open_project(self.start)
        if self.may_write:
            finish_interrupted(project.local, say=self.say)
        else:
            tell_interrupted(project.local, say=self.say)
        return project

    def session(self, **rest: Any) -> Session:
        """The project opened for a command that runs cases."""
        self.check_out()
        from row3.cli.progress import make_observer
        from row3.workflows.session import GateFlags, open_session

        return open_session(
            self.start,
            self.suite,
            self.run_options(**rest),
            named=self.prompt,
            may_write=self.may_write,
            say=self.say,
            observer=make_observer(quiet=self.quiet),
            gate=GateFlags(self.policy, self.inconclusive, self.fail),
        )


_OPTIONS = (
    click.option("--suite", metavar="NAME", help="The suite; default: the project's only one, or row3.toml's."),
    click.option("--prompt", multiple=True, metavar="NAME-vX.Y", help="Run this version in its place in the pipeline."),
    click.option("--case", metavar="GLOB", help="Only the cases whose id fits."),
    click.option("--mode", type=click.Choice(MODES), help="Where answers come from; default: row3.toml's, else auto."),
    click.option("--model", metavar="NAME", help="The model, before row3.toml and the prompt."),
    click.option("--temperature", type=Amount(0, 2), help="Before row3.toml and the prompt."),
    click.option("--seed", type=int, help="The provider's seed."),
    click.option("--max-tokens", type=click.IntRange(min=1), help="Limit of tokens a request may write."),
    click.option("--repeats", type=click.IntRange(1, 100), metavar="K", help="Ask every case K times and average."),
    click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Requests at once; in replay: processes."),
    click.option("--format", type=click.Choice(FORMATS), help="Form of the result; default: table."),
    click.option("--out", metavar="FILE", help="Write the result there instead of stdout."),
    click.option("-C", "directory", metavar="DIR", help="The project's folder; default: here or above."),
    click.option("--approve", metavar="REASON", help="Let a blocked comparison proceed; written to the history."),
    click.option(
        "--policy",
        type=click.Choice(["fixed", "paired"]),
        help="How the gate treats noise: by the means, or by what their paired interval shows.",
    ),
    click.option(
        "--inconclusive",
        type=click.Choice(["investigate", "block"]),
        help="What --policy paired says where a regression is neither shown nor ruled out.",
    ),
    click.option("--fail", metavar="LIMITS", help="Limits of single metrics: overall:5,recall:3,hallucination:0."),
    click.option("-v", "--verbose", count=True, help="More: all cases, what they missed, the whole diff."),
    click.option("-q", "--quiet", is_flag=True, help="No notes and no progress."),
    click.option("--no-color", is_flag=True, help="No colour; NO_COLOR does the same."),
)


def common_options(function: Command) -> Command:
    """Add the shared options; the command gets them as one `common`.

    An option given before the command's name holds where it is not given again after it.
    """
    names = list(Common.__slots__)

    @wraps(function)
    def with_common(*args: Any, **values: Any) -> Any:
        own = {name: _as_utf8(name, values.pop(name)) for name in names if name in values}
        context = click.get_current_context()
        parent = context.parent.obj if context.parent is not None else None
        return function(*args, common=merged(parent, own), **values)

    wrapped: Any = with_common
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


def allow_format(command: click.Command, name: str) -> None:
    """Let one command write a form of its own beside the shared ones."""
    option = next(parameter for parameter in command.params if parameter.name == "format")
    option.type = click.Choice((*FORMATS, name))


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
