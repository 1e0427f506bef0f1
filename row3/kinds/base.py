"""The interface that every kind implements, and the suite's rules that it receives."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple

import rapidfuzz

from row3.domain.asks import Ask, Scoring, finish, no_vectors
from row3.domain.embeddings import SemanticRule
from row3.domain.judges import Graded, JudgeRules, Judging
from row3.domain.matches import items_json
from row3.domain.metrics import Metric, Threshold
from row3.domain.predicates import INVERSES, ROW3_PREDICATES, SYMMETRIC
from row3.domain.prompts import Prompt
from row3.domain.requests import digest_json
from row3.domain.scores import CaseScore, Tally
from row3.kinds.answers import Parsed, Unusable, named_fault
from row3.kinds.cases import DISARMED, SOURCE, demand_text, fact_text, split_case
from row3.kinds.mistakes import Mistakes, item_mistakes, spaced
from row3.kinds.outputs import NO_FIELDS, Fields, answer_schema, fit, plain, read_text
from row3.matching.normalise import normalise
from row3.matching.scorers import NameRule
from row3.matching.text.quotes import SourceText
from row3.metrics.aggregate import counted
from row3.metrics.ratios import ratio


@dataclass(frozen=True, slots=True)
class Rules:
    """A suite's settings of `row3.toml` that can change a score."""

    names: NameRule = field(default_factory=NameRule)
    inverses: tuple[tuple[str, str], ...] = tuple(INVERSES.items())
    symmetric: tuple[str, ...] = SYMMETRIC
    predicates: tuple[str, ...] = ROW3_PREDICATES
    """Allowed predicates; empty for any."""
    types: tuple[str, ...] | None = None
    """Allowed concept types; empty for any, None if the prompt asks for none."""
    weights: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)
    semantic: SemanticRule | None = None
    """Matching by embeddings of names that nothing else matched; None if off."""
    checks: tuple[Any, ...] = ()
    """Checks made of every case of the suite."""
    passes: int | None = None
    """Repeats that must pass for a case to pass; None to use their mean."""
    judge: JudgeRules | None = None
    """The judge that grades answers; None if there is none."""
    documents: Mapping[str, SourceText] = field(default_factory=dict)
    fields: Fields = field(default_factory=dict)
    """Paths of the kind's fields in an answer."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A lint finding in a golden case; `path` leads to the field, outermost first."""

    level: Literal["error", "warning"]
    rule: str
    message: str
    path: tuple[str | int, ...] = ()
    setting: str = ""
    """The suite's setting that affects it; with `standards`, reported only if the suite sets them."""


lint_error, lint_warning = partial(Finding, "error"), partial(Finding, "warning")


class Reference(NamedTuple):
    """A document or entity that a case defines or refers to."""

    what: Literal["document", "entity"]
    name: str
    path: tuple[str | int, ...] = ()


class Expected(NamedTuple):
    """An item that a case expects or forbids."""

    what: str
    """`concept`, `canary`, `relationship` …"""
    name: str
    facts: Mapping[str, Any] = {}
    """Further demands on it by name: `required`, `alias`, `type`."""
    names: Sequence[str] = ()
    """What an answer calls it, if not `name`; a forbidden item with a name of an expected one is never found."""
    forbidden: bool = False


class Measured(NamedTuple):
    """An answer's score and its explanation."""

    explanation: Any
    """How each item matched: `Items`, or the kind's own type."""
    counts: Mapping[str, tuple[int, int]]
    """Numerator and denominator of each metric that is a ratio."""
    values: Mapping[str, float] = {}
    """Metrics that are not a ratio of counts."""
    skipped: Mapping[str, str] = {}
    """Why metrics do not apply to the case."""
    empty: Mapping[str, str] = {}
    """Why further metrics do not apply to this answer: they have nothing to count in it."""
    tally: Tally | None = None
    """Counts of item states; None to count those of `Items`."""


class Kind(ABC):
    """One kind of suite. All methods are pure."""

    name: str
    version: int
    """Scorer version: raise it with every change that can move a score; a test pins its scores."""
    case_model: type[Any]
    """A `row3.kinds.cases.Case`; the first line of its docstring says what a golden case of this kind is."""
    case_schema: str
    """Name of the JSON schema of its cases."""
    metrics: Sequence[Metric]
    """Metrics in display order: headline metrics first, the last of them the composite."""
    outputs: Mapping[str, type[Any]]
    """Each `row3.kinds.outputs.Output` by its name in a prompt's front matter. The last one is scored."""
    primary: str
    """Key of the composite, or of the metric used instead."""
    related = False
    """Whether suites may set predicates and semantic matching."""
    invented: frozenset[str] = frozenset()
    """Metrics skipped if nothing is expected, unless the answer has items."""
    tallied: tuple[str, str] | None = None
    """An additional group of the tally, and the item note that it counts."""
    check_model: type[Any] | None = None
    """Type of a suite's `checks`; None for a kind without checks."""
    rubrics: frozenset[str] = frozenset()
    """Output names of rubric prompts; empty for a kind without a judge."""
    judged_metrics: frozenset[str] = frozenset()
    """Metrics based on a judge's grades: they block only if the judge is warranted."""
    graded_as: str = ""
    """Name on pages for the graded parts of an answer; empty if answers are lists of items."""
    also_wrong: frozenset[str] = frozenset()
    """States of items that count as found but are partly wrong."""
    in_text = False
    """Whether its labels occur in a case's text, where pages mark them."""
    arms: tuple[str, ...] = ()
    """Names of the systems that answer each case; empty for one."""
    gate_defaults: Mapping[str, Any] = {}
    """Defaults of the gate, instead of `GatePolicy`'s."""

    @property
    def primary_metric(self) -> Metric:
        """The metric that the gate judges first."""
        return next(metric for metric in self.metrics if metric.key == self.primary)

    @property
    def whole(self) -> str:
        """Name of the output that is scored."""
        return list(self.outputs)[-1]

    def signature(self, rules: Rules) -> str:
        """Return everything but case and output that can change a score; scores with equal signatures are comparable.

        Weights and thresholds are compared separately.
        """
        release = ".".join(rapidfuzz.__version__.split(".")[:2])
        return f"{self.name}/{self.version} {rules.names.scorer}>={rules.names.threshold:g} rapidfuzz/{release}"

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """Return the JSON schema of answers to a prompt with this output."""
        return answer_schema(self.outputs[output], {})

    def rubric_schema(self, rubric: Prompt) -> Mapping[str, Any]:
        """Return the JSON schema of a judge's answer to this rubric."""
        return {}

    def rubric_variables(self) -> Mapping[str, Any]:
        """Return example variables, with which a rubric's template is checked before a judge is asked."""
        return {}

    def variables(self, case: Any) -> dict[str, Any]:
        """Return a case's variables for a prompt's template: its input, never its expectations."""
        value: dict[str, Any] = case.variables()
        return value

    def parse(self, output: str, text: str, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
        """Parse a prompt's answer as the named output, with the documented repairs."""
        return read_text(self.outputs[output], text, fields)

    def read_output(self, value: Any, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
        """Parse an output made by another program: a JSON value, or its text."""
        if isinstance(value, str):
            return self.parse(self.whole, value, fields)
        return fit(self.outputs[self.whole], value, fields=fields)

    def combine(self, outputs: Mapping[str, Any]) -> Any:
        """Return one output for the pipeline's outputs, given by output name."""
        return outputs[self.whole]

    def context(self, output: str, value: Any) -> dict[str, Any]:
        """Return an output's variables for the templates of later prompts."""
        return {output: plain(value)[output]}

    def output_json(self, output: Any) -> Any:
        """Return a whole output as plain JSON values, without empty fields."""
        return plain(output, without_none=True)

    @abstractmethod
    def measure(self, case: Any, output: Any, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Match, count and explain one output; yields requests and is sent the answers."""

    def asks(self, case: Any, rules: Rules) -> bool:
        """Return whether a score needs more than case and answer: a judge, a scorer, or the answer's cost or time."""
        return False

    def scorers(self, case: Any, rules: Rules) -> Iterable[str]:
        """Return the functions, `module:function`, that score a case; without a case, those of the suite's checks."""
        return ()

    def judged(self, case: Any, output: Any, rules: Rules) -> Iterable[tuple[Graded, Judging]]:
        """Return each part of an output that a judge grades, with a generator that asks the judge again."""
        return ()

    def score(self, case: Any, output: Any, rules: Rules) -> Scoring:
        """Score one output; yields requests and is sent the answers."""
        return self._score(case, (yield from self.measure(case, output, rules)))

    def bad_answer(self, case: Any, reason: str, raw: str, rules: Rules) -> CaseScore:
        """Return the score of an unusable answer: 0 on every metric that applies, all expected items missed."""
        measured = finish(self.measure(case, self.outputs[self.whole].empty(), rules), no_vectors)
        score = self._score(case, measured)
        # 0 also where an empty answer would be skipped: a broken answer must not beat a wrong one.
        applies = {
            metric.key: 0.0
            for metric in self.metrics
            if metric.key in score.metrics
            or (metric.higher_is_better and metric.key in measured.empty.keys() - measured.skipped.keys())
            or metric.key in self.invented
        }
        return replace(
            score,
            status="bad_answer",
            metrics=applies,
            skipped={key: why for key, why in score.skipped.items() if key not in applies},
            counts={key: pair for key, pair in measured.counts.items() if key in applies},
            problem=reason,
            raw=raw,
            tally={**score.tally, **named_fault(reason)},
        )

    def _score(self, case: Any, measured: Measured) -> CaseScore:
        skipped = {**measured.empty, **measured.skipped}
        values = {key: ratio(*pair) for key, pair in measured.counts.items()} | {**measured.values}
        metrics = {m.key: values[m.key] for m in self.metrics if m.key in values and m.key not in skipped}
        counts = {key: pair for key, pair in measured.counts.items() if key in metrics}
        tally = self._tally(measured.explanation) if measured.tally is None else measured.tally
        return CaseScore(case.id, "scored", metrics, skipped, counts, measured.explanation, tally=tally)

    def _tally(self, found: Any) -> Tally:
        groups = {self.whole: counted([match.state for match in found.items])}
        if self.tallied is not None:
            group, note = self.tallied
            groups[group] = counted([match.notes[note] for match in found.items if note in match.notes])
        return {group: counts for group, counts in groups.items() if counts}

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """Return errors as short lines by list: missed items in `missed…`, wrong ones in the others."""
        found = score.explanation
        if found is None:
            return {}
        name = self.whole.capitalize()
        lists = {
            f"missed{name}": tuple(e.label for e in found.expected if e.found_by is None),
            f"wrong{name}": tuple(m.label for m in found.items if m.state not in found.correct),
            "wrongTypes": tuple(m.label for m in found.items if m.notes.get("typeState") in ("wrong", "missing")),
        }
        return {key: lines for key, lines in lists.items() if lines}

    def mistakes(self, case: Any, score: CaseScore, rules: Rules) -> Mistakes:
        """Return the errors of an explained answer by cause."""
        return item_mistakes(score.explanation, self.also_wrong)

    def failure(self, name: str, item: str = "") -> str:
        """Return what kind of error an item of a `shortfall` list is, without revealing anything about the case."""
        return spaced(name)

    def matches_json(self, explanation: Any) -> dict[str, Any]:
        """Return an explanation, every match of every item, as values that JSON can hold."""
        return items_json(explanation)

    def split(self, case: dict[str, Any], rules: Rules) -> tuple[dict[str, Any], dict[str, Any]]:
        """Take input and expectations out of a case's JSON, as a service that keeps them apart wants them."""
        return split_case(case, self.case_model)

    def join(self, given: Any, expected: Any) -> dict[str, Any]:
        """Return the part of a case that `split` took, or that another program wrote; raises `ValueError`."""
        return {key: value for part in (given, expected) if isinstance(part, dict) for key, value in part.items()}

    @abstractmethod
    def expected(self, case: Any) -> Iterable[Expected]:
        """Return everything that a case expects or forbids."""

    def demands(self, case: Any) -> Mapping[str, str]:
        """Return a case's demands by key; a key that disappears is a removed demand.

        Duplicates count once; the order of lists does not matter. The key of a forbidden item that is also expected
        appears a second time, with the prefix `disarmed:`.
        """
        found = {"input": {digest_json(self.variables(case))}}
        if case.critical:
            found["critical"] = {"yes"}
        if source := (case.source or "").strip():
            found[SOURCE] = {source}
        items = list(self.expected(case))
        wanted = {normalise(name) for one in items if not one.forbidden for name in one.names or (one.name,)} - {""}
        for one in items:
            name = " ".join(unicodedata.normalize("NFKC", one.name).casefold().split())
            key = f"{one.what}:{name}"
            found.setdefault(key, set()).add(one.name)
            for fact, value in one.facts.items():
                if value is not None:
                    found.setdefault(f"{fact}:{key}", set()).add(fact_text(value))
            if one.forbidden and any(normalise(name) in wanted for name in one.names or (one.name,)):
                found[f"{DISARMED}{key}"] = {"yes"}
        return {key: demand_text(contents) for key, contents in found.items()}

    @abstractmethod
    def lint(self, case: Any, rules: Rules) -> Iterable[Finding]:
        """Return problems and weaknesses of one case."""

    def lint_rules(self, rules: Rules) -> Iterable[Finding]:
        """Return problems in the suite's settings, with paths below `[suites.NAME]`."""
        return ()

    def declares(self, case: Any) -> Sequence[Reference]:
        """Return the documents and entities that cases of other suites may refer to."""
        return ()

    def refers_to(self, case: Any) -> Sequence[Reference]:
        """Return the documents and entities of other suites' cases that this case refers to."""
        return ()

    def lint_suite(self, cases: Sequence[Any]) -> Iterable[Finding]:
        """Return problems and weaknesses of a suite's cases as a whole."""
        return ()
