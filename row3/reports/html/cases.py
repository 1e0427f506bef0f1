"""What the report page shows of a case: its row in the list, its body and its texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from row3.domain.metrics import Metric, Zone
from row3.domain.scores import CaseScore
from row3.domain.verdicts import CaseChange

DIGITS = 5
"""Of fractions: a thousandth of a percentage point, which is more than is shown."""


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One case, scored and compared."""

    case: Any
    score: CaseScore
    zones: Mapping[str, Zone]
    change: CaseChange | None
    metrics: Sequence[Metric]
    primary: str

    def row(self) -> list[Any]:
        """Id, title, domain, status, move, composite, its change, its zone, whether it is critical; null for none."""
        score, change = self.score, self.change
        value, zone = score.metrics.get(self.primary), self.zones.get(self.primary)
        return [
            score.case_id,
            str(getattr(self.case, "topic", "") or getattr(self.case, "title", "") or getattr(self.case, "query", "")),
            str(getattr(self.case, "domain", None) or ""),
            score.status,
            "" if change is None else change.move,
            None if value is None else round(value, DIGITS),
            None if change is None or self.primary not in change.deltas else round(change.delta, DIGITS),
            None if zone is None else zone.word,
            bool(getattr(self.case, "critical", False)),
        ]

    def body(self) -> dict[str, Any]:
        """Metrics in the kind's order with change and zone; what was gained and lost; what went wrong."""
        score, change = self.score, self.change
        deltas = {} if change is None else change.deltas
        value: dict[str, Any] = {
            "metrics": [
                [
                    metric.key,
                    round(score.metrics[metric.key], DIGITS),
                    round(deltas[metric.key], DIGITS) if metric.key in deltas else None,
                    self.zones[metric.key].word if metric.key in self.zones else None,
                ]
                for metric in self.metrics
                if metric.key in score.metrics
            ]
        }
        if change is not None:
            value["gained"], value["lost"], value["note"] = change.gained, change.lost, change.note
        for key in ("skipped", "problem", "raw", "notes", "spread"):
            if found := getattr(score, key):
                value[key] = found
        if score.repeats > 1:
            value["repeats"] = score.repeats
        return value


def texts_of(variables: Mapping[str, Any]) -> list[list[str]]:
    """The texts that a prompt sees of a case, with their names: those of lists of documents too."""
    found: dict[str, str] = {}
    """Name by text, since some kinds give the same text under two names."""
    for name, value in variables.items():
        if isinstance(value, str) and value.strip():
            found.setdefault(value, name)
        elif isinstance(value, (list, tuple)):
            for number, part in enumerate(value, 1):
                if isinstance(part, str):
                    found.setdefault(part, f"{name} {number}")
                elif isinstance(part, Mapping) and (texts := [str(t) for t in part.values() if isinstance(t, str)]):
                    found.setdefault(max(texts, key=len), f"{name} {number}: {min(texts, key=len)}")
    return [[name, text] for text, name in found.items()]
