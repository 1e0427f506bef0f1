"""A case of kind `checks`, its checks, and the answer that they check."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from row3.domain.structs import worded
from row3.kinds.cases import Case, CaseId, Labelled, Text
from row3.kinds.checks.compiled import compile_error, path_of, pattern_of, validator_of
from row3.kinds.checks.reading import quantity
from row3.kinds.outputs import Output

Tier = Literal["heuristic", "operation", "judged"]
Action = Literal["NOOP", "CREATE", "UPDATE", "DELETE", "MERGE"]
DEFAULT_MIN = 0.7
"""Score from which a graded check passes."""

Texts = Annotated[list[Text], Meta(min_length=1)]
Values = Annotated[list[Any], Meta(min_length=1)]
Whole = Annotated[int, Meta(ge=1)]
Amount = Annotated[float, Meta(ge=0)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
FunctionName = Annotated[str, worded(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", "a function as `module:function`")]
RubricName = Annotated[
    str, worded(r"[a-z0-9]+(-[a-z0-9]+)*", "the name of a rubric in prompts/, such as `helpfulness`")
]


class Check(Labelled, frozen=True, kw_only=True, omit_defaults=True, dict=True, gc=True):
    """One assertion about an answer; exactly one key gives its type."""

    equals: Annotated[Any, Meta(description="Equals this value, exactly if it is text.")] = UNSET
    contains: Annotated[Text | UnsetType, Meta(description="Contains this text.")] = UNSET
    contains_all: Annotated[Texts | UnsetType, Meta(description="Contains each of these texts.")] = UNSET
    contains_any: Annotated[Texts | UnsetType, Meta(description="Contains one of these texts.")] = UNSET
    not_contains: Annotated[Text | Texts | UnsetType, Meta(description="Contains none of these texts.")] = UNSET
    regex: Annotated[Text | UnsetType, Meta(description="Matches this pattern somewhere.")] = UNSET
    starts_with: Annotated[Text | UnsetType, Meta(description="Begins with this text.")] = UNSET
    one_of: Annotated[Values | UnsetType, Meta(description="Is one of these values.")] = UNSET
    number: Annotated[float | Text | UnsetType, Meta(description="Contains this number: 2.1, or `5 km`.")] = UNSET
    json_schema: Annotated[dict[str, Any] | UnsetType, Meta(description="Is JSON that matches this schema.")] = UNSET
    required_fields: Annotated[Texts | UnsetType, Meta(description="Is an object with values for these keys.")] = UNSET
    no_placeholder: Annotated[
        Literal[True] | UnsetType, Meta(description="Has no placeholder such as `<id>` or `TODO`.")
    ] = UNSET
    max_words: Annotated[Whole | UnsetType, Meta(description="Has at most this many words.")] = UNSET
    similarity: Annotated[Text | UnsetType, Meta(description="Is spelt similarly to this text; graded.")] = UNSET
    names: Annotated[Texts | UnsetType, Meta(description="Lists these names; graded by F1.")] = UNSET
    semantic: Annotated[Text | UnsetType, Meta(description="Means what this text means; graded.")] = UNSET
    cost: Annotated[Amount | UnsetType, Meta(description="Costs at most this many US dollars.")] = UNSET
    latency: Annotated[Amount | UnsetType, Meta(description="Takes at most this many seconds.")] = UNSET
    python: Annotated[FunctionName | UnsetType, Meta(description="Passes your own scorer; graded.")] = UNSET
    action: Annotated[Action | UnsetType, Meta(description="Chooses this operation.")] = UNSET
    judge: Annotated[RubricName | UnsetType, Meta(description="A judge grades it by this rubric.")] = UNSET

    weight: Annotated[float, Meta(gt=0, le=1000)] = 1.0
    name: Annotated[Text | None, Meta(description="Name of the check in reports.")] = None
    path: Annotated[Text | None, Meta(description="JSON path of the part of the answer to check.")] = None
    min: Annotated[Fraction | None, Meta(description="Score from which a graded check passes. Default: 0.7.")] = None
    case: Annotated[bool, Meta(description="Distinguish upper and lower case.")] = False
    tolerance: Annotated[Annotated[float, Meta(ge=0)] | None, Meta(description="Accepted deviation of a `number`.")] = (
        None
    )
    arguments: Annotated[dict[str, Any] | None, Meta(description="Arguments that an action must have.")] = None

    def __post_init__(self) -> None:
        named = [key for key, value in zip(TYPES, _wanted(self), strict=True) if value is not UNSET]
        if not named:
            raise ValueError(f"a check needs a type, one of the keys {', '.join(TYPES)}")
        if len(named) > 1:
            raise ValueError(f"a check has one type, but this one has {' and '.join(named)}")
        self.__dict__.update(type=named[0], wanted=getattr(self, named[0]))
        for key, owners in OWNERS.items():
            if getattr(self, key) not in (None, False) and named[0] not in owners:
                raise ValueError(f"`{key}` belongs to {', '.join(sorted(owners))}, not to `{named[0]}`")
        if problem := _problem(self):
            raise ValueError(problem)

    if TYPE_CHECKING:

        @property
        def type(self) -> str:
            """The key that gives the type."""

        @property
        def wanted(self) -> Any:
            """The value of that key."""

    @cached_property
    def title(self) -> str:
        """Name in reports: the check's `name`, or its type and value in a line."""
        if self.name is not None:
            return self.name
        value = self.wanted
        shown = value if isinstance(value, str) else msgspec.json.encode(value).decode()
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
            "semantic", "cost", "latency", "python",
        ),
        "heuristic",
    ),
    "action": "operation",
    "judge": "judged",
}  # fmt: skip
"""STRATEGY's tier of each type of check."""
TYPES = tuple(TIERS)
_wanted = attrgetter(*TYPES)


class Reply(Output, frozen=True):
    """An answer of any form."""

    answer: Any
    """A text, or a JSON value."""


class ChecksCase(Case, frozen=True, kw_only=True):
    """A golden case of kind `checks`: an input and the checks that its answer must pass."""

    id: CaseId
    input: Annotated[Any, Meta(description="Input of the prompt's template.")]
    expected: Annotated[Any, Meta(description="For scorers and judges; prompts never see it.")] = None
    checks: list[Check] = field(default_factory=list)

    def variables(self) -> dict[str, Any]:
        """Return the variables of a template: `input`, and its keys if it is an object."""
        return {**(self.input if isinstance(self.input, dict) else {}), "input": self.input}
