"""Experiments: the items of a dataset through the pipeline, over real HTTP on both sides."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from row3.integrations.langfuse.sink import experiment_id, trace_id
from tests.chat_server import FakeModel, FakeReply
from tests.langfuse_server import SECRET, Fault, LangFuse
from tests.projects import CASES, Box, first, flawless
from tests.runner import Done

NAMES = {"entity_precision", "entity_recall", "entity_f1", "relationship_accuracy"}
ARGS = ("experiment", "--dataset", "bread", "--name", "baseline-v1")
Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]


def good(case_id: str, times: int) -> FakeReply:
    return FakeReply(json.dumps(flawless(CASES[case_id])))


@pytest.fixture
def pushed(box: Box) -> Box:
    box.row3("langfuse", "push", "bread", code=0)
    return box


def run_id(box: Box) -> str:
    return max(path.stem for path in box.path(".row3/runs").glob("*.json"))


def sent(fuse: LangFuse) -> tuple[Any, Any]:
    return dict(fuse.spans), dict(fuse.scores)


def root(fuse: LangFuse, run: str, case_id: str) -> Any:
    (span,) = [each for each in fuse.spans.values() if each.trace_id == trace_id(run, case_id) and not each.parent]
    return span


def test_every_item_has_a_linked_trace_and_its_scores_by_both_names(pushed: Box, fuse: LangFuse) -> None:
    done = pushed.row3(*ARGS, code=0)
    run = run_id(pushed)
    for case_id in CASES:
        span = root(fuse, run, case_id)
        own = span.attributes
        assert own["langfuse.experiment.name"] == "baseline-v1"
        assert own["langfuse.experiment.id"] == experiment_id(run)
        assert own["langfuse.experiment.item.id"] == f"bread.{case_id}"
        assert own["langfuse.experiment.dataset.id"] == fuse.datasets["bread"]["id"]
        assert own["langfuse.experiment.item.root_observation_id"] == span.id
        assert span.json("langfuse.observation.input")["text"] == CASES[case_id]["sourceText"]
        assert span.json("langfuse.observation.output") == flawless(CASES[case_id])
        assert span.json("langfuse.experiment.item.expected_output")["entities"]
        about = span.json("langfuse.experiment.metadata")
        assert (about["model"], about["prompts"], about["mode"]) == ("baker-1", {"extract": "v1.1"}, "replay")
        scores = fuse.scores_of(span.trace_id)
        assert NAMES | {"recall", "precision", "overall"} <= set(scores)
        assert scores["entity_f1"] == scores["f1"] == 1.0
        assert "type_accuracy" not in scores, "nothing has a type, so there is no score"
        assert "error" not in scores
        (call,) = [each for each in fuse.spans.values() if each.parent == span.id]
        assert call.trace_id == span.trace_id
        assert call.attributes["langfuse.observation.type"] == "generation"
        assert call.attributes["gen_ai.request.model"] == "baker-1"
    averages = {each["name"]: each["value"] for each in fuse.scores.values() if "datasetRunId" in each}
    assert (averages["entity_recall"], averages["failures"]) == (1.0, 0.0)
    assert "3 of 3 items, 0 failed" in done.err
    assert "experiment baseline-v1: 3 items, 0 failures; " in done.err
    assert "entity_recall 1.000" in done.err
    assert "Concept recall" in done.out


def test_parameters_hold_for_all_items_and_are_metadata(pushed: Box, fuse: LangFuse, model: Make) -> None:
    fake = model(good)
    fake.serve(pushed)
    more = ("--model", "gemini-1.5-pro", "--temperature", "0.5", "--mode", "live")
    done = pushed.row3(*ARGS, *more, "--format", "json", code=0)
    assert done.err.count("3 of 3 items, 0 failed") == 1
    result = done.json
    assert set(fake.models) == {"gemini-1.5-pro"}
    span = root(fuse, run_id(pushed), "rye")
    about = span.json("langfuse.experiment.metadata")
    assert about["model"] == result["model"] == "gemini-1.5-pro"
    assert about["parameters"]["extract"]["temperature"] == 0.5
    assert span.attributes["langfuse.observation.metadata.model"] == "gemini-1.5-pro"


def test_an_item_that_fails_has_an_error_score_and_the_rest_goes_on(pushed: Box, fuse: LangFuse, model: Make) -> None:
    answers = {"rye": FakeReply(status=500, body=b'{"error": {"message": "boom"}}'), "oven": FakeReply("no JSON")}
    model(lambda case_id, times: answers.get(case_id) or good(case_id, times)).serve(pushed, max_retries=0)
    done = pushed.row3(*ARGS, "--mode", "live", code=3)
    run = run_id(pushed)
    failed, bad, fine = (fuse.scores_of(trace_id(run, case_id)) for case_id in ("rye", "oven", "yeast"))
    assert failed == {"error": 1.0}
    assert (bad["error"], bad["entity_f1"]) == (1.0, 0.0)
    assert (fine.get("error"), fine["entity_f1"]) == (None, 1.0)
    assert "3 items, 2 failures" in done.err
    (comment,) = [each["comment"] for each in fuse.scores.values() if each.get("traceId") == trace_id(run, "rye")]
    assert "500" in comment
    span = root(fuse, run, "rye")
    assert (span.attributes["langfuse.observation.level"], span.status) == ("ERROR", 2)
    assert root(fuse, run, "yeast").json("langfuse.observation.output")["concepts"]


def test_items_that_are_no_golden_cases_run_too_but_are_no_baseline(pushed: Box, fuse: LangFuse, model: Make) -> None:
    model(good).serve(pushed)
    fuse.items["bread.rye"]["expectedOutput"]["entities"].append({"name": "flour"})
    for option in ("--baseline", "--compare"):
        (error,) = pushed.row3(*ARGS, option, code=2).errors
        assert "1 case differs between dataset bread and golden/bread/: rye" in error
        assert "`row3 langfuse pull bread`" in error
    pushed.row3(*ARGS, "--mode", "live", code=0)
    scores = fuse.scores_of(trace_id(run_id(pushed), "rye"))
    assert scores["entity_recall"] == pytest.approx(0.8)
    for path in pushed.path("golden/bread").glob("*.json"):
        path.unlink()
    pushed.row3(*ARGS, "--mode", "live", code=0)
    assert fuse.scores_of(trace_id(run_id(pushed), "rye"))["entity_recall"] == pytest.approx(0.8)


def test_an_experiment_can_be_the_baseline_and_is_gated_like_any_run(pushed: Box, fuse: LangFuse) -> None:
    pushed.row3(*ARGS, "--baseline", code=0)
    baseline = json.loads(pushed.read("baselines/bread.json"))
    assert baseline["runId"] == run_id(pushed)
    assert fuse.scores_of(trace_id(baseline["runId"], "rye"))["entity_f1"] == 1.0
    pushed.prompt("1.2")
    pushed.record("1.2", {case_id: first(flawless(case), 1) for case_id, case in CASES.items()})
    done = pushed.row3(*ARGS, "--compare", code=1)
    assert "block" in done.out.lower()
    assert root(fuse, run_id(pushed), "rye").json("langfuse.experiment.metadata")["action"] == "compare"


def test_prompts_come_by_label_and_are_versions_here_first(pushed: Box, fuse: LangFuse, model: Make) -> None:
    model(good).serve(pushed)
    pushed.row3("langfuse", "prompts", "push", code=0)
    there = fuse.prompts["extract"][0]
    new = {"name": "extract", "type": "text", "config": there["config"], "labels": ["staging"]}
    fuse.create_prompt({**new, "prompt": there["prompt"] + "\nAnswer in JSON.\n"})
    args = (*ARGS, "--prompt-label", "staging", "--mode", "live")
    (error,) = pushed.row3(*args, code=2, CI="true").errors
    assert "row3 langfuse prompts pull --label staging" in error
    pushed.row3(*args, code=0)
    assert "Answer in JSON." in pushed.read("prompts/extract-v1.2.md")
    span = root(fuse, run_id(pushed), "rye")
    about = span.json("langfuse.experiment.metadata")
    assert (about["prompts"], about["promptLabel"]) == ({"extract": "v1.2"}, "staging")
    (call,) = [each for each in fuse.spans.values() if each.parent == span.id]
    assert call.attributes["langfuse.observation.prompt.name"] == "extract"
    assert call.attributes["langfuse.observation.prompt.version"] == 2
    tree = pushed.tree()
    pushed.row3(*args, "--trust", code=0, CI="true")
    assert pushed.tree() == tree


@pytest.mark.parametrize(
    "fault",
    [
        Fault("down", "traces"),
        Fault("down", "scores"),
        Fault("half", "scores", applied=True),
        Fault("429", "scores"),
        Fault("401", "traces"),
        Fault("slow", "traces"),
        Fault("400", "scores"),
    ],
)
def test_nothing_is_lost_while_langfuse_is_down_and_sending_twice_makes_one(
    pushed: Box, fuse: LangFuse, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)  # the SDK's own between its tries
    monkeypatch.setattr("row3.integrations.langfuse.client.TIMEOUT_S", 0.5)
    pushed.row3(*ARGS, code=0)
    whole = [len(each) for each in sent(fuse)]
    fuse.spans.clear()
    fuse.scores.clear()
    fuse.faults = [fault]
    done = pushed.row3(*ARGS, code=3)
    assert "kept in .row3/outbox/langfuse" in done.err
    assert SECRET not in done.err
    run = run_id(pushed)
    kept = pushed.read(f".row3/outbox/langfuse/{run}.json")
    assert SECRET not in kept
    assert not [text for text in pushed.tree().values() if SECRET.encode() in text]
    # What was kept is sent with its experiment, whatever came after it.
    fuse.faults = []
    done = pushed.row3("export", "--to", "langfuse", code=0)
    assert run in done.out
    assert [len(each) for each in sent(fuse)] == whole
    assert root(fuse, run, "rye").attributes["langfuse.experiment.name"] == "baseline-v1"
    before = sent(fuse)
    pushed.row3("export", run, "--to", "langfuse", code=0)
    assert sent(fuse) == before


def test_refused_scores_are_told_and_kept(pushed: Box, fuse: LangFuse, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = 207, {"accepted": 1, "rejected": 2, "errors": [{"message": "no such trace"}]}
    monkeypatch.setattr(fuse, "create_scores", lambda body: answer)
    done = pushed.row3(*ARGS, code=3)
    assert "LangFuse refused 2 scores: no such trace" in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--baseline", "--compare"), "leave out the other option"),
        (("--baseline", "--prompt-label", "staging"), "leave out the other option"),
        (("--prompt-label", "staging"), "no prompt of suite `bread` has the label `staging`"),
        (("--temperature", "3"), "--temperature"),
    ],
)
def test_what_cannot_be_is_one_error(pushed: Box, fuse: LangFuse, args: tuple[str, ...], said: str) -> None:
    before = sent(fuse)
    (error,) = pushed.row3(*ARGS, *args, code=2).errors
    assert said in error
    assert sent(fuse) == before


def test_a_dataset_that_is_not_there_or_has_no_items_is_one_error(box: Box, fuse: LangFuse) -> None:
    def error() -> str:
        done: Done = box.row3(*ARGS, code=2)
        (only,) = done.errors
        return only

    assert "dataset bread: not found in LangFuse" in error()
    fuse.create_dataset({"name": "bread"})
    assert "the dataset has no items to run" in error()
    item = {"datasetName": "bread", "id": "x", "input": {"n": 1}}
    fuse.create_item(item)
    assert "item x of dataset bread: the input has no text" in error()


def test_an_ordinary_run_is_exported_as_traces_with_scores(box: Box, fuse: LangFuse) -> None:
    box.row3(code=0)
    box.row3("export", "--to", "langfuse", code=0)
    span = root(fuse, run_id(box), "rye")
    assert not [name for name in span.attributes if "experiment" in name]
    assert fuse.scores_of(span.trace_id)["entity_f1"] == 1.0


def test_an_item_that_always_fails_hides_no_worse_model(pushed: Box, fuse: LangFuse, model: Make) -> None:
    broken = FakeReply(status=500, body=b'{"error": {"message": "boom"}}')

    def with_concepts(found: int) -> Callable[[str, int], FakeReply]:
        answers = {name: FakeReply(json.dumps(first(flawless(case), found))) for name, case in CASES.items()}
        return lambda case_id, times: broken if case_id == "rye" else answers[case_id]

    def recall(name: str, *args: str) -> float:
        done = pushed.row3(*ARGS[:-1], name, "--mode", "live", "--format", "json", *args, code=3)
        assert f"--name {name} --mode live --format json --continue" in done.err
        value: float = done.json["metrics"]["recall"]
        return value

    model(with_concepts(4)).serve(pushed, max_retries=0)
    assert recall("one") == 1.0
    worse = model(with_concepts(2))
    worse.serve(pushed, max_retries=0)
    assert [recall(name) for name in ("one", "two", "two")] == [0.5] * 3
    assert sorted(worse.asked) == sorted([*CASES] * 3)
    assert recall("two", "--continue") == 0.5
    assert worse.asked[9:] == ["rye"]
