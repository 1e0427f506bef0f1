"""`row3 new-version`: copy a prompt's current version to the next one, with a changelog entry to fill in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from row3.commands.answer_schemas import schema_of
from row3.domain.prompts import PromptRef, Version, parse_reference, parse_version
from row3.domain.words import did_you_mean
from row3.errors import InvalidFile, UsageError
from row3.project import prompts as store
from row3.project.answer_schemas import model_file, schema_text
from row3.project.changelog import insert_entry, unreleased_entry
from row3.project.files import decode
from row3.project.places import CHANGELOG
from row3.project.project import Project, read_changelog
from row3.project.transaction import commit, writing

HIGHEST = 999_999
"""Limit of the major and the minor number."""
VERSION = re.compile(rb"""^(["']?version["']?[ \t]*:[ \t]*(["']?)v?)[0-9]+\.[0-9]+(?=\2)""", re.MULTILINE)
"""The version in the front matter; group 1 is what precedes it."""


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A prompt version that was created."""

    path: Path
    ref: PromptRef
    copied_from: PromptRef
    changelog_changed: bool
    description: bool
    """Whether the copy still has the description of the copied version."""
    schema: str = ""
    """The file that was written from the model that the prompt names; empty if it names none."""


def new_version(project: Project, name: str, *, major: bool = False) -> NewVersion:
    """Copy a prompt's promoted version (else the highest) to the next, with a changelog entry to fill in."""
    with writing(project.root):
        project = project.on_disk()
        known = _known_versions(name, project.versions)
        promoted = project.promoted
        current = parse_version(promoted[name].version) if name in promoted else None
        source = PromptRef(name, current or known[-1])
        raw, where = project.tree.read(f"{store.FOLDER}/{source}.md"), f"{store.FOLDER}/{source}.md"
        prompt = store.parse_prompt(decode(raw, where=where), source, path=where, where=where)
        ref = PromptRef(name, next_version(known[-1], major=major))
        path = f"{store.FOLDER}/{ref}.md"
        if (target := project.at(path)).exists():
            raise UsageError("the file exists already", where=path, fix="Rename or remove it")
        files = {path: renumbered(raw, source, ref)}
        schema = ""
        if prompt.schema is not None and prompt.schema.model:
            schema = model_file(ref)
            files[schema] = schema_text(schema_of(project, prompt)).encode()
        before = read_changelog(project)
        after = insert_entry(before, unreleased_entry(str(ref.version), name), str(ref.version), name)
        if after != before:
            files[CHANGELOG] = after.encode("utf-8")
        commit(project.root, files)
    return NewVersion(target, ref, source, after != before, bool(prompt.description.strip()), schema)


def _known_versions(name: str, versions: Mapping[str, Sequence[Version]]) -> Sequence[Version]:
    if name in versions:
        return versions[name]
    ref = parse_reference(name.removeprefix("prompts/"))
    if ref is not None and ref.name in versions:
        raise UsageError(f"`{name}` is a version, not a prompt", where="NAME", fix=f"Write `{ref.name}`")
    hint = did_you_mean(name, versions, f"Prompts: {', '.join(sorted(versions)) or 'none'}")
    raise UsageError(f"prompt `{name}` does not exist", where="NAME", fix=hint)


def next_version(highest: Version, *, major: bool) -> Version:
    """Return the next minor or major version. Raises `UsageError` beyond `HIGHEST`."""
    version = Version(highest.major + 1, 0) if major else Version(highest.major, highest.minor + 1)
    if max(version) > HIGHEST:
        raise UsageError(f"there is no version after {highest}", where="NAME", fix="Give the prompt another name")
    return version


def renumbered(raw: bytes, source: PromptRef, ref: PromptRef) -> bytes:
    """Return a prompt file with the new version in its front matter. Raises `InvalidFile` if that fails."""
    new = VERSION.sub(rf"\g<1>{ref.version.major}.{ref.version.minor}".encode(), raw, count=1)
    where = f"{store.FOLDER}/{source}.md"
    try:
        store.parse_prompt(decode(new, where=where), ref, path=where, where=where)
    except InvalidFile:
        fix = f'Write it on a line of its own: version: "{source.version.major}.{source.version.minor}"'
        raise InvalidFile("row3 cannot replace the version in the front matter", where=where, fix=fix) from None
    return new
