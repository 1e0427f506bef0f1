"""What the shared options say, and what follows from it for every command."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from row3.gate.policy import PolicyName
    from row3.reports.style import Style
    from row3.store.config import Mode
    from row3.store.project import Project
    from row3.store.suites import Suite
    from row3.workflows.pipeline.run_suite import RunOptions
    from row3.workflows.session import Session

CI_FORMATS = ("junit", "github", "codequality", "comment")
"""For machines that judge a change: a run in one of these writes no tracked file."""


@dataclass(frozen=True, slots=True)
class Common:
    """What the shared options say; None where nothing was said."""

    suite: str | None = None
    prompt: tuple[str, ...] = ()
    case: str | None = None
    mode: Mode | None = None
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
    policy: PolicyName | None = None
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
        from row3.cli.output import columns
        from row3.reports.style import WIDTH

        return columns(sys.stdout) if self.on_terminal else WIDTH

    def fitted(self, text: str) -> str:
        """Sentences wrapped for a person; one line each for a program."""
        from row3.reports.style import prose

        return "\n".join(prose(text, self.width)) if self.on_terminal else text

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

    @property
    def told_directory(self) -> str:
        """The folder that commands are to be given where they are typed; a file, or CI, is read elsewhere."""
        return self.directory or "" if self.may_write and self.out is None else ""

    def told(self, suite: Suite) -> Suite:
        """The suite, which knows what the command line said, for a command that has no session."""
        from row3.workflows.flags import given_by

        given = given_by(self.run_options(), self.prompt, directory=self.told_directory)
        return replace(suite, given=given)

    def run_options(self, **rest: Any) -> RunOptions:
        """The options of a run."""
        from row3.workflows.pipeline.run_suite import RunOptions
        from row3.workflows.pipeline.stages import Overrides

        return RunOptions(
            mode=self.mode,
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
        from row3.cli.progress import make_observer
        from row3.workflows.flags import GateFlags
        from row3.workflows.session import open_session

        return open_session(
            self.start,
            self.suite,
            self.run_options(**rest),
            named=self.prompt,
            may_write=self.may_write,
            say=self.say,
            observer=make_observer(quiet=self.quiet),
            gate=GateFlags(self.policy, self.inconclusive, self.fail),
            directory=self.told_directory,
        )
