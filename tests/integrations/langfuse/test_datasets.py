"""Golden cases and dataset items, over real HTTP."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from langfuse import Langfuse

from row3.integrations.langfuse.client import Item, case_digest
from row3.kinds import MODULES, kind_named
from row3.project.cases import case_value, file_of
from row3.project.project import open_project, pick_suite
from tests.langfuse_server import SECRET, Fault, LangFuse
from tests.projects import CASES, HOME, Box
from tests.rows import every_row

RYE = "golden/bread/rye.gold.json"


def posts(fuse: LangFuse) -> Counter[str]:
    return Counter(path for method, path in fuse.requests if method == "POST")


def edit(box: Box, **changes: Any) -> None:
    box.write(RYE, json.dumps(json.loads(box.read(RYE)) | changes, indent=1) + "\n")


def test_a_suite_is_pushed_once_and_the_sdk_finds_text_schemas_entities_and_relationships(
    box: Box, fuse: LangFuse, sdk: Langfuse
) -> None:
    done = box.row3("langfuse", "push", "bread", code=0)
    assert done.out == "3 items written, 0 unchanged, dataset bread\n"
    dataset = sdk.get_dataset("bread")
    item = next(each for each in dataset.items if each.id == "bread.rye")
    assert item.input["text"] == CASES["rye"]["sourceText"]
    assert "concepts" in item.input["schemas"]["extraction"]["properties"]
    assert item.expected_output["entities"][0] == {"name": "rye", "aliases": ["secale"]}
    assert item.expected_output["relationships"] == CASES["rye"]["expectedRelationships"]
    assert item.metadata["row3"]["rest"]["forbiddenConcepts"] == CASES["rye"]["forbiddenConcepts"]
    before = posts(fuse)
    assert box.row3("langfuse", "push", "bread", code=0).out == "0 items written, 3 unchanged, dataset bread\n"
    assert posts(fuse) == before


def test_pull_gives_the_same_cases_back_to_an_empty_project(box: Box, fuse: LangFuse) -> None:
    edit(box, tags=["cereal"], history=[{"date": "2026-11-01", "change": "an alias", "reason": "Latin"}])
    fuse.page = 2
    box.row3("langfuse", "push", "bread", code=0)
    before = {name: json.loads(raw) for name, raw in box.tree().items() if name.startswith("golden/")}
    for name in before:
        box.path(name).unlink()
    box.write("golden/bread/README.md", "cases\n")
    assert box.row3("langfuse", "pull", "bread", code=0).out.startswith("3 golden cases written")
    after = {name: json.loads(box.read(name)) for name in before}
    for value in after.values():
        assert value.pop("schemaVersion") == 1
    assert after == before
    tree = box.tree()
    assert box.row3("langfuse", "pull", "bread", code=0).out.startswith("0 golden cases written, 3 unchanged")
    assert box.tree() == tree


@pytest.mark.slow
def test_pull_changes_no_case_in_parquet_and_names_its_row(box: Box, fuse: LangFuse) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pip install 'row3[scale]'")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'row3[scale]'")
    box.row3("langfuse", "push", "bread", code=0)
    files = sorted(box.path("golden/bread").glob("*.gold.json"))
    rows = [json.loads(path.read_text()) for path in files]
    parquet.write_table(pyarrow.Table.from_pylist(rows), box.path("golden/bread/all.parquet"))
    for path in files:
        path.unlink()
    assert box.row3("langfuse", "pull", "bread", code=0).out.startswith("0 golden cases written, 3 unchanged")
    fuse.items["bread.rye"]["input"]["topic"] = "Rye"
    tree = box.tree()
    error = box.row3("langfuse", "pull", "bread", code=2).err
    assert "golden/bread/all.parquet, row 2: row3 does not write Parquet files" in error
    assert box.tree() == tree


def test_the_newer_side_wins_and_a_change_on_both_is_a_conflict(box: Box, fuse: LangFuse) -> None:
    box.row3("langfuse", "push", "bread", code=0)
    fuse.items["bread.rye"]["input"]["topic"] = "Rye"
    done = box.row3("langfuse", "push", "bread", code=0)
    assert "newer on the other side, so left alone: rye" in done.err
    box.row3("langfuse", "pull", "bread", code=0)
    assert json.loads(box.read(RYE))["topic"] == "Rye"
    # Both sides know what they had in common: an edit here is an edit, not a conflict.
    edit(box, topic="Rye bread")
    box.row3("langfuse", "push", "bread", code=0)
    assert fuse.items["bread.rye"]["input"]["topic"] == "Rye bread"
    edit(box, topic="Mine")
    fuse.items["bread.rye"]["input"]["topic"] = "Theirs"
    tree, items = box.tree(), json.dumps(fuse.items)
    for verb in ("push", "pull"):
        (error,) = box.row3("langfuse", verb, "bread", code=2).errors
        assert "1 case changed both here and in LangFuse" in error
        assert "rye" in error
    assert (box.tree(), json.dumps(fuse.items)) == (tree, items)
    box.row3("langfuse", "pull", "bread", "--force", code=0)
    assert json.loads(box.read(RYE))["topic"] == "Theirs"


def test_an_item_made_in_langfuse_becomes_a_case_and_keeps_its_own_metadata(box: Box, fuse: LangFuse) -> None:
    box.row3("langfuse", "push", "bread", code=0)
    fuse.create_item(
        {
            "datasetName": "bread",
            "id": "from-the-ui",
            "input": {"document": "Spelt is a wheat."},
            "expectedOutput": {
                "entities": [{"name": "spelt", "type": "cereal"}, "wheat"],
                "relationships": [{"source": "spelt", "type": "IS_A", "target": "wheat"}],
            },
            "metadata": {"owner": "Ada"},
        }
    )
    box.row3("langfuse", "pull", "bread", code=0)
    case = json.loads(box.read("golden/bread/from-the-ui.gold.json"))
    assert case["expectedConcepts"] == [{"label": "spelt", "type": "cereal"}, {"label": "wheat"}]
    assert case["expectedRelationships"] == [{"source": "spelt", "predicate": "IS_A", "target": "wheat"}]
    assert fuse.items["from-the-ui"]["metadata"]["owner"] == "Ada"
    assert box.row3("langfuse", "push", "bread", code=0).out.startswith("0 items written, 4 unchanged")


def test_an_item_that_is_no_case_stops_a_pull_and_nothing_is_written(box: Box, fuse: LangFuse) -> None:
    box.row3("langfuse", "push", "bread", code=0)
    fuse.items["bread.rye"]["input"]["topic"] = "Rye"
    fuse.items["bread.oven"]["expectedOutput"]["entities"] = [{"name": "steam", "colour": "white"}]
    fuse.items["bread.oven"]["input"]["topic"] = "Oven"
    tree = box.tree()
    (error,) = box.row3("langfuse", "pull", "bread", code=2).errors
    assert "item bread.oven of dataset bread" in error
    assert "colour" in error
    assert box.tree() == tree


@every_row("kind", list(MODULES))
def test_every_shipped_case_of_every_kind_comes_back_whole(kind: str) -> None:
    project = open_project(HOME)
    for name in project.suite_names():
        suite = pick_suite(project, name)
        if suite.kind.name != kind:
            continue
        for path in project.cases.paths(suite.golden):
            value = case_value(project.tree.read(file_of(path)), path, path)
            item = Item.of_case(value, suite)
            back = Item(**json.loads(json.dumps(asdict(item)))).case(suite, where=path)
            assert case_digest(back) == case_digest(value)
            assert item.input
    assert kind_named(kind, where="")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault("down"), "no answer"),
        (Fault("half", "GET"), "no answer"),
        (Fault("slow"), "no answer in time"),
        (Fault("401"), "refused the keys (401)"),
        (Fault("429"), "status 429"),
        (Fault("400"), "refused this (400): told to fail"),
        (Fault("302", headers={"Location": "http://elsewhere.invalid/"}), "status 302"),
    ],
)
def test_a_fault_is_one_error_and_the_same_command_goes_on_later(
    box: Box, fuse: LangFuse, fault: Fault, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)  # the SDK's own between its tries
    monkeypatch.setattr("row3.integrations.langfuse.client.TIMEOUT_S", 0.3)
    fault.after = 2 if fault.kind != "half" else 0  # so that something was sent before
    fuse.faults = [fault]
    done = box.row3("langfuse", "push", "bread", code=3)
    assert len(done.errors) == 1
    assert said in done.err
    assert SECRET not in done.err
    fuse.faults = []
    box.row3("langfuse", "push", "bread", code=0)
    assert sorted(fuse.items) == ["bread.oven", "bread.rye", "bread.yeast"]


def test_keys_are_needed_and_never_sent_within_a_case(box: Box, fuse: LangFuse) -> None:
    (error,) = box.row3("langfuse", "push", "bread", code=2, LANGFUSE_SECRET_KEY="").errors
    assert "LANGFUSE_SECRET_KEY must be set" in error
    edit(box, sourceText=f"Rye is a cereal. The key is {SECRET}.")
    done = box.row3("langfuse", "push", "bread", code=2)
    assert "LANGFUSE_SECRET_KEY" in done.err
    assert SECRET not in done.err
    assert "bread.rye" not in fuse.items
    for host in ("http://langfuse.example.org", "langfuse"):
        (error,) = box.row3("langfuse", "push", "bread", code=2, LANGFUSE_HOST=host).errors
        assert error.startswith("error: LANGFUSE_HOST: the host")


def test_a_dataset_that_is_not_there_is_named(box: Box) -> None:
    (error,) = box.row3("langfuse", "pull", "bread", code=2).errors
    assert "dataset bread: not found in LangFuse" in error
    box.write("row3.toml", box.read("row3.toml") + '[langfuse.datasets]\nbread = "extraction eval"\n')
    box.row3("langfuse", "push", "bread", code=0)
    assert box.row3("langfuse", "pull", "bread", code=0).out.endswith("dataset extraction eval\n")


def test_a_pull_that_was_cut_off_is_finished_by_the_next(box: Box, fuse: LangFuse) -> None:
    box.row3("langfuse", "push", "bread", code=0)
    for name in ("rye", "oven"):
        fuse.items[f"bread.{name}"]["input"]["topic"] = "Theirs"
    fuse.faults = [Fault("down", "POST", after=1)]
    box.row3("langfuse", "pull", "bread", code=3)
    assert json.loads(box.read(RYE))["topic"] == "Theirs"
    fuse.faults = []
    assert box.row3("langfuse", "pull", "bread", code=0).out.startswith("0 golden cases written, 3 unchanged")
    edit(box, topic="Mine")  # newer than what both sides had, so no conflict
    assert box.row3("langfuse", "push", "bread", code=0).out.startswith("1 item written, 2 unchanged")


def test_an_item_cannot_leave_the_folder_of_its_suite(box: Box, fuse: LangFuse) -> None:
    box.row3("langfuse", "push", "bread", code=0)
    item = json.loads(json.dumps(fuse.items["bread.rye"]))
    item["metadata"]["row3"]["rest"]["id"] = "../../evil"
    fuse.items["evil"] = {**item, "id": "evil"}
    (error,) = box.row3("langfuse", "pull", "bread", code=2).errors
    assert "item evil of dataset bread" in error
    assert not list(box.root.rglob("*evil*"))


def test_cases_of_one_file_are_changed_in_their_place(box: Box, fuse: LangFuse) -> None:
    cases = [
        {
            "id": name,
            "question": f"{name}?",
            "required_facts": [
                {"fact_id": "f", "claim": "It is so.", "must_cite": [{"doc": "d", "quote_contains": "so"}]}
            ],
        }
        for name in "ab"
    ]
    box.write("golden/asked/cases.json", json.dumps({"version": "1.0", "cases": cases}))
    box.write("row3.toml", box.read("row3.toml") + '[suites.asked]\nkind = "outcome"\n')
    box.row3("langfuse", "push", "asked", code=0)
    fuse.items["asked.b"]["input"]["question"] = "What is b?"
    box.row3("langfuse", "pull", "asked", code=0)
    whole = json.loads(box.read("golden/asked/cases.json"))
    assert [each["question"] for each in whole["cases"]] == ["a?", "What is b?"]
    assert whole["version"] == "1.0"


def test_in_ci_the_address_comes_from_the_environment(box: Box, fuse: LangFuse) -> None:
    box.write("row3.toml", box.read("row3.toml") + f'[langfuse]\nhost = "{fuse.address}"\n')
    box.row3("langfuse", "push", "bread", code=0, LANGFUSE_HOST="")
    asked = len(fuse.requests)
    (error,) = box.row3("langfuse", "push", "bread", code=2, LANGFUSE_HOST="", CI="true").errors
    assert "LANGFUSE_HOST: CI ignores the address in row3.toml" in error
    assert len(fuse.requests) == asked


def test_without_the_sdk_the_extra_is_named(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langfuse", None)
    (error,) = box.row3("langfuse", "push", "bread", code=2).errors
    assert 'pip install "row3[langfuse]"' in error


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
