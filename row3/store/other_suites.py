"""What to do about a case that a suite does not have: the suite that does have it, or the near miss."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from fnmatch import fnmatchcase

from row3.domain.counts import did_you_mean
from row3.errors import UsageError
from row3.store.cases import StoredCase, ids_of, read_cases
from row3.store.project import Project
from row3.store.suites import Suite

CHOOSE_CASES = "Correct --case or --only"


def by_option(suite: str) -> str:
    """Return how a user names the suite to most commands."""
    return f"`--suite {suite}`"


def case_hint(
    project: Project,
    suite: str,
    wanted: str,
    own: Collection[str],
    *,
    otherwise: str,
    how: Callable[[str], str] = by_option,
) -> str:
    """Return where else a case or pattern is found (`how`: what to type for a suite), the near miss, or `otherwise`."""
    folders = {name: project.golden(name) for name in project.suite_names()}
    ids = {folder: ids_of(project.tree, folder) for folder in {*folders.values()} - {project.golden(suite)}}
    names = [name for name, folder in folders.items() if any(fnmatchcase(each, wanted) for each in ids.get(folder, ()))]
    if not names:
        return did_you_mean(wanted, own, otherwise)
    which = " and ".join(f"`{name}`" for name in names)
    have = f"Suite {which} has" if len(names) == 1 else f"Suites {which} have"
    return f"{have} it: use {' or '.join(how(name) for name in names)}"


def no_case_fits(
    project: Project,
    suite: Suite,
    pattern: str | None,
    *,
    fix: str = CHOOSE_CASES,
    how: Callable[[str], str] = by_option,
) -> UsageError:
    """Return the error of a command that was left with no case: by `--case`, or by another choice beside it."""
    own = ids_of(project.tree, suite.golden)
    if pattern is None or any(fnmatchcase(each, pattern) for each in own):
        return UsageError("no case fits", where=f"{suite.golden}/", fix=fix)
    hint = case_hint(project, suite.name, pattern, own, otherwise=fix, how=how)
    return UsageError(f"no case fits `{pattern}`", where=f"{suite.golden}/", fix=hint)


def cases_of(project: Project, suite: Suite, pattern: str | None = None) -> Iterator[StoredCase]:
    """Yield the suite's cases as `read_cases`; where none fits the pattern, the error says which suite has one."""
    try:
        yield from read_cases(project.tree, suite.golden, suite.kind, pattern)
    except UsageError as error:
        fix = error.fix.replace("`row3 -v`", f"`row3 -v{suite.flag}`")
        raise no_case_fits(project, suite, pattern, fix=fix) from None
