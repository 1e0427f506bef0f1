"""Decide whether code named by settings and cases may run, since a change may add code that nobody has reviewed.

With `--against`, in the hook and in CI, only code that the base names runs, and only from unchanged files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from row3.domain.code import Code, differences
from row3.domain.typed_options import is_set
from row3.errors import UsageError
from row3.project.base import find_base, repository_of, work_base
from row3.project.project import Project
from row3.project.trusted_code import all_code

VARIABLE = "ROW3_TRUST"


def guard_of(environ: Mapping[str, str], *, against: str | None = None, trust: bool = False) -> Guard | None:
    """Return a command's guard; None on a developer's machine, where code always runs."""
    asked = against is not None or is_set(environ, "CI")
    return Guard(against=against) if asked and not (trust or is_set(environ, VARIABLE)) else None


@dataclass
class Guard:
    """Lets code run only if the base has it too."""

    base: Project | None = None
    """The base; found when first needed."""
    against: str | None = None
    """The base's ref on the command line; None for the hook's base."""
    _changed: list[str] | None = None
    _passed: set[tuple[str, Code]] = field(default_factory=set)

    def __call__(self, project: Project, suite: str, code: Iterable[Code]) -> None:
        """Raise `UsageError` for code that is not in the base, or differs from it."""
        asked = [each for each in code if (suite, each) not in self._passed]
        if not asked:
            return
        base, changed = self._found(project, suite)
        if found := list(differences(asked, all_code(base, suite), changed)):
            what = f"{base.label} does not have the code that would run: {'; '.join(found)}"
            fix = f"Review the code, then pass --trust, or set {VARIABLE}=1 for the hook"
            raise UsageError(what, where=f"suite {suite}", fix=fix)
        self._passed |= {(suite, each) for each in asked}

    def _found(self, project: Project, suite: str) -> tuple[Project, list[str]]:
        """Return the base, and the project's files that differ from it."""
        repository = repository_of(project)
        if self.base is None and self.against is not None:
            self.base = find_base(project, self.against)
        elif self.base is None and repository is not None and repository.protected_branch(None) is not None:
            self.base = work_base(project)
        if repository is None or self.base is None or self.base.commit is None:
            what = "in CI code runs only if the protected branch has it too, and that branch is not available here"
            fix = "Fetch the branch, name a base with --against, or pass --trust"
            raise UsageError(what, where=f"suite {suite}", fix=fix)
        self._changed = self._changed or repository.edited(self.base.commit, project.root)
        return self.base, self._changed
