"""Answers in the usual form are read at once, and all others to the same values."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.kinds import all_kinds
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.extraction.model import ExtractionOut
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.kinds.outputs import fit, plain
from tests.strategies import json_values

KINDS = all_kinds()

OUTPUT: dict[str, Any] = {
    "concepts": [{"label": "Rye", "sourceQuote": "Rye ferments."}, {"label": "Salt", "type": "mineral"}],
    "relationships": [{"source": "Salt", "predicate": "SLOWS", "target": "Rye"}],
}
CLASS = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b|\b\w+Out\b")
KEYS = ["concepts", "relationships", "events", "entities", "results", "connections", "label", "quote", "id", "hops"]
texts = st.text(alphabet='ab :"\\\n\u00a0é😀\ud800', max_size=3)
odd = texts | st.sampled_from([None, True, 1, 1.5, 10**30, [], {}, ["a"], [None], {"quote": "a"}, [{"text": "a"}]])
concepts = st.fixed_dictionaries({"label": texts | odd}, optional={"sourceQuote": odd, "type": odd, "quote": odd})
links = st.fixed_dictionaries(dict.fromkeys(("source", "predicate", "target"), texts))
outputs = st.fixed_dictionaries(
    {"concepts": st.lists(concepts, max_size=3)}, optional={"relationships": st.lists(links, max_size=3), "note": odd}
)


@given(outputs)
def test_a_usual_answer_is_read_as_a_closer_look_reads_it(value: dict[str, Any]) -> None:
    read, closely = EXTRACTION.parse("extraction", json.dumps(value)), fit(ExtractionOut, value)
    if isinstance(closely, Unusable):
        assert isinstance(read, Unusable)
    else:
        assert isinstance(read, Parsed)
        assert read.value == closely.value


@pytest.mark.parametrize("kind", KINDS)
@given(value=st.dictionaries(st.sampled_from(KEYS), json_values(), max_size=3) | json_values())
def test_any_value_is_an_output_or_says_why_not(kind: str, value: Any) -> None:
    found = KINDS[kind].read_output(value)
    if isinstance(found, Unusable):
        assert not CLASS.search(found.reason), found.reason
    else:
        assert KINDS[kind].read_output(KINDS[kind].output_json(found.value)) == Parsed(found.value)


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        ("entities", {"entities": [{"label": "A", "aliases": "a"}]}, [{"name": "A", "mentions": ["a"]}]),
        ("entities", {"entities": [{"name": "A", "mentions": ["a", 1, None]}]}, [{"name": "A", "mentions": ["a"]}]),
        ("events", [{"summary": "Moved", "who": ["Ana"], "rank": 1}], [{"description": "Moved", "actor": ["Ana"]}]),
        ("retrieval", {"documents": ["a", {"doc_id": "b", "id": "7"}]}, [{"id": "a"}, {"id": "b"}]),
        ("graph", {"items": ["a", {"id": "b", "hops": "2"}]}, [{"document_id": "a"}, {"document_id": "b", "hops": 2}]),
        ("graph", {"items": [{"id": "b", "event": "Moved", "hops": 2.0}]}, [{"event": "Moved", "hops": 2}]),
    ],
)
def test_other_names_and_shapes(kind: str, value: Any, read: Any) -> None:
    found = KINDS[kind].read_output(value)
    assert isinstance(found, Parsed), found
    ((_, items),) = KINDS[kind].output_json(found.value).items()
    assert items == read


def test_what_is_not_asked_for_is_in_no_plain_value() -> None:
    found = KINDS["retrieval"].read_output({"results": [{"id": "a", "score": 0.5}]})
    assert isinstance(found, Parsed)
    assert found.value.results[0].score == 0.5
    assert plain(found.value) == {"results": [{"id": "a"}]}


def test_an_output_is_plain_values_without_what_is_not_there() -> None:
    found = EXTRACTION.read_output(OUTPUT)
    assert isinstance(found, Parsed)
    assert EXTRACTION.output_json(found.value) == OUTPUT
