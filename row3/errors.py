"""Errors that row3 raises on purpose.

    Row3Error
    ├── UsageError        wrong options or arguments                               exit 2
    │   └── NotServedError    no provider has the model                            exit 2
    ├── InvalidFile       a file of the project cannot be used                     exit 2
    ├── MissingExtra      an optional dependency is not installed                  exit 2
    ├── EnvironmentFault  the system refuses (disk full, read-only, no git)        exit 2
    ├── RunIncomplete     a case has no answer                                     exit 3
    │   └── ProviderStopped   the provider refuses all requests (401, no quota)    exit 3
    └── Undelivered       a service refused data, which row3 keeps                 exit 3

Only `row3.cli.app` prints them.
"""

from __future__ import annotations

from typing import ClassVar

COMMANDS = ("pip ", "row3 ", "git ")


def as_sentence(fix: str) -> str:
    """Return a fix as a sentence; commands to paste stay as they are."""
    begins_as_a_word = fix.partition(" ")[0].isalpha() and not fix.startswith(COMMANDS)
    return fix[:1].upper() + fix[1:] if begins_as_a_word else fix


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
    """Options or arguments are wrong or contradict each other."""


class NotServedError(UsageError):
    """A model that no provider has would be asked: the one of recordings that were made by hand."""


class InvalidFile(Row3Error):  # noqa: N818 - callers catch it by what is wrong
    """A file of the project is missing, malformed or contradictory."""


class MissingExtra(Row3Error):  # noqa: N818 - callers catch it by what is wrong
    """A required optional dependency is not installed."""


class EnvironmentFault(Row3Error):  # noqa: N818 - callers catch it by what is wrong
    """The system refuses: disk full, read-only, no permission, no git."""


class RunIncomplete(Row3Error):  # noqa: N818 - callers catch it by what is wrong
    """A case has no answer, so the run can be neither judged nor saved."""

    exit_code: ClassVar[int] = 3


class ProviderStopped(RunIncomplete):
    """The provider refuses every request (bad key, no permission, exhausted quota)."""


class Undelivered(Row3Error):  # noqa: N818 - callers catch it by what is wrong
    """A service did not take what it was sent, which is kept and sent later."""

    exit_code: ClassVar[int] = 3

    def __init__(self, what: str, *, where: str = "", fix: str = "", all_of_them: bool = True) -> None:
        """Say with `all_of_them` whether nothing else would arrive now either; False: this one was refused."""
        super().__init__(what, where=where, fix=fix)
        self.all_of_them = all_of_them
