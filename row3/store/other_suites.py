"""What to do about a case that a suite does not have: the near miss, and the suite that does have it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import groupby
from typing import NamedTuple

from row3.errors import UsageError
from row3.store.cases import StoredCase, ids_of, read_cases
from row3.store.project import Project
from row3.store.suites import Suite

MOST = 3
"""Near misses that are named."""
ALIKE = 0.6
"""How alike a near miss of the own suite is at the least."""
ALIKE_ELSEWHERE = 0.75
"""And one of another suite: what is only somewhat alike would lead away from the suite that was meant."""
CHOOSE_CASES = "Correct --case or --only"


class _Near(NamedTuple):
    case_id: str
    suites: tuple[str, ...]
    """None for the own suite."""
    likeness: float


def by_option(suite: str) -> str:
    """How most commands are told the suite."""
    return f"`--suite {suite}`"


def case_hint(
    project: Project,
    suite: str,
    wanted: str,
    own: Collection[str],
    *,
    otherwise: str,
    most: int = MOST,
    alike: float = ALIKE,
    how: Callable[[str], str] = by_option,
) -> str:
    """What to do where `wanted` is no case of the suite: the suite that has it and how to name that, or a near miss.

    Args:
        wanted: an id, or a pattern of ids.
        own: the suite's ids.
        otherwise: what to say where nothing is like it.
        most: near misses to name.
        alike: how alike one of the own suite has to be, 0 to 1.
        how: what to type for a suite.
    """
    elsewhere = _elsewhere(project, suite)
    there = [(suites, found) for suites, ids in elsewhere if (found := [i for i in ids if fnmatchcase(i, wanted)])]
    if there:
        names = sorted(name for suites, _ in there for name in suites)
        what = "such cases" if any(len(found) > 1 for _, found in there) else "it"
        have = "has" if len(names) == 1 else "have"
        return f"{_suites(names, 'Suite')} {have} {what}: use {' or '.join(how(name) for name in names)}"
    near = _near(wanted, own, elsewhere, most, alike)
    return f"Did you mean {_listed(near, how)}?" if near else otherwise


def no_case_fits(
    project: Project,
    suite: Suite,
    pattern: str | None,
    *,
    fix: str = CHOOSE_CASES,
    how: Callable[[str], str] = by_option,
) -> UsageError:
    """The error of a command that was left with no case: by the pattern of `--case`, or by another choice beside it."""
    own = ids_of(project.tree, suite.golden)
    if pattern is None or any(fnmatchcase(each, pattern) for each in own):
        return UsageError("no case fits", where=f"{suite.golden}/", fix=fix)
    hint = case_hint(project, suite.name, pattern, own, otherwise=fix, how=how)
    return UsageError(f"no case fits `{pattern}`", where=f"{suite.golden}/", fix=hint)


def cases_of(project: Project, suite: Suite, pattern: str | None = None) -> Iterator[StoredCase]:
    """The suite's cases as `read_cases` gives them; where none fits the pattern, the error says which suite has one."""
    try:
        yield from read_cases(project.tree, suite.golden, suite.kind, pattern)
    except UsageError as error:
        fix = error.fix.replace("`row3 -v`", f"`row3 -v{suite.flag}`")
        raise no_case_fits(project, suite, pattern, fix=fix) from None


def _elsewhere(project: Project, suite: str) -> list[tuple[tuple[str, ...], list[str]]]:
    """The other suites with their ids; those that share a folder of cases together."""
    own = project.golden(suite)
    folders: dict[str, list[str]] = {}
    for name in project.suite_names():
        if project.golden(name) != own:
            folders.setdefault(project.golden(name), []).append(name)
    return [(tuple(names), ids_of(project.tree, folder)) for folder, names in folders.items()]


def _near(
    wanted: str, own: Collection[str], elsewhere: Iterable[tuple[tuple[str, ...], list[str]]], most: int, alike: float
) -> list[_Near]:
    """The ids most like it, the most alike first; of two that are equally so the own one."""
    found = _of(wanted, own, (), most, alike)
    for names, ids in elsewhere:
        found += _of(wanted, ids, names, most, max(alike, ALIKE_ELSEWHERE))
    return sorted(found, key=lambda near: -near.likeness)[:most]


def _of(wanted: str, ids: Collection[str], suites: tuple[str, ...], most: int, alike: float) -> list[_Near]:
    close = difflib.get_close_matches(wanted, ids, n=most, cutoff=alike)
    return [_Near(each, suites, difflib.SequenceMatcher(None, each, wanted).ratio()) for each in close]


def _listed(near: Iterable[_Near], how: Callable[[str], str]) -> str:
    parts = []
    for suites, same in groupby(near, key=lambda one: one.suites):
        names = ", ".join(f"`{one.case_id}`" for one in same)
        where = f" of {_suites(suites)} ({' or '.join(how(name) for name in suites)})" if suites else ""
        parts.append(f"{names}{where}")
    return ", or ".join(parts)


def _suites(names: Collection[str], word: str = "suite") -> str:
    listed = [f"`{name}`" for name in names]
    return f"{word} {listed[0]}" if len(listed) == 1 else f"{word}s {', '.join(listed[:-1])} and {listed[-1]}"
