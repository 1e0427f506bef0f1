"""promptfoo's assertions as checks: what means the same, and what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from row3.commands.importing.drafts import PromptFiles, UnmappedError
from row3.commands.importing.promptfoo_checks import check_of
from row3.project.tree import WorkTree
from tests.rows import every_row

VARIABLES = {"city": "Paris", "cities": ["Lyon", "Nice"], "answer": "x", "count": 3}


def check(root: Path, **assertion: Any) -> dict[str, Any]:
    return check_of(assertion, VARIABLES, PromptFiles(WorkTree(root)), lambda address: f"text of {address}")


MAPPED = [
    ({"type": "equals", "value": "Paris"}, {"equals": "Paris"}),
    ({"type": "equals", "value": 4}, {"equals": "4"}),
    ({"type": "equals", "value": True}, {"equals": "true"}),
    ({"type": "equals", "value": {"a": [1, "{{city}}"]}}, {"equals": {"a": [1, "Paris"]}}),
    ({"type": "contains", "value": "in {{ city }}"}, {"contains": "in Paris", "case": True}),
    ({"type": "contains", "value": "file://x.txt"}, {"contains": "text of file://x.txt", "case": True}),
    ({"type": "icontains", "value": "PARIS"}, {"contains": "PARIS"}),
    ({"type": "not-contains", "value": "Lyon"}, {"not_contains": "Lyon", "case": True}),
    ({"type": "not-icontains", "value": "lyon"}, {"not_contains": "lyon"}),
    ({"type": "contains-all", "value": ["a", 2]}, {"contains_all": ["a", "2"], "case": True}),
    ({"type": "contains-all", "value": 'a, "b, c"'}, {"contains_all": ["a", "b, c"], "case": True}),
    ({"type": "icontains-any", "value": "a,\nb"}, {"contains_any": ["a", "b"]}),
    ({"type": "icontains-all", "value": "{{ cities }}"}, {"contains_all": ["Lyon", "Nice"]}),
    ({"type": "contains-any", "value": ["{{ city }}"]}, {"contains_any": ["Paris"], "case": True}),
    ({"type": "icontains-any", "value": ["b"]}, {"contains_any": ["b"]}),
    ({"type": "starts-with", "value": "{{ city | upper }}"}, {"starts_with": "PARIS", "case": True}),
    ({"type": "regex", "value": r"\d{3}"}, {"regex": r"\d{3}", "case": True}),
    ({"type": "is-json"}, {"json_schema": {}}),
    ({"type": "is-json", "value": '{"type": "object"}'}, {"json_schema": {"type": "object"}}),
    ({"type": "is-json", "value": "type: object"}, {"json_schema": {"type": "object"}}),
    ({"type": "contains-json", "value": {"type": "array"}}, {"json_schema": {"type": "array"}}),
    ({"type": "cost", "threshold": 0.01}, {"cost": 0.01}),
    ({"type": "latency", "threshold": 1500}, {"latency": 1.5}),
    ({"type": "similar", "value": "{{ city }}"}, {"semantic": "Paris", "min": 0.75}),
    ({"type": "similar", "value": "x", "threshold": 0.9}, {"semantic": "x", "min": 0.9}),
    ({"type": "word-count", "value": {"max": 9}}, {"max_words": 9}),
    ({"type": "levenshtein", "value": "x", "threshold": 0}, {"equals": "x"}),
    ({"type": "icontains", "value": "x", "weight": 2}, {"contains": "x", "weight": 2}),
    ({"type": "icontains", "value": "x", "metric": "{{city}}"}, {"contains": "x", "name": "Paris"}),
    ({"type": "icontains", "value": "x", "weight": 1}, {"contains": "x"}),
]  # fmt: skip


@every_row(("assertion", "wanted"), MAPPED)
def test_assertions_with_a_counterpart(tmp_path: Path, assertion: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert check(tmp_path, **assertion) == wanted


UNMAPPED = [
    ({"type": "javascript", "value": "true"}, "no such check"),
    ({"type": "not-equals", "value": "x"}, "no such check"),
    ({"type": "not-regex", "value": "x"}, "no such check"),
    ({"type": "g-eval", "value": "x"}, "no such check"),
    ({}, "no such check"),
    ({"type": "contains", "value": "{{ nobody }}"}, "`nobody` has no value in this case"),
    ({"type": "contains", "value": "{{ city"}, "the template has an error"),
    ({"type": "contains", "value": "{{ city.x.y }}"}, "undefined"),
    ({"type": "contains", "value": " "}, "field `contains`"),
    ({"type": "contains", "value": ["x"]}, "the value is not text"),
    ({"type": "contains-all", "value": 3}, "the value is not a list"),
    ({"type": "contains-any", "value": []}, "field `contains_any`"),
    ({"type": "regex", "value": "("}, "missing )"),
    ({"type": "is-json", "value": {"type": "nothing"}}, "is not valid"),
    ({"type": "is-json", "value": "a: ["}, "not YAML"),
    ({"type": "cost"}, "`threshold` is not a number from 0"),
    ({"type": "latency", "threshold": "1s"}, "`threshold` is not a number from 0"),
    ({"type": "cost", "threshold": 10**400}, "`threshold` is not a number from 0"),
    ({"type": "word-count", "value": 5}, "only `max`"),
    ({"type": "word-count", "value": {"min": 2, "max": 3}}, "only `max`"),
    ({"type": "levenshtein", "value": "x"}, "counts edits"),
    ({"type": "icontains", "value": "x", "weight": 0}, "field `weight`"),
    ({"type": "icontains", "value": "x", "transform": "output"}, "`transform` has no counterpart"),
    ({"type": "llm-rubric", "value": ""}, "the rubric is not text"),
    ({"type": "llm-rubric", "value": "Names {{ nobody }}"}, "`nobody` has no value"),
    ({"type": "llm-rubric", "value": "x", "threshold": 5}, "field `min`"),
]


@every_row(("assertion", "why"), UNMAPPED)
def test_what_row3_has_no_check_for(tmp_path: Path, assertion: dict[str, Any], why: str) -> None:
    with pytest.raises(UnmappedError, match=why.replace("(", r"\(").replace(")", r"\)")):
        check(tmp_path, **assertion)


@every_row("kind", ["llm-rubric", "model-graded-closedqa", "model-graded-factuality", "factuality"])
def test_each_text_that_a_model_grades_by_is_one_rubric(tmp_path: Path, kind: str) -> None:
    prompts = PromptFiles(WorkTree(tmp_path))

    def asked(value: str, **more: Any) -> dict[str, Any]:
        return check_of({"type": kind, "value": value} | more, VARIABLES, prompts, str)

    assert asked("Names {{ city }}!") == {"judge": "rubric-names"}
    assert asked("Names {{ city }}!", threshold=0.9) == {"judge": "rubric-names", "min": 0.9}
    assert asked("Names {{ count }}!") == {"judge": "rubric-names-2"}
    assert asked("名") == {"judge": "rubric-text"}
    names = ["rubric-names", "rubric-names-2", "rubric-text"]
    assert [*prompts.new] == [f"prompts/{name}-v1.0.md" for name in names]
    assert all(b"\noutput: grade\n" in text for text in prompts.new.values())
