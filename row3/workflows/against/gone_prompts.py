"""Promoted prompt files that a change takes away, though the locks still name them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from row3.domain.verdicts import Reason, Verdict
from row3.store.project import Project
from row3.store.prompts import FOLDER, PROMOTED, read_promoted
from row3.workflows.against.locks_at_ref import tellers

if TYPE_CHECKING:
    from row3.workflows.against.at_ref import Base


def gone_prompt_reasons(base: Base, own: Project, suite: str) -> list[Reason]:
    """The grounds against promoted versions being gone that the base has, as far as this suite tells them.

    A suite tells of the prompts that it asks, here or at the base; of one that none asks, the suite that tells what
    concerns the whole project.
    """
    gone = [file for name, file in _gone(base, own) if suite in tellers(base, own, name)]
    return [
        Reason(
            Verdict.BLOCK, f"{file} is gone since {base.ref.label}, and {PROMOTED} names it; restore it", cause="locks"
        )
        for file in gone
    ]


def _gone(base: Base, own: Project) -> Iterator[tuple[str, str]]:
    """Prompt and file of the versions that were promoted once, and have a file at the base and none here."""
    for name, entry in read_promoted(own.tree).items():
        for version in sorted({entry.version, *entry.locked}):
            file = f"{FOLDER}/{name}-{version}.md"
            if not (own.root / file).is_file() and base.ref.repository.has(base.ref.sha, base.ref.inside + file):
                yield name, file
