"""The cases that `--case` and `--tag` choose, with hints if there are none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatchcase

from row3.domain.words import did_you_mean
from row3.errors import UsageError
from row3.project.project import Project
from row3.project.suites import Suite

BY_OPTION = "`--suite {}`".format
"""Formats how a user names a suite to most commands."""


def case_hint(
    project: Project,
    suite: str,
    wanted: str,
    own: Collection[str],
    *,
    otherwise: str,
    how: Callable[[str], str] = BY_OPTION,
) -> str:
    """Return which other suites have a case or pattern (`how` formats a suite), a near miss, or `otherwise`."""
    folders = {name: project.golden(name) for name in project.suite_names()}
    ids = {folder: project.cases.entries(folder) for folder in {*folders.values()} - {project.golden(suite)}}
    names = [name for name, folder in folders.items() if any(fnmatchcase(each, wanted) for each in ids.get(folder, ()))]
    if not names:
        return did_you_mean(wanted, own, otherwise)
    which = " and ".join(f"`{name}`" for name in names)
    have = f"Suite {which} has" if len(names) == 1 else f"Suites {which} have"
    return f"{have} it: use {' or '.join(how(name) for name in names)}"


def choose_cases(
    project: Project,
    suite: Suite,
    globs: Sequence[str],
    tags: Sequence[str] = (),
    *,
    how: Callable[[str], str] = BY_OPTION,
) -> frozenset[str] | None:
    """Return the ids of the cases that match a glob and have a tag; None if neither is given.

    Raises `UsageError` for a glob or tag without cases, and if no case has both; `InvalidFile`.
    """
    if not globs and not tags:
        return None
    where, own = f"{suite.golden}/", project.cases.entries(suite.golden)
    for glob in globs:
        if not any(fnmatchcase(each, glob) for each in own):
            for _ in project.cases_of(suite):
                pass  # report an unreadable file, which may be the case
            if drafts := [each for each in project.cases.entries(suite.golden, drafts=True) if fnmatchcase(each, glob)]:
                what = f"only drafts match `{glob}` ({', '.join(drafts)}), and a draft is never scored"
                raise UsageError(what, where=where, fix="Complete the case and remove its `draft`")
            otherwise = f"See the ids with `row3 -v{suite.flag}`"
            fix = case_hint(project, suite.name, glob, own, otherwise=otherwise, how=how)
            raise UsageError(f"no case matches `{glob}`", where=where, fix=fix)
    known = sorted({tag for each in own.values() for tag in each.tags})
    for tag in tags:
        if tag not in known:
            otherwise = f"Tags: {', '.join(known)}" if known else "Add `tags` to cases first; none has any"
            raise UsageError(f"no case has the tag `{tag}`", where=where, fix=did_you_mean(tag, known, otherwise))
    matching = {each for each in own if not globs or any(fnmatchcase(each, glob) for glob in globs)}
    chosen = frozenset(each for each in matching if not tags or not own[each].tags.isdisjoint(tags))
    if not chosen:
        raise UsageError("no case matches both --case and --tag", where=where, fix="Leave out --case or --tag")
    return chosen
