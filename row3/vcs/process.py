"""Starts git, and turns its refusals into row3's errors."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from row3.errors import EnvironmentFault

ENGLISH = {"LC_ALL": "C", "LANGUAGE": "C"}
"""git's own words are read, so they have to be the same everywhere."""
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


class GitProcess:
    """Runs git in one folder, with variables that the caller adds to the environment or (`without`) leaves out."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str] | None = None, without: Collection[str] = ()
    ) -> None:
        self.folder = folder
        self._without = without
        # Under `git --literal-pathspecs` the `:(top,literal)` of our own path arguments would be taken as a name.
        self._environment = {"GIT_LITERAL_PATHSPECS": "0", **(environment or {})}

    def set(self, name: str, value: str) -> None:
        """Set an environment variable for all later processes."""
        self._environment[name] = value

    def ask(
        self,
        *args: str,
        stdin: bytes | None = None,
        environment: Mapping[str, str] | None = None,
        expect: Sequence[int] | None = (0,),
    ) -> Answer:
        """Run `git args`; `expect` lists the exit codes that are answers (None: every one).

        Raises EnvironmentFault for any other, with git's own words, and where git is not installed.
        """
        inherited = {name: value for name, value in os.environ.items() if name not in self._without}
        try:
            done = subprocess.run(
                ["git", "-C", str(self.folder), *args],
                input=b"" if stdin is None else stdin,
                capture_output=True,
                check=False,
                env={**inherited, **ENGLISH, **READ_ONLY, **self._environment, **(environment or {})},
            )
        except OSError as error:
            raise EnvironmentFault(
                f"git cannot be started ({error.strerror})", fix="Install git and make sure that it is on PATH"
            ) from None
        answer = Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
        if expect is not None and answer.code not in expect:
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
