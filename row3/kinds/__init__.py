"""What a suite scores. A kind is one module and one line in `KINDS`; see CONTRIBUTING.md."""

from __future__ import annotations

from collections.abc import Mapping

from row3.errors import InvalidFile
from row3.kinds.base import Kind
from row3.kinds.entities import ENTITIES
from row3.kinds.events import EVENTS
from row3.kinds.extraction import EXTRACTION
from row3.kinds.graph import GRAPH
from row3.kinds.retrieval import RETRIEVAL

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (EXTRACTION, EVENTS, ENTITIES, RETRIEVAL, GRAPH)}


def of_another_kind(output: str, kind: Kind) -> bool:
    """An output that this kind does not know, and another does: its prompt is another suite's."""
    return output not in kind.outputs and any(output in other.outputs for other in KINDS.values())


def kind_named(name: str, *, where: str) -> Kind:
    """The kind of that name; raises `InvalidFile` naming those there are."""
    if name not in KINDS:
        raise InvalidFile(f"kind `{name}` is not known", where=where, fix=f"Kinds: {', '.join(KINDS)}")
    return KINDS[name]
