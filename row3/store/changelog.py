"""`CHANGELOG.md` as a file; what stands in it is the business of `row3.reports.changelogs.changelog`."""

from __future__ import annotations

from row3.store.files import read_text
from row3.store.project import Project

FILE = "CHANGELOG.md"


def read_changelog(project: Project) -> str:
    """Its text; empty where there is none. Raises `InvalidFile`."""
    path = project.root / FILE
    return read_text(path, where=FILE) if path.exists() else ""
