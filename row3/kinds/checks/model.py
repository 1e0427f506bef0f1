"""A case of kind `checks`, its checks, and the answer that they check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import to_json

from row3.domain.models import Model, Text, Worded
from row3.kinds.answers import Parsed, Unusable, plain_text
from row3.kinds.cases import Case, CaseId
from row3.kinds.checks.reading import Anywhere, compile_error, path_of, pattern_of, quantity, validator_of
from row3.kinds.outputs import NO_FIELDS, Fields, Output

Tier = Literal["heuristic", "operation", "judged"]
Action = Literal["NOOP", "CREATE", "UPDATE", "DELETE", "MERGE"]
DEFAULT_MIN = 0.7
"""Score from which a graded check passes."""

Texts = Annotated[list[Text], Field(min_length=1)]
Values = Annotated[list[Any], Field(min_length=1)]
Whole = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
FunctionName = Annotated[str, Worded(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", "a function as `module:function`")]
RubricName = Annotated[
    str, Worded(r"[a-z0-9]+(-[a-z0-9]+)*", "the name of a rubric in prompts/, such as `helpfulness`")
]


QuotesFrom = Annotated[dict[Literal["from"], Text], Field(min_length=1)]
"""`document`, or the JSON path of the source in the input."""


def _without_default(schema: dict[str, Any]) -> None:
    del schema["default"]


UNSET: Any = Field(default=None, json_schema_extra=_without_default)
"""A type of check that this one is not; null in a file is an error, except for `equals`."""


class Check(Model):
    """One assertion about an answer; exactly one key gives its type."""

    equals: Any = UNSET
    """Equals this value, exactly if it is text."""
    contains: Text = UNSET
    """Contains this text."""
    contains_all: Texts = UNSET
    """Contains each of these texts."""
    contains_any: Texts = UNSET
    """Contains one of these texts."""
    not_contains: Text | Texts = UNSET
    """Contains none of these texts."""
    regex: Text = UNSET
    """Matches this pattern somewhere."""
    starts_with: Text = UNSET
    """Begins with this text."""
    one_of: Values = UNSET
    """Is one of these values."""
    number: float | Text = UNSET
    """Contains this number: 2.1, or `5 km`."""
    json_schema: dict[str, Any] = UNSET
    """Is JSON that matches this schema."""
    required_fields: Texts = UNSET
    """Is an object with values for these keys."""
    no_placeholder: Literal[True] = UNSET
    """Has no placeholder such as `<id>` or `TODO`."""
    max_words: Whole = UNSET
    """Has at most this many words."""
    similarity: Text = UNSET
    """Is spelt similarly to this text; graded."""
    names: Texts = UNSET
    """Lists these names; graded by F1."""
    semantic: Text = UNSET
    """Means what this text means; graded."""
    cost: Amount = UNSET
    """Costs at most this many US dollars."""
    latency: Amount = UNSET
    """Takes at most this many seconds."""
    quotes: QuotesFrom = UNSET
    """Quotes only what occurs in its source."""
    python: FunctionName = UNSET
    """Passes your own scorer; graded."""
    action: Action = UNSET
    """Chooses this operation."""
    judge: RubricName = UNSET
    """A judge grades it by this rubric."""

    weight: Annotated[float, Field(gt=0, le=1000)] = 1.0
    name: Text | None = None
    """Name of the check in reports."""
    path: Text | None = None
    """JSON path of the part of the answer to check."""
    min: Fraction | None = None
    """Score from which a graded check passes. Default: 0.7."""
    case: bool = False
    """Distinguish upper and lower case."""
    tolerance: Annotated[float, Field(ge=0)] | None = None
    """Accepted deviation of a `number`."""
    arguments: dict[str, Any] | None = None
    """Arguments that an action must have."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = self.model_fields_set
        if not (named := [key for key in given if key in TIERS]):
            raise ValueError(f"a check needs a type, one of the keys {', '.join(TYPES)}")
        if len(named) > 1:
            named.sort(key=TYPES.index)
            raise ValueError(f"a check has one type, but this one has {' and '.join(named)}")
        if not given.isdisjoint(OWNERS):
            for key, owners in OWNERS.items():
                if getattr(self, key) not in (None, False) and named[0] not in owners:
                    raise ValueError(f"`{key}` belongs to {', '.join(sorted(owners))}, not to `{named[0]}`")
        if problem := _problem(self):
            raise ValueError(problem)
        return self

    @cached_property
    def type(self) -> str:
        """The key that gives the type."""
        return next(key for key in self.model_fields_set if key in TIERS)

    @cached_property
    def wanted(self) -> Any:
        """The value of that key."""
        return getattr(self, self.type)

    def plain(self) -> dict[str, Any]:
        """Return the check as JSON, with its type even where that is `equals: null`."""
        return super().plain() | {self.type: self.wanted}

    @cached_property
    def title(self) -> str:
        """Name in reports: the check's `name`, or its type and value in a line."""
        if self.name is not None:
            return self.name
        value = self.wanted
        shown = value if isinstance(value, str) else to_json(value).decode()
        shown = " ".join(shown.split())
        shown = shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…"
        return f"{self.path}: {self.type} {shown}" if self.path else f"{self.type} {shown}"


def _problem(check: Check) -> str:
    """Return why a check is invalid; empty if it is valid."""
    if check.path is not None and (problem := compile_error(path_of, check.path)):
        return f"`path` is not a JSON path: {problem}"
    match check.type:
        case "regex" if problem := compile_error(pattern_of, check.wanted, check.case):
            return f"`regex` is not a regular expression: {problem}"
        case "json_schema" if problem := compile_error(validator_of, check.wanted):
            return f"`json_schema` cannot be used: {problem}"
        case "number" if quantity(check.wanted) is None:
            return f"`number` is not a number: {check.wanted}"
        case "quotes" if problem := compile_error(path_of, check.wanted["from"]):
            return f"`from` is not a JSON path: {problem}"
    return ""


SHOWN = 48
"""Maximum characters of a check's value in its title."""
OWNERS: Mapping[str, frozenset[str]] = {
    "tolerance": frozenset({"number"}),
    "arguments": frozenset({"action"}),
    "min": frozenset({"similarity", "names", "semantic", "python", "judge"}),
    "case": frozenset(
        {"contains", "contains_all", "contains_any", "not_contains", "regex", "starts_with", "one_of", "similarity"}
    ),
}
"""Types of check that take a modifier, by modifier."""
TIERS: Mapping[str, Tier] = {
    **dict.fromkeys(
        (
            "equals", "contains", "contains_all", "contains_any", "not_contains", "regex", "starts_with", "one_of",
            "number", "json_schema", "required_fields", "no_placeholder", "max_words", "similarity", "names",
            "semantic", "cost", "latency", "quotes", "python",
        ),
        "heuristic",
    ),
    "action": "operation",
    "judge": "judged",
}  # fmt: skip
"""STRATEGY's tier of each type of check."""
TYPES = tuple(TIERS)


class Reply(Output):
    """An answer of any form."""

    answer: Any
    """A text, or a JSON value."""

    @classmethod
    def read(cls, text: str, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
        """Take an answer as it is, without reasoning; only an empty one is unusable."""
        read = plain_text(text)
        return read if isinstance(read, Unusable) else Parsed(cls(answer=read.value), read.repairs)

    @classmethod
    def unknown(cls, text: str) -> Reply:
        """Return an answer that has this text at any path."""
        return cls(answer=Anywhere(text))

    def answer_json(self) -> Any:
        """Return the answer itself."""
        return self.answer

    def context(self, name: str) -> dict[str, Any]:
        """Return the answer under the output's name."""
        return {name: self.answer}


class ChecksCase(Case):
    """A golden case of kind `checks`: an input and the checks that its answer must pass."""

    id: CaseId
    input: Any
    """Input of the prompt's template."""
    expected: Any = None
    """For scorers and judges; prompts never see it."""
    checks: list[Check] = []

    def variables(self) -> dict[str, Any]:
        """Return the variables of a template: `input`, and its keys if it is an object."""
        return {**(self.input if isinstance(self.input, dict) else {}), "input": self.input}

    @classmethod
    def blank(cls, topic: str, text: str, names: Sequence[str]) -> dict[str, Any]:
        """Return an input without checks: the text, under each name if the prompt has other variables."""
        return {"input": dict.fromkeys(names, text) or text, "checks": []}
