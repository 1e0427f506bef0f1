"""An answer that says nothing where nothing is to be found, beside one that invents: it has no figure, and is right."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from row3.kinds.base import Kind


def both_sides(
    kind: Kind, before: Mapping[str, float], after: Mapping[str, float]
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The metrics of two answers to one case as they compare; see `side_by_side`."""
    if not kind.invented or (kind.primary in before) is (kind.primary in after):
        return before, after
    before, after = side_by_side(kind, (before, after))
    return before, after


def side_by_side(kind: Kind, answers: Sequence[Mapping[str, float]]) -> Sequence[Mapping[str, float]]:
    """The metrics of answers to one case as they compare, or make a mean.

    Where one invents and another is silent, the silent one is flawless in what the other is judged by; else what is
    invented there, or is no more, would move nothing. Where all are silent there is nothing to compare.
    """
    if not kind.invented:
        return answers
    invent = [metrics for metrics in answers if kind.primary in metrics]
    if not 0 < len(invent) < len(answers):
        return answers
    judged_by = {key for metrics in invent for key in metrics}
    return [metrics if kind.primary in metrics else _flawless(kind, metrics, judged_by) for metrics in answers]


def _flawless(kind: Kind, silent: Mapping[str, float], judged_by: Collection[str]) -> Mapping[str, float]:
    lacks = [metric for metric in kind.metrics if metric.key in judged_by and metric.key not in silent]
    # Whatever else the others are judged by asks for something, so that it answers another case.
    if any(metric.higher_is_better and metric.key not in kind.invented for metric in lacks):
        return silent
    return {**silent, **{metric.key: float(metric.higher_is_better) for metric in lacks}}
