"""`row3 new-version`: the current version of a prompt copied to the next one, with a changelog entry to fill in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from row3.domain.counts import did_you_mean
from row3.domain.prompts import PromptRef, Version, parse_reference, parse_version
from row3.errors import InvalidFile, UsageError
from row3.reports.changelog import insert_entry, unreleased_entry
from row3.store import prompts as store
from row3.store.files import decode, refuse_conflicts
from row3.store.project import Project
from row3.store.transaction import commit, writing

CHANGELOG = "CHANGELOG.md"
HIGHEST = 999_999
"""Of either number of a version: what a file name may say."""
VERSION_KEY = re.compile(
    rb"""^(?P<key>["']?version["']?[ \t]*:[ \t]*)(?P<quote>["']?)(?P<v>v?)[0-9]+\.[0-9]+(?P=quote)""", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A prompt version that was made."""

    path: Path
    ref: PromptRef
    copied_from: PromptRef
    changelog_changed: bool
    description: bool
    """The copy says what the copied version changes."""


def new_version(project: Project, name: str, *, major: bool = False) -> NewVersion:
    """Copy a prompt's promoted version (else the highest) to the next, with a changelog entry to fill in."""
    with writing(project.local):
        there = store.versions(project.tree)
        known = _known(name, there)
        promoted = store.read_promoted(project.tree)
        current = parse_version(promoted[name].version) if name in promoted else None
        source = PromptRef(name, current or known[-1])
        prompt = store.read_prompt(project.tree, source)
        ref = PromptRef(name, next_version(known[-1], major=major))
        path = f"{store.FOLDER}/{ref}.md"
        if (target := project.at(path)).exists():
            raise UsageError("the file exists already", where=path, fix="Rename or remove it")
        files = {path: renumbered(project.tree.read(prompt.path), source, ref)}
        before = _changelog(project)
        after = insert_entry(before, unreleased_entry(str(ref.version), name), str(ref.version), name)
        if after != before:
            files[CHANGELOG] = after.encode("utf-8")
        commit(project.root, project.local, files)
    return NewVersion(target, ref, source, after != before, bool(prompt.description.strip()))


def _known(name: str, there: dict[str, list[Version]]) -> Sequence[Version]:
    if name in there:
        return there[name]
    ref = parse_reference(name.removeprefix("prompts/"))
    if ref is not None and ref.name in there:
        raise UsageError(f"`{name}` is a version, not a prompt", where="NAME", fix=f"Say `{ref.name}`")
    hint = did_you_mean(name, there, f"Prompts: {', '.join(sorted(there)) or 'none'}")
    raise UsageError(f"prompt `{name}` does not exist", where="NAME", fix=hint)


def next_version(highest: Version, *, major: bool) -> Version:
    version = Version(highest.major + 1, 0) if major else Version(highest.major, highest.minor + 1)
    if max(version) > HIGHEST:
        raise UsageError(f"there is no version after {highest}", where="NAME", fix="Give the prompt another name")
    return version


def renumbered(raw: bytes, source: PromptRef, ref: PromptRef) -> bytes:
    """The file with the new version in its front matter; raises `InvalidFile` where that cannot be done."""
    new = VERSION_KEY.sub(
        lambda m: m["key"] + m["quote"] + m["v"] + f"{ref.version.major}.{ref.version.minor}".encode() + m["quote"],
        raw,
        count=1,
    )
    where = f"{store.FOLDER}/{source}.md"
    try:
        store.parse_prompt(decode(new, where=where), ref, path=where, where=where)
    except InvalidFile:
        fix = f'Write it on a line of its own: version: "{source.version.major}.{source.version.minor}"'
        raise InvalidFile("the version in the front matter cannot be replaced", where=where, fix=fix) from None
    return new


def _changelog(project: Project) -> str:
    """The changelog as it is, line ends and all; empty where there is none."""
    if not project.tree.exists(CHANGELOG):
        return ""
    raw = project.tree.read(CHANGELOG)
    refuse_conflicts(decode(raw, where=CHANGELOG), where=CHANGELOG)
    return raw.decode("utf-8")
