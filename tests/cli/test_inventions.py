"""What is invented where nothing is to be found is seen by whatever judges, and what is silent there passes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.memory import PRIMARY, SEED, answers, memory, prompt, record, write
from tests.projects import Box, copy_of

KINDS = ("events", "entities", "graph")
QUIET = ("quiet-0", "quiet-1", "quiet-2")
CRITICAL = "quiet-2"
SAID: dict[str, dict[str, Any]] = {
    "events": {"events": [{"category": "Decision", "description": "The board left", "actor": "Nobody Known"}]},
    "entities": {"entities": [{"name": "Ghost Corp", "type": "ORG", "mentions": []}]},
    "graph": {"connections": [{"document_id": "m7", "connection_reason": "shared_event", "event": "A ghost"}]},
}
SILENT = {kind: {next(iter(said)): []} for kind, said in SAID.items()}


def quiet(box: Box, name: str, **more: Any) -> None:
    """A case in which nothing is to be found, for the three kinds."""
    text = f"The weather of {name} was mild."
    case = {"document_id": name, "title": "Notes", "date": "2025-03-28", "document": text}
    write(
        box, f"golden/memory/documents/{name}.gold.json", case | {"expected_events": [], "expected_entities": []} | more
    )
    seed = {"id": name, "seed_document": name, "expected_connections": [], "expected_not_connected": ["m1"]}
    write(box, f"golden/memory/graph/{name}.gold.json", seed | more)


def given(kind: str, said: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A perfect answer to every case, and this one to the quiet ones."""
    return answers(kind) | dict.fromkeys(QUIET, said)


def edit(box: Box, name: str) -> None:
    """A blank more in its text."""
    path = f"golden/memory/documents/{name}.gold.json"
    box.write(path, box.read(path).replace("was mild", "was  mild"))


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """On main the promoted prompts say nothing where nothing is to be found, on `work` a draft invents."""
    box = memory(tmp_path_factory.mktemp("silent") / "project")
    for name in QUIET:
        quiet(box, name, critical=name == CRITICAL)
    write(box, "golden/memory/graph/g2.gold.json", SEED | {"id": "g2"})
    for kind in KINDS:
        more = {"g2": answers("graph")["g1"]} if kind == "graph" else {}
        record(box, kind, "1.0", given(kind, SILENT[kind]) | more)
        box.row3("--baseline", "--suite", kind, code=0)
    box.init()
    box.git("checkout", "-q", "-b", "work")
    for kind in KINDS:
        more = {"g2": answers("graph")["g1"]} if kind == "graph" else {}
        prompt(box, kind, "1.1")
        record(box, kind, "1.1", given(kind, SAID[kind]) | more)
    box.commit("drafts")
    return box


box = copy_of("silent")


def said(box: Box, kind: str, *args: str, code: int) -> str:
    done = box.row3("--compare", "--suite", kind, "--against", "main", *args, code=code, CI="1")
    return " ".join((done.out + done.err).split())


@pytest.mark.parametrize("kind", ["events", "entities"])
def test_the_gate_and_a_promotion_block(box: Box, kind: str) -> None:
    told = said(box, kind, code=1)
    assert "F1 is worse by 50.0 points (more than 5)" in told
    assert "3 regressed · 3 unchanged" in told
    result = json.loads(box.row3("--compare", "--suite", kind, "--format", "json", code=1).out)
    moved = {case["id"]: case["deltas"].get(PRIMARY[kind]) for case in result["cases"] if case["id"] in QUIET}
    assert moved == dict.fromkeys(QUIET, -1.0)
    before = box.tree()
    assert "was not promoted" in str(box.row3("promote", "--suite", kind, "v1.1", code=1))
    assert box.tree()["prompts/promoted.json" if "prompts/promoted.json" in before else "row3.toml"]
    assert box.tree()[f"baselines/{kind}.json"] == before[f"baselines/{kind}.json"]


def test_the_hook_blocks(box: Box) -> None:
    box.git("reset", "-q", "--soft", "main")
    told = str(box.row3("hook", "run", code=1))
    assert "events" in told


def test_kind_graph_which_gates_nothing_tells_it(box: Box) -> None:
    told = said(box, "graph", code=1)  # for the critical case
    assert "Connection precision 40.0% (−60.0 points" in told
    assert "3 regressed · 2 unchanged" in told


@pytest.mark.parametrize("kind", ["events", "entities"])
def test_a_critical_case_is_named(box: Box, kind: str) -> None:
    told = said(box, kind, code=1)
    assert f"a critical case broke or fell beyond the limit: {CRITICAL}" in told


def test_a_diff_names_the_cases(box: Box) -> None:
    told = str(box.row3("diff", "--suite", "events", "find-events-v1.0", "find-events-v1.1", code=0))
    assert "3 regressed" in told
    assert "quiet-0" in told


def test_a_leaderboard_pairs_them_as_the_gate_does(box: Box) -> None:
    board = box.row3("leaderboard", "--suite", "events", "--format", "json", code=0).json
    assert [one["prompts"]["find-events"] for one in board["entries"]] == ["v1.0", "v1.1"]
    assert [one["score"] for one in board["entries"]] == [1.0, 0.5]
    assert set(QUIET) <= set(board["cases"])
    moved = box.row3("--compare", "--suite", "events", "--format", "json", code=1).json
    (pair,) = board["pairs"]
    assert pair["delta"] == moved["deltas"][PRIMARY["events"]] == -0.5


def test_a_leaderboard_leaves_out_where_all_are_silent(box: Box) -> None:
    board = box.row3("leaderboard", "--suite", "events", "--prompt", "v1.0", "--format", "json", code=0).json
    assert sorted(board["leftOut"]) == list(QUIET)


@pytest.mark.parametrize("kind", ["events", "entities"])
def test_an_investigation_shows_what_the_gate_compares(box: Box, kind: str) -> None:
    (told,) = box.row3("investigate", "quiet-0", "--suite", kind, "--format", "json", code=0).json["cases"]
    shown = told["metrics"][PRIMARY[kind]]
    assert (shown["value"], shown["before"], shown["delta"]) == (0.0, 1.0, -1.0)
    assert PRIMARY[kind] in {fall["metric"] for fall in told["fell"]}
    text = " ".join(box.row3("investigate", "quiet-0", "--suite", kind, code=0).out.split())
    assert "The good run's answer correctly finds nothing" in text


def test_what_is_silent_in_the_place_of_an_invention_passes_and_so_does_what_follows(box: Box) -> None:
    box.row3("promote", "--suite", "events", "v1.1", "--approve", "the inventions are known", code=0)
    box.commit("inventions")
    box.git("branch", "-f", "main", "work")
    prompt(box, "events", "1.2")
    record(box, "events", "1.2", given("events", SILENT["events"]))
    assert "3 improved · 3 unchanged" in said(box, "events", code=0)
    box.row3("promote", "--suite", "events", "v1.2", code=0)
    assert "PROCEED" in said(box, "events", code=0)
    box.commit("silent again")
    box.git("branch", "-f", "main", "work")
    assert "6 unchanged" in said(box, "events", code=0)


class TestNothingToFindAnywhere:
    @pytest.fixture
    def box(self, box: Box) -> Box:
        box.git("checkout", "-q", "main")
        for path in ("m1.gold.json", "m2.gold.json", "linking/both.gold.json"):
            box.path(f"golden/memory/documents/{path}").unlink()
        box.row3("--baseline", "--suite", "events", code=0)
        box.commit("quiet alone")
        box.git("checkout", "-q", "-b", "after")
        return box

    def test_such_a_suite_passes(self, box: Box) -> None:
        assert "3 unchanged" in str(box.row3("--compare", "--suite", "events", code=0))
        assert "3 unchanged" in said(box, "events", code=0)
        edit(box, "quiet-1")
        record(box, "events", "1.0", {"quiet-1": SILENT["events"]})
        box.commit("a blank more")
        box.git("branch", "-f", "main", "after")
        assert "3 unchanged" in said(box, "events", code=0)

    def test_and_an_invention_blocks_there(self, box: Box) -> None:
        prompt(box, "events", "1.1")
        record(box, "events", "1.1", dict.fromkeys(QUIET, SAID["events"]))
        assert "Event F1 is worse by 100.0 points (more than 5)" in said(box, "events", code=1)
