"""Recordings, embeddings and what else speaks about a change: the history, models, canaries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.domain.requests import digest_text
from tests.chat_server import FakeModel, FakeReply
from tests.embedding_server import MODEL, EmbeddingServer
from tests.journeys import GOOD, HISTORY, POOR, draft, judged, merge, settings
from tests.projects import CASES, SUITE, Box, first, flawless, tiny

RECORDED = f"recordings/{SUITE}/extract-v1.1.jsonl"
DIFFERS = "block baseline_differs baseline"


class TestRecordings:
    def test_those_of_the_baseline_that_go(self, work: Box) -> None:
        lines = work.read(RECORDED).splitlines(keepends=True)
        work.write(RECORDED, "".join(lines[1:]))
        assert judged(work, code=3).reasons == {"block no_answer oven (after)"}
        draft(work, "1.2", POOR)
        work.path(RECORDED).unlink()
        told = judged(work, code=3)
        assert "block worse overall" in told.reasons, "the base still has them"

    def test_those_that_are_recorded_again(self, work: Box) -> None:
        work.record("1.1", GOOD | {"rye": first(GOOD["rye"], 3)})
        told = judged(work, code=1)
        assert told.reasons >= {"investigate recorded_again rye", DIFFERS}
        work.row3("--baseline", code=0)
        told = judged(work, code=1)
        assert told.reasons >= {"investigate recorded_again rye", "investigate worse overall"}
        assert "block unconfirmed recall" in told.reasons, "three cases are too few for a test"
        work.record("1.1", POOR)
        work.row3("--baseline", code=0)
        assert judged(work, code=1).reasons >= {"investigate recorded_again oven", "block worse overall"}

    def test_new_ones_are_counted(self, work: Box) -> None:
        assert "note recorded" not in judged(work, code=0).reasons
        draft(work, "1.2", GOOD)
        (found,) = [each for each in judged(work, code=0).value["reasons"] if each["code"] == "recorded"]
        assert (found["verdict"], found["figures"]) == ("proceed", {"answers": 3})
        said = work.row3("--compare", "--against", "main", code=0).out
        assert "the change records 3 new answers" in " ".join(said.split())
        merge(work)
        assert "note recorded" not in judged(work, code=0).reasons

    def test_worse_ones_behind_a_harmless_draft(self, work: Box) -> None:
        draft(work, "1.2", GOOD)
        merge(work)
        work.record("1.1", POOR)
        work.row3("--baseline", code=0)
        assert "block worse overall" in judged(work, code=1).reasons

    def test_one_that_was_edited_by_hand(self, work: Box) -> None:
        work.replace(RECORDED, "salt", "sale")
        assert "the recorded answer was edited" in work.row3("--compare", "--against", "main", code=2).err
        lines = [json.loads(line) for line in work.read(RECORDED).splitlines()]
        for line in lines:
            line["answerDigest"] = digest_text(line["response"]["text"])
        work.write(RECORDED, "".join(json.dumps(line) + "\n" for line in lines))
        assert judged(work, code=1).reasons >= {"investigate recorded_again rye", DIFFERS}

    def test_one_that_a_filter_stopped_and_that_is_edited_to_be_whole(self, work: Box) -> None:
        whole, filtered = '"finishReason": "stop"', '"finishReason": "content_filter"'
        work.write(RECORDED, work.read(RECORDED).replace(whole, filtered))
        work.row3("--baseline", code=0)
        assert "block worse overall" in judged(work, code=1).reasons
        work.commit("filtered")
        work.git("branch", "-f", "main")
        work.git("checkout", "-q", "-b", "whole")
        work.write(RECORDED, work.read(RECORDED).replace(filtered, whole))
        assert judged(work, code=1).reasons >= {"investigate recorded_again rye", DIFFERS}

    def test_one_that_only_moved_to_another_file(self, work: Box) -> None:
        work.write(f"recordings/{SUITE}/all.jsonl", work.read(RECORDED))
        work.path(RECORDED).unlink()
        assert judged(work, code=0).reasons == set()

    def test_answers_that_a_draft_of_the_base_had_not(self, work: Box) -> None:
        work.prompt("1.2")
        merge(work, "a draft without answers")
        work.record("1.2", POOR)
        assert "block worse overall" in judged(work, code=1).reasons

    def test_pruning_keeps_what_judges(self, work: Box) -> None:
        draft(work, "1.2", GOOD)
        work.case("rye", sourceText=CASES["rye"]["sourceText"] + " It is so.")
        for version in ("1.1", "1.2"):
            work.record(version, {"rye": GOOD["rye"]})
        work.row3("recordings", "prune", code=0)
        assert judged(work, code=0).reasons == {"investigate criteria_changed case rye input", "note recorded"}
        work.row3("--baseline", code=0)
        merge(work)
        assert "stale recording" in work.row3("recordings", "prune", code=0).out
        assert judged(work, code=0).reasons == set()

    def test_another_model_is_said_and_one_that_was_served_instead(self, work: Box) -> None:
        work.write(RECORDED, work.read(RECORDED).replace('"servedModel": null', '"servedModel": "baker-1-a"'))
        merge(work)
        draft(work, "1.2", GOOD)
        name = f"recordings/{SUITE}/extract-v1.2.jsonl"
        work.write(name, work.read(name).replace('"servedModel": null', '"servedModel": "baker-1-b"'))
        assert judged(work, code=0).reasons == {"note served_model_changed", "note recorded"}
        work.replace("row3.toml", "baker-1", "baker-2")
        assert judged(work, code=3).reasons >= {"note model_changed"}
        work.record("1.2", GOOD)
        work.record("1.1", GOOD)
        assert "note model_changed" in judged(work).reasons

    def test_against_a_base_a_provider_is_asked_for_what_is_lacking(self, work: Box) -> None:
        model = FakeModel(lambda case_id, _: FakeReply(json.dumps(flawless(CASES[case_id]))))
        try:
            model.serve(work)
            merge(work)
            work.prompt("1.2")
            work.case("rye", sourceText=CASES["rye"]["sourceText"] + " It is so.")
            judged(work, code=3)
            for mode in ("auto", "record"):
                work.row3("--compare", "--against", "main", "--mode", mode, code=0)
                assert sorted(model.asked) == ["oven", "rye", "rye", "rye", "yeast"], "nothing twice"
            assert work.row3("--compare", "--against", "main", "--mode", "live").code == 2
        finally:
            model.stop()
        assert judged(work, code=0).reasons == {"investigate criteria_changed case rye input", "note recorded"}


class TestEmbeddings:
    """Recorded embeddings that were edited: other names would match by meaning."""

    FILE = f"recordings/{SUITE}/embeddings-{MODEL}.jsonl"
    ANOTHER = "sailing boat"
    """What the answers call rye; nothing is like it."""

    @pytest.fixture
    def meant(self, tmp_path: Path) -> Box:
        box = tiny(tmp_path / "project")
        for path in box.path(f"recordings/{SUITE}").iterdir():
            path.unlink()
        answers = json.loads(json.dumps(GOOD))
        answers["rye"]["concepts"][0]["label"] = self.ANOTHER
        box.record("1.1", answers)
        box.path("prompts/extract-v1.0.md").unlink()
        server = EmbeddingServer()
        server.serve(box)
        box.row3("--baseline", "--mode", "auto", code=0)
        server.stop()
        box.init()
        return box

    def test_another_vector_is_told_and_a_removed_one_missing(self, meant: Box) -> None:
        lines = [json.loads(line) for line in meant.read(self.FILE).splitlines()]
        vectors = {line["text"]: line["vector"] for line in lines}
        other = [line | ({"vector": vectors["rye"]} if line["text"] == self.ANOTHER else {}) for line in lines]
        meant.write(self.FILE, "".join(json.dumps(line) + "\n" for line in other))
        told = judged(meant, "--mode", "replay")
        assert f"investigate recorded_again embedding of {self.ANOTHER}" in told.reasons
        fewer = [line for line in lines if line["text"] != self.ANOTHER]
        meant.write(self.FILE, "".join(json.dumps(line) + "\n" for line in fewer))
        assert judged(meant, "--mode", "replay", code=3).reasons == {"block no_answer rye (after)"}


def test_entries_of_the_history_that_go(work: Box) -> None:
    work.write(HISTORY, "[\n]\n")
    assert judged(work, code=0).reasons == {"investigate history_removed"}


def test_three_declining_runs_in_a_row(work: Box) -> None:
    settings(work, f"[suites.{SUITE}.gate]\nblock = 90\n")
    merge(work)
    for minor, found in ((2, 3), (3, 2)):
        draft(work, f"1.{minor}", {case_id: first(GOOD[case_id], found) for case_id in CASES})
        work.row3("--compare")
    draft(work, "1.4", {case_id: first(GOOD[case_id], 1) for case_id in CASES})
    assert "investigate declining" in judged(work).reasons


def test_a_canary_is_for_a_person_to_look_at(work: Box) -> None:
    for case_id in ("rye", "oven", "yeast"):
        for number in range(9):
            work.case(
                f"{case_id}-{number}", **CASES[case_id] | {"sourceText": f"{CASES[case_id]['sourceText']} {number}"}
            )
    ids = [path.name.removesuffix(".gold.json") for path in work.path(f"golden/{SUITE}").iterdir()]
    answers = {case_id: GOOD[case_id.partition("-")[0]] for case_id in ids}
    work.record("1.1", answers)
    work.row3("--baseline", code=0)
    merge(work)
    invented = {"label": "gluten lattice theory", "sourceQuote": "Rye"}
    draft(work, "1.2", answers | {"rye": {**GOOD["rye"], "concepts": [*GOOD["rye"]["concepts"], invented]}})
    assert "investigate canary hallucinationRate" in judged(work, code=0).reasons
