"""Results on their way between processes: as plain tuples, which are pickled in half the time of named ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from row3.domain.verdicts import CaseChange, Compared
from row3.workflows.pipeline.results import CaseResult, Spent
from row3.workflows.pipeline.spool import SharedFile

_DETAIL, _SPENT, _COMPARED = (CaseResult._fields.index(name) for name in ("detail", "spent", "compared"))
_change_values = attrgetter(*CaseChange.__match_args__)

Sent = list[tuple[Any, ...]]


def send(results: Iterable[CaseResult], file: SharedFile | None) -> Sent:
    """The results as plain values. Their details are written to the file, and only their places are sent: they are ten
    times as much as all the rest. Without a file they are sent. Raises `EnvironmentFault` where there is no room."""
    sent, details = [], []
    for result in results:
        values: list[Any] = list(result)
        values[_SPENT] = [tuple(spent) for spent in result.spent]
        if result.compared is not None:
            change, *rest = result.compared
            values[_COMPARED] = (_change_values(change), *rest)
        if isinstance(result.detail, bytes):
            details.append(result.detail)
        sent.append(values)
    places = iter(() if file is None else file.write(details))
    for values in () if file is None else sent:
        if isinstance(values[_DETAIL], bytes):
            values[_DETAIL] = next(places)
    return [tuple(values) for values in sent]


def receive(sent: Iterable[Sequence[Any]]) -> list[CaseResult]:
    """The results as they were, but for their details."""
    return [_received(list(values)) for values in sent]


def _received(values: list[Any]) -> CaseResult:
    values[_SPENT] = tuple([Spent._make(spent) for spent in values[_SPENT]])
    if values[_COMPARED] is not None:
        change, *rest = values[_COMPARED]
        values[_COMPARED] = Compared(CaseChange(*change), *rest)
    return CaseResult._make(values)
