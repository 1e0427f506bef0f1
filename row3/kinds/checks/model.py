"""A case of kind `checks`, its checks, and the answer they look at."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from row3.domain.structs import worded
from row3.kinds.cases import Case, CaseId, Labelled, Text
from row3.kinds.checks.compiled import path_problem, pattern_problem, schema_problem
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
    """One assertion about an answer; exactly one key names it."""

    equals: Annotated[Any, Meta(description="Is this value; text is compared to the letter.")] = UNSET
    contains: Annotated[Text | UnsetType, Meta(description="Contains this text.")] = UNSET
    contains_all: Annotated[Texts | UnsetType, Meta(description="Contains each of these texts.")] = UNSET
    contains_any: Annotated[Texts | UnsetType, Meta(description="Contains one of these texts.")] = UNSET
    not_contains: Annotated[Text | Texts | UnsetType, Meta(description="Contains none of these texts.")] = UNSET
    regex: Annotated[Text | UnsetType, Meta(description="The pattern is found in it.")] = UNSET
    starts_with: Annotated[Text | UnsetType, Meta(description="Begins with this text.")] = UNSET
    one_of: Annotated[Values | UnsetType, Meta(description="Is one of these values.")] = UNSET
    number: Annotated[float | Text | UnsetType, Meta(description="Holds this number: 2.1, or `5 km`.")] = UNSET
    json_schema: Annotated[dict[str, Any] | UnsetType, Meta(description="Is JSON that fits this schema.")] = UNSET
    required_fields: Annotated[Texts | UnsetType, Meta(description="Is an object with these keys filled.")] = UNSET
    no_placeholder: Annotated[Literal[True] | UnsetType, Meta(description="Has no `<id>` or `TODO` left.")] = UNSET
    max_words: Annotated[Whole | UnsetType, Meta(description="Has at most so many words.")] = UNSET
    similarity: Annotated[Text | UnsetType, Meta(description="Is spelt like this text; graded.")] = UNSET
    names: Annotated[Texts | UnsetType, Meta(description="Lists these names; graded by F1.")] = UNSET
    semantic: Annotated[Text | UnsetType, Meta(description="Means what this text means; graded.")] = UNSET
    cost: Annotated[Amount | UnsetType, Meta(description="Costs at most so many US dollars.")] = UNSET
    latency: Annotated[Amount | UnsetType, Meta(description="Takes at most so many seconds.")] = UNSET
    python: Annotated[FunctionName | UnsetType, Meta(description="A scorer of your own; graded.")] = UNSET
    action: Annotated[Action | UnsetType, Meta(description="Chooses this operation.")] = UNSET
    judge: Annotated[RubricName | UnsetType, Meta(description="A judge grades it by this rubric.")] = UNSET

    weight: Annotated[float, Meta(gt=0, le=1000)] = 1.0
    name: Annotated[Text | None, Meta(description="What reports call the check.")] = None
    path: Annotated[Text | None, Meta(description="JSON path of the part of the answer that is checked.")] = None
    min: Annotated[Fraction | None, Meta(description="Score from which a graded check passes. Default: 0.7.")] = None
    case: Annotated[bool, Meta(description="Whether upper and lower case differ.")] = False
    tolerance: Annotated[
        Annotated[float, Meta(ge=0)] | None, Meta(description="Of `number`: how far off it may be.")
    ] = None
    arguments: Annotated[dict[str, Any] | None, Meta(description="Arguments that an action must have.")] = None

    def __post_init__(self) -> None:
        named = [key for key, value in zip(TYPES, _wanted(self), strict=True) if value is not UNSET]
        if not named:
            raise ValueError(f"a check needs one key that names it: {', '.join(TYPES)}")
        if len(named) > 1:
            raise ValueError(f"a check has one key that names it, and this has {' and '.join(named)}")
        self.__dict__.update(type=named[0], wanted=getattr(self, named[0]))
        for key, owners in OWNERS.items():
            if getattr(self, key) not in (None, False) and named[0] not in owners:
                raise ValueError(f"`{key}` belongs to {', '.join(sorted(owners))}, not to `{named[0]}`")
        if problem := _problem(self):
            raise ValueError(problem)

    if TYPE_CHECKING:

        @property
        def type(self) -> str:
            """The key that names it."""

        @property
        def wanted(self) -> Any:
            """The value of that key."""

    @cached_property
    def title(self) -> str:
        """What reports call it: its name, or its type and value in a line."""
        if self.name is not None:
            return self.name
        value = self.wanted
        shown = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        shown = " ".join(shown.split())
        shown = shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…"
        return f"{self.path}: {self.type} {shown}" if self.path else f"{self.type} {shown}"


def _problem(check: Check) -> str:
    """Return why a check can never be answered; empty for one that can."""
    if check.path is not None and (problem := path_problem(check.path)):
        return f"`path` is not a JSON path: {problem}"
    match check.type:
        case "regex" if problem := pattern_problem(check.wanted, check.case):
            return f"`regex` is not a regular expression: {problem}"
        case "json_schema" if problem := schema_problem(check.wanted):
            return f"`json_schema` cannot be used: {problem}"
        case "number" if quantity(check.wanted) is None:
            return f"`number` is not a number: {check.wanted}"
    return ""


SHOWN = 48
"""Characters of a check's value in its title."""
OWNERS: Mapping[str, frozenset[str]] = {
    "tolerance": frozenset({"number"}),
    "arguments": frozenset({"action"}),
    "min": frozenset({"similarity", "names", "semantic", "python", "judge"}),
    "case": frozenset(
        {"contains", "contains_all", "contains_any", "not_contains", "regex", "starts_with", "one_of", "similarity"}
    ),
}
"""Modifiers that belong to certain types."""
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
"""By type of check, the tier of STRATEGY that it belongs to."""
TYPES = tuple(TIERS)
_wanted = attrgetter(*TYPES)


class Reply(Output, frozen=True):
    """An answer, whatever it is."""

    answer: Any
    """A text, or a JSON value."""


class ChecksCase(Case, frozen=True, kw_only=True):
    """A golden case of kind `checks`: an input and the checks that its answer has to pass."""

    id: CaseId
    input: Annotated[Any, Meta(description="What the prompt's template sees.")]
    expected: Annotated[Any, Meta(description="For scorers and judges; a prompt never sees it.")] = None
    checks: list[Check] = field(default_factory=list)

    def variables(self) -> dict[str, Any]:
        """Return what a template sees: `input`, and its keys where it is an object."""
        return {**(self.input if isinstance(self.input, dict) else {}), "input": self.input}
