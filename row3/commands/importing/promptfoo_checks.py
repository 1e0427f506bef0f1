"""Translate promptfoo's assertions to checks; refuse those without an exact counterpart."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from typing import Any

from row3.commands.importing.drafts import PromptFiles, UnmappedError, filled
from row3.domain.misfits import MisfitsError, convert
from row3.errors import InvalidFile
from row3.kinds.checks.model import Check
from row3.project.documents import parse_yaml

TEXTS = {
    "contains": ("contains", True),
    "icontains": ("contains", False),
    "not-contains": ("not_contains", True),
    "not-icontains": ("not_contains", False),
    "starts-with": ("starts_with", True),
    "regex": ("regex", True),
}
"""Check, and whether it is case-sensitive, by type of assertion with one text."""
LISTS = {
    "contains-all": ("contains_all", True),
    "icontains-all": ("contains_all", False),
    "contains-any": ("contains_any", True),
    "icontains-any": ("contains_any", False),
}
"""The same by type of assertion with a list of texts."""
CRITERION = "Grade the answer by this criterion and by nothing else:"
REFERENCE = "Grade how far the facts of the answer agree with this reference:"
JUDGED = {
    "llm-rubric": CRITERION,
    "model-graded-closedqa": CRITERION,
    "model-graded-factuality": REFERENCE,
    "factuality": REFERENCE,
}
"""The rubric's task by type of assertion that a model grades."""
KEYS = frozenset({"type", "value", "threshold", "weight", "metric", "provider"})
LARGEST = 1e9
"""Limit of a threshold, in US dollars or milliseconds."""
SIMILAR = 0.75
"""promptfoo's default for the minimum similarity."""


def check_of(
    assertion: Mapping[str, Any], variables: Mapping[str, Any], prompts: PromptFiles, load: Callable[[str], Any]
) -> dict[str, Any]:
    """Return an assertion as a check; `load` returns the text or value of a `file://` address.

    Raises `UnmappedError` if row3 has no such check.
    """
    kind, value = str(assertion.get("type")), assertion.get("value")
    if others := sorted(assertion.keys() - KEYS):
        raise UnmappedError(f"`{others[0]}` has no counterpart")
    if isinstance(value, str) and value.startswith("file://"):
        value = load(value)
    if kind in JUDGED:
        if not isinstance(value, str) or not value.strip():
            raise UnmappedError("the rubric is not text")
        check: dict[str, Any] = {"judge": prompts.add_rubric(value.strip(), JUDGED[kind], variables)}
        if assertion.get("threshold") is not None:
            check["min"] = assertion["threshold"]
    else:
        check = _computed(kind, filled(value, variables), assertion.get("threshold"))
    if assertion.get("metric") is not None:
        check["name"] = _text(filled(assertion["metric"], variables))
    if (weight := assertion.get("weight", 1)) != 1:
        check["weight"] = weight
    try:
        convert(check, Check)
    except MisfitsError as error:
        raise UnmappedError(error.summary()) from None
    return check


def _computed(kind: str, value: Any, threshold: Any) -> dict[str, Any]:
    if kind in TEXTS:
        name, case = TEXTS[kind]
        return {name: _text(value)} | ({"case": True} if case else {})
    if kind in LISTS:
        name, case = LISTS[kind]
        return {name: _texts(value)} | ({"case": True} if case else {})
    match kind:
        case "equals":
            return {"equals": value if isinstance(value, dict | list) else _text(value)}
        case "is-json" | "contains-json":
            return {"json_schema": _schema(value)}
        case "cost":
            return {"cost": _number(threshold)}
        case "latency":
            return {"latency": _number(threshold) / 1000}
        case "similar":
            return {"semantic": _text(value), "min": SIMILAR if threshold is None else threshold}
        case "word-count" if isinstance(value, dict) and value.keys() == {"max"}:
            return {"max_words": value["max"]}
        case "word-count":
            raise UnmappedError("only `max` has a counterpart, `max_words`")
        case "levenshtein" if threshold == 0:
            return {"equals": _text(value)}
        case "levenshtein":
            raise UnmappedError("counts edits; `similarity` is a fraction")
    raise UnmappedError("no such check; write your own scorer (`python`)")


def _text(value: Any) -> str:
    """Return a single value as promptfoo compares it: `true`, `4`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise UnmappedError("the value is not text")


def _texts(value: Any) -> list[str]:
    """Return a list of texts, which promptfoo also accepts as one text with commas."""
    if isinstance(value, str):
        value = next(csv.reader([" ".join(value.splitlines())], skipinitialspace=True), [])
    if not isinstance(value, list):
        raise UnmappedError("the value is not a list")
    return [_text(each).strip() for each in value]


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        raise UnmappedError(f"`threshold` is not a number from 0 to {LARGEST:,.0f}")
    return value


def _schema(value: Any) -> Any:
    """Return a JSON schema, which promptfoo accepts as an object or its text; `{}`, any JSON, without one."""
    if isinstance(value, str):
        try:
            value = parse_yaml(value, where="value")
        except InvalidFile as error:
            raise UnmappedError(error.what) from None
    return {} if value is None else value
