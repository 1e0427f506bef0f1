"""What the kinds whose answer is one list of items share: `events`, `entities`, `retrieval`, `graph`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from row3.domain.embeddings import Scoring
from row3.domain.matches import Items, items_json
from row3.domain.scores import CaseScore, Tally
from row3.domain.structs import describe
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.base import Kind, Rules
from row3.kinds.outputs import answer_schema, fit, plain, read_text
from row3.metrics.ratios import ratio
from row3.metrics.tallies import counted

NO_EVENT_FOUND = "no event was found"
NO_EVENT_EXTRACTED = "no event was extracted"
NO_ENTITY_FOUND = "no entity was found"
NO_MENTION_FOUND = "no mention was found"
NONE_VALID = "no connection is valid"
NONE_RETURNED = "no connection was returned"
NO_RESULTS = "there are no results"

EMPTY = frozenset(
    (NO_EVENT_FOUND, NO_EVENT_EXTRACTED, NO_ENTITY_FOUND, NO_MENTION_FOUND, NONE_VALID, NONE_RETURNED, NO_RESULTS)
)
"""Why a metric does not apply to an answer with nothing in it to judge. Every other reason lies in the case."""


class JudgedItems(NamedTuple):
    """One answer, judged item by item."""

    items: Items
    counts: Mapping[str, tuple[int, int]]
    """Numerator and denominator of each metric that is a ratio."""
    skipped: Mapping[str, str]
    values: Mapping[str, float] = {}
    """Metrics that are not a ratio of counts."""
    notes: tuple[str, ...] = ()


class ListKind(Kind):
    """A kind whose answer is `{"<items>": […]}`. Subclasses define what an item is and how it is judged."""

    items: str
    """Key of the list in an answer."""
    tallied: tuple[str, str] | None = None
    """Group of the tally, and the note of an item that it counts; None for a tally of states only."""

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """See `Kind`."""
        return answer_schema(self.outputs[output], {})

    @abstractmethod
    def judge(self, case: Any, output: Any, rules: Rules) -> JudgedItems:
        """Return what each item is, and the counts and values of all metrics."""

    def parse(self, output: str, text: str) -> Parsed | Unusable:
        """Read an answer, repairing what is harmless."""
        return read_text(self.outputs[output], text, self._fit)

    def read_output(self, value: Any) -> Parsed | Unusable:
        """Read a whole output, made elsewhere (JSON value, or text of one)."""
        return self.parse(self.items, value) if isinstance(value, str) else self._fit(value, ())

    def _fit(self, value: Any, repairs: tuple[str, ...]) -> Parsed | Unusable:
        if isinstance(value, list):
            value, repairs = {self.items: value}, (*repairs, f"bare list taken for the {self.items}")
        if not isinstance(value, dict):
            return Unusable(f"the answer is {describe(value)}, not an object")
        return fit(self.outputs[self.items], value, repairs)

    def combine(self, outputs: Mapping[str, Any]) -> Any:
        """Return the output of the pipeline's last prompt."""
        return outputs[self.items]

    def context(self, output: str, value: Any) -> dict[str, Any]:
        """Return the list as plain values, as the templates of later prompts see it."""
        return {output: plain(value)[output]}

    def score(self, case: Any, output: Any, rules: Rules) -> Scoring:
        """Score one output; asks for nothing."""
        yield from ()
        return self._score(case, self.judge(case, output, rules))

    def bad_answer(self, case: Any, reason: str, raw: str, rules: Rules) -> CaseScore:
        """Return 0 on every metric that applies; everything expected counts as missed."""
        judged = self.judge(case, self.outputs[self.items]([]), rules)
        score = self._score(case, judged)
        # A metric that does not apply to an empty answer is 0 for an unusable one, or breaking would beat being wrong.
        applies = {
            metric.key: 0.0
            for metric in self.metrics
            if metric.key in score.metrics
            or (metric.higher_is_better and score.skipped.get(metric.key) in EMPTY)
            or metric.key in self.invented
        }
        skipped = {key: why for key, why in score.skipped.items() if key not in applies}
        counts = {key: pair for key, pair in judged.counts.items() if key in applies}
        return replace(
            score, metrics=applies, skipped=skipped, counts=counts, status="bad_answer", problem=reason, raw=raw
        )

    def _score(self, case: Any, judged: JudgedItems) -> CaseScore:
        values = {key: ratio(*pair) for key, pair in judged.counts.items()} | {**judged.values}
        keys = [metric.key for metric in self.metrics if metric.key in values and metric.key not in judged.skipped]
        return CaseScore(
            case.id,
            "scored",
            {key: values[key] for key in keys},
            judged.skipped,
            {key: pair for key, pair in judged.counts.items() if key in keys},
            judged.items,
            notes=judged.notes,
            tally=self._tally(judged.items),
        )

    def _tally(self, items: Items) -> Tally:
        groups = {self.items: counted([match.state for match in items.items])}
        if self.tallied is not None:
            group, note = self.tallied
            groups[group] = counted([match.notes[note] for match in items.items if note in match.notes])
        return {group: counts for group, counts in groups.items() if counts}

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """Return what was missed and what was wrong; empty lists are left out."""
        found: Items | None = score.explanation
        if found is None:
            return {}
        name = self.items[:1].upper() + self.items[1:]
        lists = {
            f"missed{name}": tuple(e.label for e in found.expected if e.found_by is None),
            f"wrong{name}": tuple(m.label for m in found.items if m.state not in found.correct),
        }
        return {key: lines for key, lines in lists.items() if lines}

    def matches_json(self, explanation: Items) -> dict[str, Any]:
        """An explanation as plain values: every match of every item."""
        return items_json(explanation)
