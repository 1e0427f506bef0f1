"""The files and folders of a project."""

from __future__ import annotations

FILE = "row3.toml"
GOLDEN = "golden"
CORPORA = (GOLDEN, "corpus")
"""Folders that corpus files may come from; the hook watches and copies them."""
LOCAL = ".row3"
CHANGELOG = "CHANGELOG.md"
DATA = ("prompts", "schemas", "recordings", "baselines", "calibrations", "lessons", "metrics-history.json")
READ_PATHS = (FILE, *CORPORA, *DATA)
"""Everything a comparison reads, and the hook watches."""
WRITTEN = (*READ_PATHS, CHANGELOG, "charts", ".gitattributes", ".gitignore", "search.py")
"""Files, and folders of files, that a transaction may write: `row3 init` adds the last three."""
PLACES = (*READ_PATHS, CHANGELOG, "charts", LOCAL)
"""Everything that row3 reads or writes in a project, where no symbolic link is allowed."""
