"""What kinds have in common whose answer is one list of items: `events`, `entities`, `retrieval`, `graph`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, get_args, get_origin

import rapidfuzz
from msgspec.structs import replace
from pydantic import BaseModel, ValidationError

from row3.domain.items import Items, items_json
from row3.domain.metrics import Metric
from row3.domain.scores import CaseScore, Tally
from row3.kinds.answers import as_model, over_length, read_json
from row3.kinds.base import Finding, Parsed, Reference, Rules, Unusable
from row3.kinds.demands import Expected, demand_map
from row3.kinds.empty_answers import EMPTY
from row3.kinds.misfits import describe


class ListKind(ABC):
    """A kind whose answer is `{"<items>": […]}`. Subclasses say what an item is and how one is judged."""

    name: str
    version: int
    """Of the scorer: raise it with every change that can move a score."""
    items: str
    """Key of the list in an answer."""
    case_model: type[BaseModel]
    plain_cases = False
    outputs: Mapping[str, type[BaseModel]]
    """What a prompt's front matter may ask for: the list."""
    metrics: Sequence[Metric]
    primary: str
    invented: frozenset[str] = frozenset()
    """Metrics that count what is invented where nothing is expected; see `Kind.invented`."""

    def signature(self, rules: Rules) -> str:
        """Scorer version and what it compares names with; see `Kind.signature`."""
        release = ".".join(rapidfuzz.__version__.split(".")[:2])
        return f"{self.name}/{self.version} {rules.names.scorer}>={rules.names.threshold:g} rapidfuzz/{release}"

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """JSON schema of the answer that a prompt with this output asks for."""
        return answer_schema(self.outputs[output])

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
        if too_long := over_length(text):
            return too_long
        model = self.outputs[output]
        if "NaN" not in text and "Infinity" not in text:
            with suppress(ValidationError):
                return Parsed(model.model_validate_json(text))
        found = read_json(text)
        return found if isinstance(found, Unusable) else self._fit(found.value, found.repairs)

    def read_output(self, value: Any) -> Parsed | Unusable:
        """Read a whole output, made elsewhere (JSON value, or text of one)."""
        return self.parse(self.items, value) if isinstance(value, str) else self._fit(value, ())

    def usual_line(self, raw: bytes) -> tuple[str, Any, int] | None:
        """None: every line is looked at closely."""
        return None

    def _fit(self, value: Any, repairs: tuple[str, ...]) -> Parsed | Unusable:
        if isinstance(value, list):
            value, repairs = {self.items: value}, (*repairs, f"bare list taken for the {self.items}")
        if not isinstance(value, dict):
            return Unusable(f"the answer is {describe(value)}, not an object")
        return as_model(self.outputs[self.items], value, repairs)

    def combine(self, outputs: Mapping[str, Any]) -> Any:
        """What the last prompt of the pipeline gave."""
        return outputs[self.items]

    def context(self, output: str, value: Any) -> dict[str, Any]:
        """What the templates of later prompts see: the list as plain values."""
        return {output: value.model_dump(mode="json")[output]}

    def output_json(self, output: Any) -> dict[str, Any]:
        """The list as plain values, without what is not there."""
        value: dict[str, Any] = output.model_dump(by_alias=True, exclude_none=True)
        return value

    def score(self, case: Any, output: Any, rules: Rules) -> CaseScore:
        """Score one output."""
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


def answer_schema(model: type[BaseModel], choices: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """The JSON schema that an answer is asked to fit, derived from the output model.

    As `answer_schema` of kind `extraction`, and for the same reasons: all keys required, nothing beside them, nothing
    that a release of pydantic could move. A field that may be anything is asked for as a text; one that is marked
    `exclude` is read where it is given, and not asked for.

    Args:
        model: the output model.
        choices: by field, what it may be, where the suite says so; over what the model says.
    """
    properties: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        if field.exclude:
            continue
        kind, item = field.annotation, get_args(field.annotation)[:1]
        if get_origin(kind) is list and isinstance(item[0], type) and issubclass(item[0], BaseModel):
            properties[name] = {"type": "array", "items": answer_schema(item[0], choices)}
            continue
        if get_origin(kind) is list:
            properties[name] = {"type": "array", "items": {"type": "string"}}
        else:
            properties[name] = {"type": "integer" if int in (kind, *get_args(kind)) else "string"}
        if field.description:
            properties[name]["description"] = field.description
        own = field.json_schema_extra.get("enum") if isinstance(field.json_schema_extra, dict) else None
        if allowed := (choices or {}).get(name, own if isinstance(own, list) else ()):
            properties[name]["enum"] = list(allowed)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
