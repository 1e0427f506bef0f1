"""What every kind provides, and the rules of a suite that it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from row3.domain.asks import Scoring
from row3.domain.metrics import Metric, Threshold
from row3.domain.scores import CaseScore
from row3.matching.names import NameRule
from row3.matching.predicates import INVERSES, ROW3_PREDICATES, SYMMETRIC
from row3.matching.semantic_rule import SemanticRule


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


@dataclass(frozen=True, slots=True)
class Parsed:
    """An answer that could be read, and what had to be mended."""

    value: Any
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unusable:
    """An answer that could not be read: a bad answer, which scores 0."""

    reason: str


class Kind(Protocol):
    """One kind of suite. All methods are pure."""

    name: str
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
    related: bool
    """Scores relationships by their predicates, and names by their meaning where a suite asks for it."""
    invented: frozenset[str]
    """Metrics that are skipped where nothing is to be found, unless something is said all the same."""

    def signature(self, rules: Rules) -> str:
        """All that can move a score apart from case and output, in a line; scores with equal signatures compare."""
        ...

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """JSON schema of the answer that a prompt with this output asks for."""
        ...

    def variables(self, case: Any) -> dict[str, Any]:
        """What a prompt's template sees of a case: its input, never its expectations."""
        ...

    def parse(self, output: str, text: str) -> Parsed | Unusable:
        """Read a prompt's answer as the output model of that name, by the documented repairs."""
        ...

    def read_output(self, value: Any) -> Parsed | Unusable:
        """Read a whole output, made elsewhere (JSON value, or text of one)."""
        ...

    def combine(self, outputs: Mapping[str, Any]) -> Any:
        """The pipeline's outputs, by output name, as one output."""
        ...

    def context(self, output: str, value: Any) -> dict[str, Any]:
        """What the templates of later prompts see of an earlier prompt's output."""
        ...

    def output_json(self, output: Any) -> dict[str, Any]:
        """A whole output as plain values for JSON, without what is not there."""
        ...

    def score(self, case: Any, output: Any, rules: Rules) -> Scoring:
        """Score one output; yields what it needs asked and is sent the answers."""
        ...

    def bad_answer(self, case: Any, reason: str, raw: str, rules: Rules) -> CaseScore:
        """The score of an answer that cannot be used: 0 on every metric that applies."""
        ...

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """What went wrong, as short lines by list: lists that begin with `missed`, and lists of what is extra."""
        ...

    def matches_json(self, explanation: Any) -> dict[str, Any]:
        """An explanation as plain values for JSON: what every item was taken for, and what found what is expected."""
        ...

    def expectations(self, case: Any) -> Sequence[str]:
        """One line for everything the case demands; fewer of them is a weaker case."""
        ...

    def demands(self, case: Any) -> Mapping[str, str]:
        """What the case demands, by key: a key that is gone is a demand that is gone; see `row3.kinds.demands`."""
        ...

    def swaps_a_name(self, before: Any, after: Any) -> bool:
        """Whether the later case names another thing in a demand whose line in `expectations` is the same."""
        ...

    def lint(self, case: Any, rules: Rules) -> list[Finding]:
        """What is wrong or weak about one case."""
        ...

    def declares(self, case: Any) -> Sequence[Reference]:
        """Documents and entities that cases of other suites may name."""
        ...

    def refers_to(self, case: Any) -> Sequence[Reference]:
        """Documents and entities of other suites' cases that this one names."""
        ...

    def lint_suite(self, cases: Sequence[Any]) -> list[Finding]:
        """What is wrong or weak about the cases together."""
        ...
