"""`CHANGELOG.md` as a file; what stands in it is the business of `row3.reports.changelogs.changelog`."""

from __future__ import annotations

from row3.store.project import Project
from row3.store.tree import read_text

FILE = "CHANGELOG.md"


def read_changelog(project: Project) -> str:
    """Its text; empty where there is none. Raises `InvalidFile`."""
    return read_text(project.tree, FILE) if project.tree.exists(FILE) else ""
