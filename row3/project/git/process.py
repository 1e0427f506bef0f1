"""Runs git and turns its failures into row3's errors.

By GitPython, except for what every replay asks: importing it takes longer than the answers.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from row3.errors import EnvironmentFault

ENVIRONMENT = {
    "LC_ALL": "C",  # git's messages are parsed
    "LANGUAGE": "C",
    "GIT_OPTIONAL_LOCKS": "0",  # in a hook, `git commit` holds index.lock
    "GIT_LITERAL_PATHSPECS": "0",  # else git reads `:(top,literal)` as a file name
}


@dataclass(frozen=True, slots=True)
class Output:
    """Exit code and output of a git process."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """stdout as text, without the final line end."""
        return os.fsdecode(self.out).rstrip("\n")

    @property
    def parts(self) -> list[str]:
        """stdout split at the null bytes of `-z`."""
        return os.fsdecode(self.out).split("\0")[:-1]


EXPORTED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX")
"""Variables that tell a hook where its repository is."""


class GitProcess:
    """Runs git in a folder, with variables added to the environment."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder, self._environment = folder, ENVIRONMENT | dict(environment or {})

    def run(
        self,
        *args: str,
        paths: Sequence[str] | None = None,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        check: bool = True,
    ) -> Output:
        """Run git by GitPython, limited to root-relative `paths`, which are taken literally.

        Raises EnvironmentFault if GitPython cannot start and, if `check`, with git's message for a code other than 0.
        """
        try:
            from git import Git
        except ImportError as error:  # also if GIT_PYTHON_GIT_EXECUTABLE names no git
            what = f"cannot import GitPython: {str(error).partition(chr(10))[0]}"
            raise EnvironmentFault(what, fix="Unset GIT_PYTHON_GIT_EXECUTABLE, or install row3 again") from None
        # Without a folder of its own: `Git` would expand `$HOME` and `~` in it, and ignore one that it cannot enter.
        process = Git().execute(
            self._command(args, paths),
            istream=subprocess.PIPE,
            as_process=True,
            env={**self._environment, **(environment or {})},
        )
        out, err = process.communicate(stdin)
        return self._output(args[0], process.returncode, out, err, check)

    def ask(
        self,
        *args: str,
        paths: Sequence[str] | None = None,
        without: Collection[str] = EXPORTED,
        check: bool = False,
    ) -> Output:
        """Do what `run` does without GitPython and the variables `without`; raises EnvironmentFault without git."""
        inherited = {name: value for name, value in os.environ.items() if name not in without}
        try:
            command, environment = self._command(args, paths), inherited | self._environment
            done = subprocess.run(command, input=b"", capture_output=True, check=False, env=environment)
        except OSError as error:
            what = f"cannot start git ({error.strerror})"
            raise EnvironmentFault(what, fix="Install git and make sure that it is on PATH") from None
        return self._output(args[0], done.returncode, done.stdout, done.stderr, check)

    def _command(self, args: Sequence[str], paths: Sequence[str] | None) -> list[str]:
        command = ["git", "-C", str(self.folder), *args]
        if paths is None:
            return command
        literal = (f":(top,literal){path.rstrip('/')}" if path not in ("", ".") else ":(top)" for path in paths)
        return [*command, "--", *literal]

    def _output(self, command: str, code: int, out: bytes, err: bytes, check: bool) -> Output:
        output = Output(code, out, err.decode("utf-8", "replace"))
        if check and code:
            raise git_error(output, self.folder, command)
        return output


def git_error(output: Output, folder: Path, command: str) -> EnvironmentFault:
    """Return the error for an unexpected exit code."""
    if "dubious ownership" in output.err:
        what = "git refuses this repository because its files belong to another user"
        fix = "If you trust it: " + output.err.strip().rpartition("\n")[2].strip()
        return EnvironmentFault(what, where=str(folder), fix=fix)
    message = output.err.strip().removeprefix("fatal: ").removeprefix("error: ")
    return EnvironmentFault(f"git {command} failed: {message or f'exit code {output.code}'}", where=str(folder))
