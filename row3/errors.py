"""The errors that row3 raises deliberately.

    Row3Error
    ├── UsageError        wrong options or arguments                               exit 2
    │   └── NotServedError    no provider serves the model                         exit 2
    ├── InvalidFile       a project file is missing or invalid                     exit 2
    ├── MissingExtra      an optional dependency is not installed                  exit 2
    ├── EnvironmentFault  the system refuses (disk full, read-only, no git)        exit 2
    ├── RunIncomplete     a case has no answer                                     exit 3
    │   └── ProviderStopped   the provider refuses all requests (401, no quota)    exit 3
    └── Undelivered       a service rejected data, which row3 keeps                exit 3

Only `row3.cli.app` prints them.
"""

from __future__ import annotations

from typing import ClassVar

COMMANDS = ("pip ", "row3 ", "git ")


def as_sentence(fix: str) -> str:
    """Capitalise a fix unless it starts with a command to paste."""
    is_word = fix.partition(" ")[0].isalpha() and not fix.startswith(COMMANDS)
    return fix[:1].upper() + fix[1:] if is_word else fix


class Row3Error(Exception):
    """An error the user can fix: what happened, where, and what to do."""

    exit_code: ClassVar[int] = 2

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what = what.rstrip(".")
        stop = "" if self.what.endswith("?") else "."
        self.where = where
        self.fix = as_sentence(fix.rstrip("."))
        place = f"{where}: " if where else ""
        cure = f"{stop} {self.fix}" if fix else ""
        end = "" if cure.endswith(("?", "!", ":")) else "."
        super().__init__(f"{place}{self.what}{cure}{end}")


class UsageError(Row3Error):
    """Wrong or contradictory options or arguments."""


class NotServedError(UsageError):
    """A live request for `reference-llm`, the model of hand-made recordings, which no provider serves."""


class InvalidFile(Row3Error):  # noqa: N818 - callers catch it by what is wrong
    """A missing, malformed or contradictory project file."""


class MissingExtra(Row3Error):  # noqa: N818 - callers catch it by what is wrong
    """An optional dependency that is needed and not installed."""


class EnvironmentFault(Row3Error):  # noqa: N818 - callers catch it by what is wrong
    """A problem outside the project: disk full, read-only, no permission, no git."""


class RunIncomplete(Row3Error):  # noqa: N818 - callers catch it by what is wrong
    """A case without an answer, so the run cannot be judged or saved."""

    exit_code: ClassVar[int] = 3


class ProviderStopped(RunIncomplete):
    """A provider that refuses every request (bad key, no permission, exhausted quota)."""


class Undelivered(Row3Error):  # noqa: N818 - callers catch it by what is wrong
    """Data that a service did not accept; row3 keeps it and sends it later."""

    exit_code: ClassVar[int] = 3

    def __init__(
        self, what: str, *, where: str = "", fix: str = "", service_wide: bool = True, status: int = 0
    ) -> None:
        """Create the error; `service_wide` is False if only this item was rejected and others may arrive.

        `status` is that of HTTP, 0 without an answer.
        """
        super().__init__(what, where=where, fix=fix)
        self.service_wide, self.status = service_wide, status
