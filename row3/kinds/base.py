"""What every kind provides, and the rules of a suite that it is given."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import rapidfuzz

from row3.domain.embeddings import Scoring
from row3.domain.metrics import Metric, Threshold
from row3.domain.requests import digest_json, digest_text
from row3.domain.scores import CaseScore
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.outputs import plain
from row3.matching.names import NameRule
from row3.matching.predicates import INVERSES, ROW3_PREDICATES, SYMMETRIC
from row3.matching.semantic_rule import SemanticRule

SHOWN = 60
"""Characters of a content that stands in the map as it is."""
DIGITS = 16
"""Hexadecimal digits of a digest: 64 bits tell the demands of a project apart."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How a suite matches and weighs: the settings of `row3.toml` that can move a score."""

    names: NameRule = field(default_factory=NameRule)
    inverses: tuple[tuple[str, str], ...] = tuple(INVERSES.items())
    symmetric: tuple[str, ...] = SYMMETRIC
    predicates: tuple[str, ...] = ROW3_PREDICATES
    """What an answer may use; empty for any."""
    types: tuple[str, ...] | None = None
    """What the types of concepts may be; empty for any, None where an answer is asked for none."""
    weights: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)
    semantic: SemanticRule | None = None
    """How what nothing else matches is matched by meaning; None for not at all."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that lint found in a golden case; `path` leads to the field, outermost first."""

    level: Literal["error", "warning"]
    rule: str
    message: str
    path: tuple[str | int, ...] = ()
    of_size: bool = False
    """About how much there is of something and how it is spread, which a suite may see otherwise."""


class Reference(NamedTuple):
    """Something of the project's corpus that a case declares, or names as if another one did."""

    what: Literal["document", "entity"]
    name: str
    path: tuple[str | int, ...] = ()
    """Field that names it, outermost first."""


class Expected(NamedTuple):
    """One thing that a case expects or forbids."""

    what: str
    """`concept`, `canary`, `relationship` …"""
    name: str
    facts: Mapping[str, Any] = {}
    """What is asked about it, by name: `required`, `alias`, `type`. None asks nothing."""


class Kind(ABC):
    """One kind of suite. All methods are pure."""

    name: str
    version: int
    """Of the scorer: raise it with every change that can move a score; a test holds the scores of this version."""
    case_model: type[Any]
    """A `row3.kinds.cases.Case`; the first line of its docstring says what a golden case of this kind is."""
    case_schema: str
    """Name of the JSON schema of its cases."""
    metrics: Sequence[Metric]
    """Headline metrics first, in the order in which they are shown; the composite last of them."""
    outputs: Mapping[str, type[Any]]
    """What a prompt's front matter may ask for, by name: a `row3.kinds.outputs.Output`."""
    primary: str
    """Key of the composite, or of the metric that stands in its place."""
    related = False
    """Scores relationships by their predicates, and names by their meaning where a suite asks for it."""
    invented: frozenset[str] = frozenset()
    """Metrics that are skipped where nothing is to be found, unless something is said all the same."""

    def signature(self, rules: Rules) -> str:
        """Return all that can move a score apart from case and output; scores with equal signatures compare.

        Weights and thresholds are compared on their own.
        """
        release = ".".join(rapidfuzz.__version__.split(".")[:2])
        return f"{self.name}/{self.version} {rules.names.scorer}>={rules.names.threshold:g} rapidfuzz/{release}"

    @abstractmethod
    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """Return the JSON schema of the answer that a prompt with this output asks for."""

    @abstractmethod
    def variables(self, case: Any) -> dict[str, Any]:
        """Return what a prompt's template sees of a case: its input, never its expectations."""

    @abstractmethod
    def parse(self, output: str, text: str) -> Parsed | Unusable:
        """Read a prompt's answer as the output of that name, by the documented repairs."""

    @abstractmethod
    def read_output(self, value: Any) -> Parsed | Unusable:
        """Read a whole output, made elsewhere (JSON value, or text of one)."""

    @abstractmethod
    def combine(self, outputs: Mapping[str, Any]) -> Any:
        """Return the pipeline's outputs, by output name, as one output."""

    @abstractmethod
    def context(self, output: str, value: Any) -> dict[str, Any]:
        """Return what the templates of later prompts see of an earlier prompt's output."""

    def output_json(self, output: Any) -> dict[str, Any]:
        """Return a whole output as plain values for JSON, without what is not there."""
        value: dict[str, Any] = plain(output, without_none=True)
        return value

    @abstractmethod
    def score(self, case: Any, output: Any, rules: Rules) -> Scoring:
        """Score one output; yields what it needs asked and is sent the answers."""

    @abstractmethod
    def bad_answer(self, case: Any, reason: str, raw: str, rules: Rules) -> CaseScore:
        """Return the score of an answer that cannot be used: 0 on every metric that applies; all expected is missed."""

    @abstractmethod
    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """Return what went wrong, as short lines by list: those whose names begin with `missed`, and what is extra."""

    @abstractmethod
    def matches_json(self, explanation: Any) -> dict[str, Any]:
        """Return an explanation in values that msgspec writes as JSON: every match of every item."""

    def page_json(self, case: Any, explanation: Any, output: Any, before: Any) -> dict[str, Any]:
        """Return what the report page shows of a case: its matches, its answer and the baseline's; None for none."""
        outputs = {"answer": output, "before": before}
        value: dict[str, Any] = {"matches": None if explanation is None else self.matches_json(explanation)}
        return value | {key: None if one is None else self.output_json(one) for key, one in outputs.items()}

    @abstractmethod
    def expected(self, case: Any) -> Iterable[Expected]:
        """Return all that a case expects and forbids."""

    def demands(self, case: Any) -> Mapping[str, str]:
        """Return what a case demands, by key: a key that is gone is a demand that is gone."""
        return demand_map(case, self.variables(case), self.expected(case))

    @abstractmethod
    def lint(self, case: Any, rules: Rules) -> list[Finding]:
        """Return what is wrong or weak about one case."""

    def declares(self, case: Any) -> Sequence[Reference]:
        """Return documents and entities that cases of other suites may name."""
        return ()

    def refers_to(self, case: Any) -> Sequence[Reference]:
        """Return documents and entities of other suites' cases that this one names."""
        return ()

    def lint_suite(self, cases: Sequence[Any]) -> list[Finding]:
        """Return what is wrong or weak about the cases together."""
        return []


def demand_map(case: Any, variables: Mapping[str, Any], expected: Iterable[Expected]) -> dict[str, str]:
    """Return the demands of a case by key. What it lists twice it demands once; the order of lists does not matter.

    Args:
        case: of any kind; its `critical` and `source` are demands too.
        variables: what a prompt is shown of the case.
        expected: all that it expects or forbids.
    """
    found = {"input": {digest_json(variables)}}
    if case.critical:
        found["critical"] = {"yes"}
    if source := (case.source or "").strip():
        found["source"] = {source}
    for one in expected:
        key = f"{one.what}:{_folded(one.name)}"
        found.setdefault(key, set()).add(one.name)
        for fact, value in one.facts.items():
            if value is not None:
                found.setdefault(f"{fact}:{key}", set()).add(_content(value))
    return {key: _brief(contents) for key, contents in found.items()}


def expected_in(demands: Mapping[str, str]) -> list[str]:
    """Return the demands that an answer can meet: without input and marks of the case, and other names."""
    return [key for key in demands if ":" in key and not key.startswith("alias:")]


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _content(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return digest_json(sorted(value)) if isinstance(value, list) else str(value)


def _brief(contents: set[str]) -> str:
    text = "; ".join(sorted(contents))
    return text if len(text) <= SHOWN and text.isprintable() else digest_text(text)[:DIGITS]
