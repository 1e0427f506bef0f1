"""What kinds have in common whose answer is one list of items: `events`, `entities`, `retrieval`, `graph`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from row3.domain.asks import Scoring
from row3.domain.items import Items, items_json
from row3.domain.scores import CaseScore, Tally
from row3.domain.structs import describe
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.base import Kind, Rules
from row3.kinds.outputs import answer_schema, fit, plain, read_text

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
"""Why a metric says nothing of an answer that has nothing in it to be judged. Every other reason lies in the case."""


class ListKind(Kind):
    """A kind whose answer is `{"<items>": […]}`. Subclasses say what an item is and how one is judged."""

    items: str
    """Key of the list in an answer."""

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """See `Kind`."""
        return answer_schema(self.outputs[output], {})

    @abstractmethod
    def judge(self, case: Any, output: Any, rules: Rules) -> tuple[Items, CaseScore]:
        """What each item is, and the values and counts of the metrics that apply."""

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
        """What the last prompt of the pipeline gave."""
        return outputs[self.items]

    def context(self, output: str, value: Any) -> dict[str, Any]:
        """What the templates of later prompts see: the list as plain values."""
        return {output: plain(value)[output]}

    def score(self, case: Any, output: Any, rules: Rules) -> Scoring:
        """Score one output; asks for nothing."""
        yield from ()
        items, score = self.judge(case, output, rules)
        return self._finish(score, items)

    def bad_answer(self, case: Any, reason: str, raw: str, rules: Rules) -> CaseScore:
        """0 on every metric that applies; everything expected counts as missed."""
        items, score = self.judge(case, self.outputs[self.items]([]), rules)
        # What says nothing of an empty answer is 0 for one that cannot be used, or breaking would beat being wrong.
        applies = {
            metric.key: 0.0
            for metric in self.metrics
            if metric.key in score.metrics
            or (metric.higher_is_better and score.skipped.get(metric.key) in EMPTY)
            or metric.key in self.invented
        }
        skipped = {key: why for key, why in score.skipped.items() if key not in applies}
        finished = self._finish(replace(score, metrics=applies, skipped=skipped), items)
        return replace(finished, status="bad_answer", problem=reason, raw=raw)

    def _finish(self, score: CaseScore, items: Items) -> CaseScore:
        metrics = score.metrics
        ordered = {metric.key: metrics[metric.key] for metric in self.metrics if metric.key in metrics}
        counts = {key: pair for key, pair in score.counts.items() if key in ordered}
        return replace(score, metrics=ordered, counts=counts, explanation=items, tally=self._tally(items))

    def _tally(self, items: Items) -> Tally:
        counts: dict[str, int] = {}
        for match in items.items:
            counts[match.state] = counts.get(match.state, 0) + 1
        return {self.items: counts} if counts else {}

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """What was missed, and what was wrong; empty lists are left out."""
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
