"""What the page knows of a case: its row in the list, its body, and an extraction in few bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from row3.domain.matches import CORRECT_RELATIONSHIP, ConceptMatch, Explanation, Triple
from row3.domain.metrics import Metric, Zone
from row3.domain.scores import CaseScore
from row3.domain.verdicts import CaseChange
from row3.kinds.extraction.model import ExtractionOut, GoldenCase, quote_of

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


def _numbered() -> dict[str, int]:
    """Numbers names in the order in which they are asked for; a case has hundreds, so no call of ours is made."""
    return defaultdict(count().__next__)


def extraction_value(
    case: GoldenCase, explanation: Explanation, output: ExtractionOut | None, before: ExtractionOut | None
) -> dict[str, Any]:
    """The case's matches, what it expects, the answer's quotes and the baseline's answer.

    Args:
        output: what was scored; None for a bad answer.
        before: the baseline's answer; None where there is none to show.
    """
    names = _numbered()
    quotes = _Quotes(case.source_text)
    given = [] if output is None else output.concepts
    same = len(given) == len(explanation.concepts)
    aliases = {one.label: one.aliases for one in case.expected_concepts if one.aliases}
    value: dict[str, Any] = {
        "concepts": [
            [
                names[match.label],
                match.state,
                _optional(names, match.expected),
                round(match.score, 3),
                match.quote,
                int(match.grounded),
                quotes(given[i].source_quote) if same else 0,
                _remark(match),
            ]
            for i, match in enumerate(explanation.concepts)
        ],
        "expected": [
            [
                names[one.label],
                int(one.required),
                _optional(names, one.found_by),
                _optional(names, one.nearest),
                round(one.score, 3),
                aliases.get(one.label, 0),
            ]
            for one in explanation.expected_concepts
        ],
        "links": [
            [*_ends(names, one.triple), one.state, _near(names, one.state, one.expected)]
            for one in explanation.relationships
        ],
        "wanted": [
            [*_ends(names, one.triple), int(one.required), int(one.found_by is not None)]
            for one in explanation.expected_relationships
        ],
        "forbidden": [names[label] for label in case.forbidden_concepts],
    }
    if before is not None:
        value["before"] = {
            "concepts": [[names[one.label], quotes(one.source_quote)] for one in before.concepts],
            "links": [[names[one.source], names[one.predicate], names[one.target]] for one in before.relationships],
        }
    value["names"] = list(names)
    return value


def _optional(names: dict[str, int], name: str | None) -> int:
    """-1 for none."""
    return -1 if name is None else names[name]


def _ends(names: dict[str, int], triple: Triple) -> list[int]:
    return [names[triple.source], names[triple.predicate], names[triple.target]]


def _near(names: dict[str, int], state: str, expected: Triple | None) -> list[int] | int:
    """What a relationship that is not quite right comes nearest to; 0 where there is nothing to say."""
    return 0 if expected is None or state in CORRECT_RELATIONSHIP else _ends(names, expected)


def _remark(match: ConceptMatch) -> str | int:
    """The rule by which it matched or not, and a type that is not the expected one; 0 where there is nothing to say."""
    parts = [match.how or match.why_not]
    if match.type is not None and match.type.state != "exact":
        parts.append(f"type {match.type.given or 'none'} for {match.type.expected}")
    return "; ".join(part for part in parts if part) or 0


class _Quotes:
    """Quotes by where they stand in the text; as they are where they do not stand in it to the letter."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._numbered = not text or max(text) <= "\uffff"
        """Python counts characters and JavaScript half pairs: they agree where there are none."""

    def __call__(self, given: Any) -> list[int] | str | int:
        """Start and end, or the quote; 0 for none."""
        quote = quote_of(given)
        if not quote.strip():
            return 0
        start = self._text.find(quote) if self._numbered else -1
        return quote if start < 0 else [start, start + len(quote)]
