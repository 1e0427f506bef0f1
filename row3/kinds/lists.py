"""What kinds have in common whose answer is one list of items: `events`, `entities`, `retrieval`, `graph`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import rapidfuzz
from msgspec.structs import replace

from row3.domain.asks import Scoring
from row3.domain.items import Items, items_json
from row3.domain.metrics import Metric
from row3.domain.scores import CaseScore, Tally
from row3.domain.structs import describe
from row3.kinds.base import Finding, Parsed, Reference, Rules, Unusable
from row3.kinds.demands import Expected, demand_map
from row3.kinds.empty_answers import EMPTY
from row3.kinds.outputs import answer_schema, fit, plain, read_text


class ListKind(ABC):
    """A kind whose answer is `{"<items>": […]}`. Subclasses say what an item is and how one is judged."""

    name: str
    version: int
    """Of the scorer: raise it with every change that can move a score."""
    items: str
    """Key of the list in an answer."""
    case_model: type[Any]
    case_schema: str
    outputs: Mapping[str, type[Any]]
    """What a prompt's front matter may ask for: the list."""
    metrics: Sequence[Metric]
    primary: str
    related = False
    invented: frozenset[str] = frozenset()
    """Metrics that count what is invented where nothing is expected; see `Kind.invented`."""

    def signature(self, rules: Rules) -> str:
        """Scorer version and what it compares names with; see `Kind.signature`."""
        release = ".".join(rapidfuzz.__version__.split(".")[:2])
        return f"{self.name}/{self.version} {rules.names.scorer}>={rules.names.threshold:g} rapidfuzz/{release}"

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """JSON schema of the answer that a prompt with this output asks for."""
        return answer_schema(self.outputs[output], {})

    @abstractmethod
    def variables(self, case: Any) -> dict[str, Any]:
        """What a prompt's template sees of a case: its input, never its expectations."""

    @abstractmethod
    def judge(self, case: Any, output: Any, rules: Rules) -> tuple[Items, CaseScore]:
        """What each item is, and the values and counts of the metrics that apply."""

    @abstractmethod
    def nothing(self) -> Any:
        """An empty output."""

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

    def output_json(self, output: Any) -> dict[str, Any]:
        """The list as plain values, without what is not there."""
        value: dict[str, Any] = plain(output, without_none=True)
        return value

    def score(self, case: Any, output: Any, rules: Rules) -> Scoring:
        """Score one output; asks for nothing."""
        yield from ()
        items, score = self.judge(case, output, rules)
        return self._finish(score, items)

    def bad_answer(self, case: Any, reason: str, raw: str, rules: Rules) -> CaseScore:
        """0 on every metric that applies; everything expected counts as missed."""
        items, score = self.judge(case, self.nothing(), rules)
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

    @abstractmethod
    def expectations(self, case: Any) -> Sequence[str]:
        """One line for everything the case demands; fewer of them is a weaker case."""

    @abstractmethod
    def expected(self, case: Any) -> Iterable[Expected]:
        """All that the case expects and forbids."""

    def demands(self, case: Any) -> Mapping[str, str]:
        """What the case demands, by key."""
        return demand_map(case, self.variables(case), self.expected(case))

    def swaps_a_name(self, before: Any, after: Any) -> bool:
        """Whether the later case names another thing in a demand whose line is the same; here lines have ids alone."""
        return False

    @abstractmethod
    def lint(self, case: Any, rules: Rules) -> list[Finding]:
        """What is wrong or weak about one case."""

    def declares(self, case: Any) -> Sequence[Reference]:
        """Documents and entities that cases of other suites may name; here none."""
        return ()

    def refers_to(self, case: Any) -> Sequence[Reference]:
        """Documents and entities of other suites' cases that this one names; here none."""
        return ()

    def lint_suite(self, cases: Sequence[Any]) -> list[Finding]:
        """What is wrong or weak about the cases together."""
        return []
