"""Runs git and turns its failures into row3's errors."""

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
    """Runs git in a folder, with variables added to the environment or (`without`) removed."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str] | None = None, without: Collection[str] = ()
    ) -> None:
        self.folder, self._without = folder, without
        self._environment = ENVIRONMENT | dict(environment or {})

    def run(
        self,
        *args: str,
        paths: Sequence[str] | None = None,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        check: bool = True,
    ) -> Output:
        """Run git, limited to root-relative `paths`, which are taken literally.

        Raises EnvironmentFault without git and, if `check`, with git's message for an exit code other than 0.
        """
        if paths is not None:
            literal = (f":(top,literal){path.rstrip('/')}" if path not in ("", ".") else ":(top)" for path in paths)
            args = (*args, "--", *literal)
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
            what = f"cannot start git ({error.strerror})"
            raise EnvironmentFault(what, fix="Install git and make sure that it is on PATH") from None
        output = Output(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
        if check and output.code:
            raise git_error(output, self.folder, args[0])
        return output


def git_error(output: Output, folder: Path, command: str) -> EnvironmentFault:
    """Return the error for an unexpected exit code."""
    if "dubious ownership" in output.err:
        what = "git refuses this repository because its files belong to another user"
        fix = "If you trust it: " + output.err.strip().rpartition("\n")[2].strip()
        return EnvironmentFault(what, where=str(folder), fix=fix)
    message = output.err.strip().removeprefix("fatal: ").removeprefix("error: ")
    return EnvironmentFault(f"git {command} failed: {message or f'exit code {output.code}'}", where=str(folder))
