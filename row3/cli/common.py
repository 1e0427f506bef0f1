"""Values of the shared options, and what commands derive from them."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from row3.cli import output
from row3.cli.formats import FORMS
from row3.domain.typed_options import is_set
from row3.errors import Row3Error, UsageError
from row3.reports.terminal import WIDTH, Style, prose

if TYPE_CHECKING:
    from row3.cli.progress import ProgressLine
    from row3.commands.code_guard import Guard
    from row3.domain.runs import Shard
    from row3.gate.policy import PolicyName
    from row3.project.config import Mode
    from row3.project.project import Project
    from row3.project.suites import Suite
    from row3.reports.document import Document
    from row3.running.run_options import RunOptions
    from row3.running.session import CommandOptions, LiveFlags, Session, State


@dataclass(frozen=True, slots=True)
class Common:
    """Values of the shared options; None if not given, or not an option of the command."""

    suite: str | None = None
    prompt: tuple[str, ...] = ()
    case: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    mode: Mode | None = None
    model: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    parameters: tuple[str, ...] = ()
    """Values of --set."""
    repeats: int | None = None
    jobs: int | None = None
    executor: Literal["processes", "ray"] | None = None
    ray_address: str | None = None
    results: str | None = None
    shard: str | None = None
    format: str | None = None
    out: str | None = None
    directory: str | None = None
    approve: str | None = None
    trust: bool = False
    base: str | None = None
    """Value of --against."""
    policy: PolicyName | None = None
    inconclusive: Literal["investigate", "block"] | None = None
    fail: str | None = None
    verbose: int = 0
    quiet: bool = False
    no_color: bool = False
    resume: bool = False
    command: str = ""
    """The command with the options that select answers, as typed."""
    asks: bool = False
    """Whether the command asks a provider in every mode."""
    states: list[State] = field(default_factory=list)
    """That of the command's runs, once there are any."""

    @property
    def start(self) -> Path:
        """Folder to look for the project from."""
        return Path(self.directory or ".")

    @property
    def on_terminal(self) -> bool:
        """Whether the result goes to a terminal, not to a file or a pipe."""
        return self.out is None and sys.stdout.isatty()

    @property
    def can_ask(self) -> bool:
        """Whether a person at a terminal can answer a question."""
        return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()

    @property
    def wants_colour(self) -> bool:
        """Whether neither option nor environment turns colour off."""
        return not (self.no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb")

    @property
    def width(self) -> int:
        """Columns of the result: the terminal's width; fixed in a file or pipe."""
        return output.columns(sys.stdout) if self.on_terminal else WIDTH

    @property
    def style(self) -> Style:
        """Colour and width of the result."""
        return Style(self.on_terminal and self.wants_colour, self.width, self.on_terminal)

    def fitted(self, text: str) -> str:
        """Return sentences wrapped on a terminal, unwrapped in a file or pipe."""
        return "\n".join(prose(text, self.width)) if self.on_terminal else text

    @property
    def as_json(self) -> bool:
        """Whether the result is wanted as JSON."""
        return self.format == "json"

    def show(self, result: str | Iterable[bytes]) -> None:
        """Write the result to stdout, or to the file of --out."""
        if self.format in ("json", "codequality"):
            from row3.domain.printable import visible_json

            result = visible_json(result)
        output.emit(result, self.out, commands=self.format == "github")

    def show_json(self, value: Any) -> None:
        """Write the result as JSON."""
        self.show(json.dumps(value, ensure_ascii=False, indent=1) + "\n")

    def show_report(self, document: Document | str, value: Any) -> None:
        """Write the result as a document or text, or as JSON if --format says so."""
        if self.as_json:
            self.show_json(value)
        elif isinstance(document, str):
            self.show(document)
        else:
            self.show_document(document)

    def show_document(self, document: Document) -> None:
        """Write the result as Markdown if --format says so, else for a terminal."""
        from row3.reports.markdown import markdown_text
        from row3.reports.terminal import terminal_text

        self.show(markdown_text(document) if self.format == "markdown" else terminal_text(document, self.style))

    def say(self, text: str) -> None:
        """Write a note to stderr, unless --quiet."""
        if not self.quiet:
            output.note(text)

    @property
    def may_write(self) -> bool:
        """Whether tracked files may be written: not in CI and not for its formats."""
        return not is_set(os.environ, "CI") and not FORMS[self.format or "table"].in_ci

    def check_may_write(self, command: str, fix: str, what: str = "tracked files") -> None:
        """Raise `UsageError` if tracked files may not be written."""
        if not self.may_write:
            raise UsageError(f"{what} are not written in CI", where=command, fix=fix)

    @property
    def guard(self) -> Guard | None:
        """Check for code that settings and cases name; None if all of it may run."""
        from row3.commands.code_guard import guard_of

        return guard_of(os.environ, against=self.base, trust=self.trust)

    @property
    def printed_directory(self) -> str:
        """Value of -C for printed commands; empty if they are read elsewhere, as in a file or in CI."""
        return self.directory or "" if self.may_write and self.out is None else ""

    def command_options(self, live: LiveFlags | None = None) -> CommandOptions:
        """Return how the command judges, asks and writes."""
        from row3.running.session import CommandOptions, GateFlags, LiveFlags

        gate = GateFlags(self.policy, self.inconclusive, self.fail)
        return CommandOptions(gate, live or LiveFlags(), self.may_write, self.printed_directory, self.command)

    def state(self, live: LiveFlags | None = None) -> State:
        """Return what the command's runs share; under options for asking a provider they end when it does."""
        from row3.running.session import State

        if not self.states:
            self.states.append(State(self.say, self.observer(), afterwards=None if live is None else []))
        return self.states[0]

    def observer(self) -> ProgressLine | None:
        """Return a progress line, or None with --quiet or if stderr cannot rewrite a line."""
        if self.quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            return None
        from row3.cli.progress import ProgressLine

        return ProgressLine()

    def chosen(self, project: Project, suite: Suite, how: Callable[[str], str] | None = None) -> frozenset[str] | None:
        """Return the case ids that --case and --tag choose, None for all; `how` formats a suite's option."""
        from row3.project.chosen_cases import BY_OPTION, choose_cases

        return choose_cases(project, suite, self.case, self.tag, how=how or BY_OPTION)

    def run_options(self, only: frozenset[str] | None = None) -> RunOptions:
        """Options of a run of all cases or of `only`."""
        from row3.project.model_parameters import parameters_typed
        from row3.running.run_options import RunOptions
        from row3.running.stages import Overrides

        extra = parameters_typed(self.parameters, where="--set")
        shard = self._shard()
        return RunOptions(
            mode=self.mode,
            named=self.prompt,
            overrides=Overrides(self.model, self.temperature, self.seed, self.max_tokens, extra),
            repeats=1 if self.repeats is None else self.repeats,
            jobs=self.jobs,
            ray=self.ray,
            only=only,
            resume=self.resume,
            explain=FORMS[self.format or "table"].explains or shard is not None,
            shard=shard,
            results=self.results,
        )

    @property
    def ray(self) -> str | None:
        """The address of the Ray cluster, as in `RunOptions`; raises `UsageError` for one without --executor ray."""
        if self.executor == "ray":
            return self.ray_address or ""
        if self.ray_address is not None:
            raise UsageError("only --executor ray has an address", where="--ray-address", fix="Add --executor ray")
        return None

    def _shard(self) -> Shard | None:
        if self.shard is None:
            return None
        from row3.domain.runs import parse_shard

        if (shard := parse_shard(self.shard)) is None:
            fix = "Write N/OF, such as 3/8, with N from 1 to OF"
            raise UsageError(f"`{self.shard}` is not a shard", where="--shard", fix=fix)
        if self.results is not None:
            what = "a shard has its results in one file"
            raise UsageError(what, where="--shard", fix="Leave out --results or --shard")
        if self.case or self.tag:
            what, fix = "a shard is a part of the whole suite", "Leave out --case and --tag, or --shard"
            raise UsageError(what, where="--shard", fix=fix)
        return shard

    def project(self) -> Project:
        """Open the project for a command that runs nothing, and finish an interrupted promotion."""
        from row3.project.project import open_project
        from row3.running.opening import note_unused_settings, prepare

        project = replace(open_project(self.start), guard=self.guard)
        prepare(project.root, may_write=self.may_write, say=self.say)
        note_unused_settings(project, self.say)
        return project

    def project_and_suite(self) -> tuple[Project, Suite]:
        """Open the project for a command that runs nothing; the suite knows the options for printed commands."""
        from row3.project.project import pick_suite
        from row3.running.session import CommandOptions, given_by

        project = self.project()
        given = given_by(self.run_options(), CommandOptions(directory=self.printed_directory))
        return project, replace(pick_suite(project, self.suite), given=given)

    def session(self, live: LiveFlags | None = None) -> Session:
        """Open the project for a command that runs cases."""
        from row3.running.session import open_session

        options, command, state = self.run_options(), self.command_options(live), self.state(live)
        session = open_session(
            self.start, self.suite, options, command, state, case=self.case, tag=self.tag, guard=self.guard
        )
        self.check_mode(session.mode)
        return session

    def check_mode(self, mode: str) -> None:
        """Raise `UsageError` for --continue if the command asks no provider in this mode, for --results if it does."""
        if self.results is not None and mode != "replay":
            what, fix = "workers have the results of a replay only", "Record the answers, then add --mode replay"
            raise UsageError(what, where="--results", fix=fix)
        if self.resume and mode == "replay" and not self.asks:
            what, fix = "--continue is for live runs only", "Leave it out, or add --mode live"
            raise UsageError(what, where="mode replay", fix=fix)

    def ended(self, command: Callable[[], Any]) -> Any:
        """Return a command's exit code; unless interrupted, end its live runs and print what continues them."""
        try:
            code = command()
        except Row3Error as error:
            error.args = (" ".join([str(error), *self._finish()]),)
            raise
        for text in self._finish():
            if code:  # a few missing grades are tolerated
                output.tell(text)
        return code

    def _finish(self) -> Iterator[str]:
        """End live runs; yield the command that continues them if one is incomplete."""
        for state in self.states:
            state.finish()
        if any(state.incomplete for state in self.states):
            typed = [each for each in sys.argv[1:] if each != "--continue"]
            at = typed.index("--") if "--" in typed else len(typed)
            command = shlex.join(["row3", *typed[:at], "--continue", *typed[at:]])
            yield f"To ask only for what is missing: {command}"
