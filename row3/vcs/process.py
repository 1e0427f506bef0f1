"""Starts git, and turns its refusals into row3's errors."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from row3.errors import EnvironmentFault

if TYPE_CHECKING:
    from git.cmd import Git

# Reading must not take index.lock: a hook runs while `git commit` holds it.
READ_ONLY = {"GIT_OPTIONAL_LOCKS": "0"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one git process said."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Its output as text without the line end."""
        return self.out.decode("utf-8", "surrogateescape").rstrip("\n")


def gitpython() -> ModuleType:
    """The `git` module.

    Raises EnvironmentFault where git is not installed (gitpython looks for it when imported).
    """
    try:
        import git
    except ImportError as error:
        first_line = str(error).partition("\n")[0].rstrip(": ")
        raise EnvironmentFault(
            f"git cannot be used ({first_line})", fix="Install git and make sure that it is on PATH"
        ) from error
    return git


class GitProcess:
    """Runs git in one folder, with what the caller adds to the environment."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self._git: Git = gitpython().Git()
        # Under `git --literal-pathspecs` the `:(top,literal)` of our own path arguments would be taken as a name.
        self._git.update_environment(GIT_LITERAL_PATHSPECS="0", **(environment or {}))

    def set(self, name: str, value: str) -> None:
        """Set an environment variable for all later processes."""
        self._git.update_environment(**{name: value})

    def ask(
        self,
        *args: str,
        stdin: bytes | None = None,
        environment: Mapping[str, str] | None = None,
        expect: Sequence[int] | None = (0,),
    ) -> Answer:
        """Run `git args`; `expect` lists the exit codes that are answers (None: every one).

        Raises EnvironmentFault for any other, with git's own words.
        """
        import git

        # A file and not a pipe: git may answer before it has read everything.
        with tempfile.TemporaryFile() as feed:
            if stdin is not None:
                feed.write(stdin)
                feed.seek(0)
            try:
                code, out, err = self._git.execute(
                    # gitpython expands `$NAME` in a working folder and, where that does not exist, takes this one.
                    ["git", "-C", str(self.folder), *args],
                    istream=feed if stdin is not None else None,
                    with_extended_output=True,
                    with_exceptions=False,
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                    env={**READ_ONLY, **(environment or {})},
                )
            except git.GitCommandNotFound:
                raise EnvironmentFault(
                    "git is not installed", fix="Install git and make sure that it is on PATH"
                ) from None
        answer = Answer(code, out, err)
        if expect is not None and code not in expect:
            raise refusal(answer, self.folder, args[0])
        return answer


def refusal(answer: Answer, folder: Path, command: str) -> EnvironmentFault:
    """The error for an answer nobody expected."""
    if "dubious ownership" in answer.err:
        return EnvironmentFault(
            "git refuses this repository because its files belong to another user",
            where=str(folder),
            fix="If you trust it: " + answer.err.strip().rpartition("\n")[2].strip(),
        )
    words = answer.err.strip().removeprefix("fatal: ").removeprefix("error: ")
    return EnvironmentFault(f"git {command} failed: {words or f'exit code {answer.code}'}", where=str(folder))
