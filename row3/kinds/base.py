"""The interface that every kind implements, and the suite's rules that it receives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, cast

import rapidfuzz

from row3.domain.asks import Ask, Scoring, SemanticRule, finish, no_vectors
from row3.domain.judges import Graded, JudgeRules, Judging
from row3.domain.predicates import INVERSES, ROW3_PREDICATES, SYMMETRIC
from row3.domain.prompts import Prompt
from row3.domain.scores import CaseScore, Metric, Quality, Tally, Threshold
from row3.domain.words import words_of
from row3.kinds.answers import Parsed, Unusable, named_fault
from row3.kinds.demands import Expected
from row3.kinds.mistakes import Mistakes, item_mistakes
from row3.kinds.outputs import NO_FIELDS, Fields, answer_schema, fit
from row3.matching.scorers import NameRule
from row3.matching.text.quotes import SourceText
from row3.metrics.aggregate import counted
from row3.metrics.ratios import ratio

EntityNames = Sequence[Sequence[str]]
"""The entities of a document: of each its name, then its mentions."""


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
    entities: Mapping[str, EntityNames] = field(default_factory=dict)
    """Entities that the project's golden cases label in each document, by its id."""
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
    case_id: str = ""
    """The case that a finding about several cases is reported at, if one of them is to be changed."""


lint_error, lint_warning = partial(Finding, "error"), partial(Finding, "warning")


class Reference(NamedTuple):
    """A document or entity that a case refers to."""

    what: Literal["document", "entity"]
    name: str
    path: tuple[str | int, ...] = ()


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


class Group(NamedTuple):
    """A group of the tally: items of an answer, counted by state."""

    key: str
    title: str
    noun: str
    states: str
    """States in the order shown."""
    names: Mapping[str, str] = {}
    """By state, the group that counts which name replaced which."""
    note: str = ""
    """The note that holds the state; empty for the item's own."""


TYPES = Group("types", "Types", "matched", "exact normalised wrong missing", note="typeState")
"""The types of matched items, compared by `outputs.compare_types`."""


class Lint(NamedTuple):
    """The checks of a kind's golden cases."""

    case: Callable[[Any, Rules], Iterable[Finding]]
    """Problems and weaknesses of one case."""
    suite: Callable[[Sequence[Any]], Iterable[Finding]] = lambda cases: ()
    """Problems and weaknesses of a suite's cases as a whole."""
    rules: Callable[[Rules], Iterable[Finding]] = lambda rules: ()
    """Problems in the suite's settings, with paths below `[suites.NAME]`."""
    declares: Callable[[Any], Mapping[str, EntityNames]] | None = None
    """Documents that cases of other suites may refer to, by id, and what a case labels in them; None for none."""
    refers_to: Callable[[Any], Sequence[Reference]] = lambda case: ()
    """Documents and entities of other suites' cases that a case refers to."""


class Judgeable(NamedTuple):
    """What scores an answer beside row3: a judge, by its rubric prompts, and the project's own functions."""

    rubrics: frozenset[str] = frozenset()
    """Output names of rubric prompts; empty for a kind without a judge."""
    metrics: frozenset[str] = frozenset()
    """Metrics based on a judge's grades: they block only if the judge is warranted."""
    schema: Callable[[Prompt], Mapping[str, Any]] = lambda rubric: {}
    """The JSON schema of a judge's answer to a rubric."""
    example: Callable[[], Mapping[str, Any]] = dict
    """Example variables, with which a rubric's template is checked before a judge is asked."""
    graded: Callable[[Any, Any, Rules], Iterable[tuple[Graded, Judging]]] = lambda case, output, rules: ()
    """Each part of a case's output that a judge grades, with a generator that asks the judge again."""
    asks: Callable[[Any, Rules], bool] = lambda case, rules: False
    """Whether a case's score needs more than case and answer: a judge, a function, or the answer's cost or time."""
    lacks: Callable[[Any, Rules], str] = lambda case, rules: ""
    """Which rubric or setting the suite lacks to score a case; empty for none."""
    functions: Callable[[Any, Rules], Iterable[str]] = lambda case, rules: ()
    """The functions, `module:function`, that score a case; for None as the case, those of the suite's checks."""


class Kind(ABC):
    """One kind of suite. All methods are pure."""

    name: str
    version: int
    """Scorer version: raise it with every change that can move a score; a test pins its scores."""
    case_model: type[Any]
    """A `row3.kinds.cases.Case`; the first line of its docstring says what a golden case of this kind is."""
    metrics: Sequence[Metric]
    """Metrics in display order: headline metrics first, the last of them the composite, or what is judged first."""
    outputs: Mapping[str, type[Any]]
    """Each `row3.kinds.outputs.Output` by its name in a prompt's front matter. The last one is scored."""
    groups: Sequence[Group] = ()
    """Groups of the tally, in display order."""
    lint: Lint
    judgeable = Judgeable()
    settings: frozenset[str] = frozenset({"fields"})
    """Settings of a suite, of those that only some kinds use, that have an effect."""
    invented: frozenset[str] = frozenset()
    """Metrics skipped if nothing is expected, unless the answer has items."""
    check_model: type[Any] | None = None
    """Type of a suite's `checks`; None for a kind without checks."""
    graded_as: str = ""
    """Name on pages for the graded parts of an answer; empty if answers are lists of items."""
    in_text = False
    """Whether its labels occur in a case's text, where pages mark them."""
    by_entities = False
    """Whether its scores depend on the entities that cases of other suites label."""
    arms: tuple[str, ...] = ()
    """Names of the systems that answer each case; empty for one."""
    gate_defaults: Mapping[str, Any] = {}
    """Defaults of the gate, instead of `GatePolicy`'s."""
    drops: Mapping[str, float] = {}
    """Default of `GatePolicy.drops`."""

    @cached_property
    def primary_metric(self) -> Metric:
        """The metric that the gate judges first."""
        return [metric for metric in self.metrics if not metric.companion][-1]

    @property
    def primary(self) -> str:
        """Key of that metric."""
        return self.primary_metric.key

    @property
    def whole(self) -> str:
        """Name of the output that is scored."""
        return list(self.outputs)[-1]

    def signature(self, rules: Rules) -> str:
        """Return everything but case and output that can change a score; scores with equal signatures are comparable.

        Weights and thresholds are compared separately.
        """
        return signed(self, rules)

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """Return the JSON schema of answers to a prompt with this output."""
        return answer_schema(self.outputs[output], {})

    def read_output(self, value: Any, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
        """Parse an output made by another program: a JSON value, or its text."""
        model = self.outputs[self.whole]
        read = model.read(value, fields) if isinstance(value, str) else fit(model, value, fields=fields)
        return cast("Parsed | Unusable", read)

    def combine(self, outputs: Mapping[str, Any]) -> Any:
        """Return one output for the pipeline's outputs, given by output name."""
        return outputs[self.whole]

    @abstractmethod
    def measure(self, case: Any, output: Any, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Match, count and explain one output; yields requests and is sent the answers."""

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
        return score._replace(
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
        tally = tally_of(self.groups, measured.explanation) if measured.tally is None else measured.tally
        return CaseScore(case.id, "scored", metrics, skipped, counts, measured.explanation, tally=tally)

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
        found = score.explanation
        return Mistakes(tuple(item_mistakes(found)), {"": len(found.items), "missed": len(found.expected)})

    def failure(self, name: str, item: str = "") -> str:
        """Return what kind of error an item of a `shortfall` list is, without revealing anything about the case."""
        return words_of(name)

    @abstractmethod
    def expected(self, case: Any) -> Iterable[Expected]:
        """Return everything that a case expects or forbids."""


def signed(kind: Kind, rules: Rules, *own: str) -> str:
    """Return a signature of the rules for names and meaning, and of the kind's own."""
    release = ".".join(rapidfuzz.__version__.split(".")[:2])
    names = f"{'plain ' * rules.names.plain}{rules.names.scorer}>={rules.names.threshold:g} rapidfuzz/{release}"
    semantic = [] if rules.semantic is None else [rules.semantic.signature()]
    return " ".join([f"{kind.name}/{kind.version}", names, *own, *semantic])


class MonitoredKind(Kind):
    """A kind of which production's answers may be."""

    @abstractmethod
    def quality(
        self, found: Sequence[tuple[str, str | None]], text: str | None, canaries: Sequence[str], *, sampled: bool
    ) -> Quality:
        """Return what can be counted over items and their quotes without a golden case; if not `sampled`, canaries."""

    @abstractmethod
    def expectations(self, output: Any) -> dict[str, Any]:
        """Return what an output meets, in the form of `Case.split`."""


def tally_of(groups: Sequence[Group], found: Any) -> Tally:
    """Return the items of an explanation, counted by state in each group; without empty groups."""
    states = {
        group.key: counted([i.notes[group.note] for i in found.items if group.note in i.notes])
        if group.note
        else counted([item.state for item in found.items])
        for group in groups
    }
    return {key: counts for key, counts in states.items() if counts}


def lint_twice(
    rule: str, names: Iterable[str], field: str, *part: str, key: Callable[[str], str] = str, verb: str = "listed"
) -> Iterator[Finding]:
    """Yield an error for each name of a field's entries, in this part of them, whose key an earlier one has."""
    seen: set[str] = set()
    for place, name in enumerate(names):
        if key(name) in seen:
            yield lint_error(rule, f"`{name}` is {verb} twice", (field, place, *part))
        seen.add(key(name))
