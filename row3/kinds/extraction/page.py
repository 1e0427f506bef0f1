"""Kind `extraction`: a case as the report page shows it, in few bytes."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import Any

from row3.domain.matches import CORRECT_RELATIONSHIP, ConceptMatch, Explanation, Triple
from row3.kinds.extraction.model import ExtractionOut, GoldenCase


def page_value(
    case: GoldenCase, explanation: Explanation, output: ExtractionOut | None, before: ExtractionOut | None
) -> dict[str, Any]:
    """Return the case's matches, what it expects, the answer's quotes and the baseline's answer.

    Names stand once, in `names`; everywhere else their number does. Quotes are places in the text where they can be.

    Args:
        output: what was scored; None for a bad answer.
        before: the baseline's answer; None for none to show.
    """
    names: dict[str, int] = defaultdict(count().__next__)
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
                quotes(given[i].quote) if same else 0,
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
            "concepts": [[names[one.label], quotes(one.quote)] for one in before.concepts],
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
    """Return the expected relationship nearest to one that is not right; 0 for none."""
    return 0 if expected is None or state in CORRECT_RELATIONSHIP else _ends(names, expected)


def _remark(match: ConceptMatch) -> str | int:
    """Return why it matched or not, and a type that is not as expected; 0 for nothing to say."""
    parts = [match.how or match.why_not]
    if match.type is not None and match.type.state != "exact":
        parts.append(f"type {match.type.given or 'none'} for {match.type.expected}")
    return "; ".join(part for part in parts if part) or 0


class _Quotes:
    """Quotes as places in the text; the quote itself where the text does not contain it letter by letter."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._numbered = not text or max(text) <= "\uffff"
        """Python counts characters and JavaScript UTF-16 units: they agree where no character takes two."""

    def __call__(self, quote: str) -> list[int] | str | int:
        """Return start and end, or the quote; 0 for none."""
        if not quote.strip():
            return 0
        start = self._text.find(quote) if self._numbered else -1
        return quote if start < 0 else [start, start + len(quote)]
