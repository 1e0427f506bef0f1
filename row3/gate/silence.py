"""An answer that says nothing where nothing is to be found, beside one that invents: it has no figure, and is right."""

from __future__ import annotations

from collections.abc import Mapping

from row3.kinds.base import Kind


def both_sides(
    kind: Kind, before: Mapping[str, float], after: Mapping[str, float]
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The metrics of two answers to one case as they compare.

    Where one invents and the other is silent, the silent one is flawless in what the other is judged by; else what is
    invented there, or is no more, would move nothing. Where both are silent there is nothing to compare.
    """
    if not kind.invented or (kind.primary in before) is (kind.primary in after):
        return before, after
    if kind.primary in after:
        return _flawless(kind, before, after), after
    return before, _flawless(kind, after, before)


def _flawless(kind: Kind, silent: Mapping[str, float], other: Mapping[str, float]) -> Mapping[str, float]:
    lacks = [metric for metric in kind.metrics if metric.key in other and metric.key not in silent]
    # Whatever else the other one is judged by asks for something, so that it answers another case.
    if any(metric.higher_is_better and metric.key not in kind.invented for metric in lacks):
        return silent
    return {**silent, **{metric.key: float(metric.higher_is_better) for metric in lacks}}
