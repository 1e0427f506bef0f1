"""What files are called outside of row3: by hosts of repositories, which name them from the repository's root."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Places(NamedTuple):
    """How paths of the project are called from the root of its repository."""

    inside: str = ""
    """The project's folder in the repository, empty or ending in a slash."""
    golden: Callable[[str], str] = "golden/{}".format
    """A suite's folder of golden cases, relative to the project."""
    found: Callable[[str, str], str] | None = None
    """A case's file, by suite and id: a folder of golden cases may have folders in it."""

    def case(self, suite: str, case_id: str) -> str:
        """The file of a case, relative to the project."""
        return self.found(suite, case_id) if self.found else f"{self.golden(suite)}/{case_id}.gold.json"


HERE = Places()
"""The project is the repository, and suites lie where they do by default."""
