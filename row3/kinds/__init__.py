"""What a suite scores. A kind is a module or a package here, and one line in `MODULES`; see CONTRIBUTING.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from row3.errors import InvalidFile
from row3.kinds.base import Kind

MODULES = {
    "extraction": "row3.kinds.extraction.score",
    "events": "row3.kinds.events.score",
    "entities": "row3.kinds.entities",
    "retrieval": "row3.kinds.retrieval",
    "graph": "row3.kinds.graph",
}
"""By name, the module whose `KIND` is the kind. Imported on first use: a run needs only one."""


class _Kinds(Mapping[str, Kind]):
    """The kinds by name."""

    def __getitem__(self, name: str) -> Kind:
        if name not in MODULES:
            raise KeyError(name)
        return _kind(name)

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)

    def __contains__(self, name: object) -> bool:
        return name in MODULES


@cache
def _kind(name: str) -> Kind:
    kind: Kind = import_module(MODULES[name]).KIND
    return kind


KINDS: Mapping[str, Kind] = _Kinds()


def of_another_kind(output: str, kind: Kind) -> bool:
    """An output that this kind does not know, and another does: its prompt is another suite's."""
    return output not in kind.outputs and any(output in other.outputs for other in KINDS.values())


def kind_named(name: str, *, where: str) -> Kind:
    """The kind of that name; raises `InvalidFile` naming those there are."""
    if name not in KINDS:
        raise InvalidFile(f"kind `{name}` is not known", where=where, fix=f"Kinds: {', '.join(KINDS)}")
    return KINDS[name]
