"""The kinds of suite: each is a module or package here and a line in `MODULES`; see CONTRIBUTING.md."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from row3.errors import InvalidFile

if TYPE_CHECKING:
    from row3.kinds.base import Kind, MonitoredKind

MODULES = {
    "extraction": "row3.kinds.extraction.score",
    "events": "row3.kinds.events.score",
    "entities": "row3.kinds.entities",
    "retrieval": "row3.kinds.retrieval",
    "graph": "row3.kinds.graph",
    "checks": "row3.kinds.checks.score",
    "outcome": "row3.kinds.outcome.score",
}
"""Module of each kind, by the kind's name; its `KIND` is imported on first use."""
MONITORED = "extraction"
"""Kind of what production answers: monitoring measures records by it, and traces become cases of it."""
ANY_FORM = "checks"
"""Kind whose answers have any form, and so any schema."""
DEFAULT = next(iter(MODULES))
"""Kind of a suite that names none."""


@cache
def _kind(name: str) -> Kind:
    kind: Kind = import_module(MODULES[name]).KIND
    return kind


def all_kinds() -> dict[str, Kind]:
    """Return the kinds by name; imports all of them."""
    return {name: _kind(name) for name in MODULES}


def kind_named(name: str, *, where: str) -> Kind:
    """Return the kind of that name. Raises `InvalidFile`, with the known names, for an unknown one."""
    if name not in MODULES:
        raise InvalidFile(f"unknown kind `{name}`", where=where, fix=f"Kinds: {', '.join(MODULES)}")
    return _kind(name)


def checking_kind() -> str:
    """Return the kind whose cases list the checks of an answer: what other programs' evaluations become."""
    return next(name for name, kind in all_kinds().items() if kind.check_model is not None)


def monitored_kind() -> MonitoredKind:
    """Return the kind of production's answers."""
    from row3.kinds.base import MonitoredKind

    kind = _kind(MONITORED)
    assert isinstance(kind, MonitoredKind)
    return kind


def of_another_kind(output: str, kind: Kind) -> bool:
    """Return whether an output belongs to another kind or a judge instead of the given kind."""
    from row3.domain.prompts import RUBRIC_OUTPUTS  # whose models `--help` has no use for

    if output in kind.outputs:
        return False
    return output in RUBRIC_OUTPUTS or any(output in other.outputs for other in all_kinds().values())
