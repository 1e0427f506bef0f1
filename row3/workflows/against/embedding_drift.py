"""Embeddings that drifted: a text has another vector than at the base, so that other names match by meaning."""

from __future__ import annotations

from collections.abc import Iterator

from row3.domain.embeddings import cosine, unpack
from row3.store.embeddings import Row, files, rows_of
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.tree import Tree
from row3.workflows.against.at_ref import Base

ALIKE = 0.999
"""Cosine from which on two vectors of a text are the same one: a server that is asked again moves it by less."""


def other_vectors(project: Project, suite: Suite, base: Base) -> Iterator[Row]:
    """The lines whose text has another vector at the base. Raises `InvalidFile` for a broken line.

    A model is read from its own file, and of the base's files those are laid out that differ: no other can tell more.
    """
    for path in files(base.project.tree, suite.name):
        if project.tree.exists(path):
            before = _first(base.project.tree, path)
            for key, row in _first(project.tree, path).items():
                if key in before and not _alike(before[key].embedding.packed, row.embedding.packed):
                    yield row


def _first(tree: Tree, path: str) -> dict[tuple[str, str], Row]:
    """Of each text the line that counts."""
    found: dict[tuple[str, str], Row] = {}
    for row in rows_of(tree, path):
        found.setdefault((row.embedding.model, row.embedding.digest), row)
    return found


def _alike(before: str, now: str) -> bool:
    if before == now:
        return True
    try:
        return cosine(unpack(before), unpack(now)) >= ALIKE
    except ValueError:  # no vector, or of another length
        return False
