"""Draft cases from traces that the SDK itself wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from langfuse import Langfuse

from tests.langfuse_server import LangFuse
from tests.projects import Box

INPUT = {"document": "Spelt is a wheat. It needs a long proofing.", "topic": "Spelt"}
OUTPUT = {
    "concepts": [{"label": "spelt", "type": "cereal", "sourceQuote": "Spelt"}, "wheat", "spelt"],
    "relationships": [{"from": "spelt", "type": "IS_A", "to": "wheat"}],
}
Trace = Callable[[Any, Any], str]


@pytest.fixture
def trace(sdk: Langfuse) -> Trace:
    """Write a trace, a generation inside a root; returns its id."""

    def write(given: Any, said: Any) -> str:
        with sdk.start_as_current_observation(name="extract", input=given, output=said) as root:
            with sdk.start_as_current_observation(name="call", as_type="generation", output="other"):
                pass
        sdk.flush()
        return str(root.trace_id)

    return write


def seed(box: Box, trace_id: str, code: int = 0) -> Any:
    return box.row3("langfuse", "seed", "--trace", trace_id, code=code)


def test_a_trace_becomes_an_item_and_a_draft_that_link_back_to_it(box: Box, fuse: LangFuse, trace: Trace) -> None:
    trace_id = trace(INPUT, OUTPUT)
    done = seed(box, trace_id)
    case_id = f"trace-{trace_id[:16]}"
    path = f"golden/bread/{case_id}.gold.json"
    assert path in done.out
    case = json.loads(box.read(path))
    assert (case["draft"], case["origin"]) == (True, f"LangFuse trace {trace_id}")
    assert (case["sourceText"], case["topic"]) == (INPUT["document"], "Spelt")
    assert case["expectedConcepts"] == [{"label": "spelt", "type": "cereal"}, {"label": "wheat"}]
    assert case["expectedRelationships"] == [{"source": "spelt", "predicate": "IS_A", "target": "wheat"}]
    item = fuse.items[f"bread.{case_id}"]
    assert (item["sourceTraceId"], item["input"]["text"]) == (trace_id, INPUT["document"])
    assert item["expectedOutput"]["entities"][0] == {"name": "spelt", "type": "cereal"}
    before = box.tree(), json.dumps(fuse.items)
    assert "was left unchanged" in seed(box, trace_id).out
    assert (box.tree(), json.dumps(fuse.items)) == before


def test_a_draft_is_pushed_pulled_and_left_out_of_experiments(box: Box, fuse: LangFuse, trace: Trace) -> None:
    box.row3("langfuse", "push", "bread", code=0)
    trace_id = trace(INPUT, OUTPUT)
    seed(box, trace_id)
    for verb in ("push", "pull"):
        done = box.row3("langfuse", verb, "bread", code=0)
        assert ("0 " in done.out, "4 unchanged" in done.out, done.err) == (True, True, "")
    done = box.row3("experiment", "--dataset", "bread", "--name", "x", "--baseline", code=0)
    assert "3 items" in done.err
    assert "1 draft" in done.err
    assert "trace-" not in box.read("baselines/bread.json")
    case_id = f"trace-{trace_id[:16]}"
    box.path(f"golden/bread/{case_id}.gold.json").unlink()
    box.row3("langfuse", "pull", "bread", code=0)
    assert json.loads(box.read(f"golden/bread/{case_id}.gold.json"))["draft"] is True


def test_the_link_outlives_the_completion_of_the_draft(box: Box, fuse: LangFuse, trace: Trace) -> None:
    trace_id = trace(INPUT, OUTPUT)
    seed(box, trace_id)
    name = f"trace-{trace_id[:16]}"
    path = f"golden/bread/{name}.gold.json"
    case = json.loads(box.read(path))
    del case["draft"]
    box.write(path, json.dumps(case | {"forbiddenConcepts": ["moon wheat"]}))
    box.row3("langfuse", "push", "bread", code=0)
    item = fuse.items[f"bread.{name}"]
    assert item["sourceTraceId"] == trace_id
    assert "draft" not in item["metadata"]["row3"]["rest"]


def test_a_reviewers_correction_counts_in_place_of_the_output(
    box: Box, fuse: LangFuse, sdk: Langfuse, trace: Trace
) -> None:
    trace_id = trace(INPUT, OUTPUT)
    corrected = json.dumps({"concepts": ["wheat"], "relationships": []})
    sdk.create_score(trace_id=trace_id, name="output", value=corrected, data_type="CORRECTION")
    sdk.flush()
    assert "the reviewer's correction" in seed(box, trace_id).out
    case = json.loads(box.read(f"golden/bread/trace-{trace_id[:16]}.gold.json"))
    assert case["expectedConcepts"] == [{"label": "wheat"}]


@pytest.mark.parametrize("given", ["Spelt is a wheat.", [{"role": "user", "content": "Spelt is a wheat."}]])
def test_other_inputs_with_a_text_are_understood(box: Box, trace: Trace, given: Any) -> None:
    trace_id = trace(given, json.dumps(OUTPUT))
    seed(box, trace_id)
    assert json.loads(box.read(f"golden/bread/trace-{trace_id[:16]}.gold.json"))["sourceText"] == "Spelt is a wheat."


@pytest.mark.parametrize(
    ("given", "said", "what"),
    [
        (INPUT, None, "the trace has no output"),
        (INPUT, "I am sorry, I cannot.", "the trace's output is not an extraction"),
        ({"n": 1}, OUTPUT, "the input has no text"),
    ],
)
def test_a_trace_that_cannot_be_a_case_is_one_error(
    box: Box, fuse: LangFuse, trace: Trace, given: Any, said: Any, what: str
) -> None:
    tree = box.tree()
    (error,) = seed(box, trace(given, said), code=2).errors
    assert what in error
    assert (box.tree(), fuse.items) == (tree, {})


def test_an_unknown_trace_and_no_id_are_one_error_each(box: Box) -> None:
    (error,) = seed(box, "0" * 32, code=2).errors
    assert "LangFuse does not have this trace" in error
    (error,) = seed(box, "../x", code=2).errors
    assert "not a trace id" in error
