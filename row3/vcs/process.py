"""Starts git, and turns its refusals into row3's errors."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from row3.errors import EnvironmentFault

ALWAYS = {
    "LC_ALL": "C",  # git's messages are parsed, so they have to be in English
    "LANGUAGE": "C",
    "GIT_OPTIONAL_LOCKS": "0",  # reading must not take index.lock: a hook runs while `git commit` holds it
    "GIT_LITERAL_PATHSPECS": "0",  # else `:(top,literal)` in our own path arguments would be taken as a name
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one git process said."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Its output as text without the line end."""
        return os.fsdecode(self.out).rstrip("\n")

    @property
    def parts(self) -> list[str]:
        """Its output as texts, where git ends each with a null byte (`-z`)."""
        return os.fsdecode(self.out).split("\0")[:-1]


class GitProcess:
    """Runs git in one folder, with variables added to the environment or (`without`) left out of it."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str] | None = None, without: Collection[str] = ()
    ) -> None:
        self.folder, self._without = folder, without
        self._environment = ALWAYS | dict(environment or {})

    def ask(
        self,
        *args: str,
        paths: Sequence[str] | None = None,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        expect: Sequence[int] | None = (0,),
    ) -> Answer:
        """Run `git args` about root-relative `paths`, in which no letter is a wildcard.

        Raises EnvironmentFault for a code that is not expected (None: all are), with git's words, and without git.
        """
        if paths is not None:
            args = (
                *args,
                "--",
                *(f":(top,literal){path.rstrip('/')}" if path not in ("", ".") else ":(top)" for path in paths),
            )
        inherited = {name: value for name, value in os.environ.items() if name not in self._without}
        try:
            done = subprocess.run(
                ["git", "-C", str(self.folder), *args],
                input=stdin,
                capture_output=True,
                check=False,
                env={**inherited, **self._environment, **(environment or {})},
            )
        except OSError as error:
            what = f"git cannot be started ({error.strerror})"
            raise EnvironmentFault(what, fix="Install git and make sure that it is on PATH") from None
        answer = Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
        if expect is not None and answer.code not in expect:
            raise refusal(answer, self.folder, args[0])
        return answer


def refusal(answer: Answer, folder: Path, command: str) -> EnvironmentFault:
    """Return the error for an answer nobody expected."""
    if "dubious ownership" in answer.err:
        what = "git refuses this repository because its files belong to another user"
        fix = "If you trust it: " + answer.err.strip().rpartition("\n")[2].strip()
        return EnvironmentFault(what, where=str(folder), fix=fix)
    words = answer.err.strip().removeprefix("fatal: ").removeprefix("error: ")
    return EnvironmentFault(f"git {command} failed: {words or f'exit code {answer.code}'}", where=str(folder))
