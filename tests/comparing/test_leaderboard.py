"""Which combinations there are, what of them is recorded, and how the board comes of it; two stages, several models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.comparing.leaderboard import combinations, leaderboard
from row3.gate.leaderboard import Leaderboard
from row3.project.project import Project, open_project
from row3.reports.leaderboard import leaderboard_document
from row3.reports.markdown import markdown_text
from row3.reports.terminal import terminal_text
from row3.running.run_options import RunOptions
from row3.running.session import open_session
from tests.two_stages import CONCEPTS, LINKS, imported, response, suite_of, two_stages

HALF = json.dumps({"concepts": [{"label": "rye", "sourceQuote": "Rye"}]})


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """v1.0 of the first stage is recorded to the end; of v1.1 case `a`, and of `b` the first stage only."""
    found = two_stages(tmp_path)
    both = [response(case, prompt, text) for case in "ab" for prompt, text in (("decompose", CONCEPTS), ("map", LINKS))]
    imported(found, *both, named=("decompose-v1.0",))
    imported(
        found,
        response("a", "decompose", HALF),
        response("a", "map", LINKS),
        response("b", "decompose", HALF),
        named=("decompose-v1.1",),
    )
    return found


def board_of(project: Project, **options: object) -> Leaderboard:
    return leaderboard(open_session(project.root, None, RunOptions(**options)))  # type: ignore[arg-type]


def named(project: Project, *prompts: str, models: tuple[str, ...] = ()) -> list[str]:
    found = combinations(project, suite_of(project), RunOptions(), prompts=prompts, models=models)
    return [f"{' '.join(asking.lineup.versions().values())} {asking.parameters['map'].model}" for asking in found]


def test_the_versions_of_every_prompt_with_every_model(project: Project) -> None:
    assert named(project) == ["v1.0 v1.0 m", "v1.1 v1.0 m"]
    assert named(project, models=("x", "m", "x")) == ["v1.0 v1.0 x", "v1.0 v1.0 m", "v1.1 v1.0 x", "v1.1 v1.0 m"]
    # A bare version is of every prompt that has it; a prompt of which none is named runs in its highest.
    assert named(project, "v1.1") == ["v1.1 v1.0 m"]
    assert named(project, "v1.0") == ["v1.0 v1.0 m"]
    assert named(project, "map-v1.0") == ["v1.1 v1.0 m"]
    assert named(project, "decompose-v1.1", "v1.0", "1.0") == ["v1.1 v1.0 m", "v1.0 v1.0 m"]


def test_stages_of_several_models_are_one_combination_beside_the_recorded_ones(project: Project) -> None:
    text = (project.root / "prompts/map-v1.0.md").read_text()
    (project.root / "prompts/map-v1.0.md").write_text(text.replace("version:", "model: mapper\nversion:"))
    (project.root / "prompts/decompose-v1.1.md").unlink()
    (project.root / "row3.toml").write_text('[suites.bread]\npipeline = ["decompose", "map"]\n')
    again = two_stages_again(project)
    assert named(again) == ["v1.0 v1.0 m"]  # nobody names a model for the first stage
    prompt = project.root / "prompts/decompose-v1.0.md"
    prompt.write_text(prompt.read_text().replace("version:", "model: finder\nversion:"))
    again = two_stages_again(project)
    asked = [
        [asking.parameters[name].model for name in ("decompose", "map")]
        for asking in combinations(again, suite_of(again), RunOptions())
    ]
    assert asked == [["finder", "mapper"], ["m", "m"]]


def two_stages_again(project: Project) -> Project:
    return open_project(project.root)


def test_a_missing_later_answer_makes_a_combination_incomplete(project: Project) -> None:
    board = board_of(project)
    assert [one.entrant.prompts["decompose"] for one in board.placed] == ["v1.0"]
    assert board.placed[0].mean == pytest.approx(0.85)
    (rest,) = board.incomplete
    assert (rest.prompts["decompose"], rest.missing, rest.cases("failed")) == ("v1.1", 1, ["b"])


def test_answers_are_counted_by_stages(project: Project) -> None:
    for path in (project.root / "recordings/bread").glob("decompose-v1.1*"):
        path.write_text("".join(line for line in path.read_text().splitlines(True) if '"caseId": "a"' in line))
    (rest,) = board_of(project).incomplete
    assert (rest.missing, rest.cases("failed")) == (2, ["b"])


def test_repeats_are_averaged_and_a_case_needs_all_of_them(project: Project) -> None:
    lines = [response("a", "decompose", HALF, repeat=1), response("b", "decompose", CONCEPTS, repeat=1)]
    links = [response(case, "map", LINKS, repeat=1) for case in "ab"]
    imported(project, *lines, *links, named=("decompose-v1.0",), repeats=2)
    board = board_of(project, repeats=2)
    (one,) = board.placed
    # Concept recall 1/2 in one of four answers, and half of a relationship's ends: the mean of a case is over its two.
    of_a = 2 * one.mean - 0.85
    assert 0.0 < of_a < 0.85
    assert board.repeats == 2


def test_costs_and_times_of_all_stages_add_up_and_one_unknown_makes_them_unknown(project: Project) -> None:
    (project.root / "row3.toml").write_text(
        (project.root / "row3.toml").read_text() + "[prices.m]\ninput = 1.0\noutput = 2.0\n"
    )
    for path in (project.root / "recordings/bread").glob("*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for value in lines:
            value["response"] |= {"promptTokens": 100, "completionTokens": 10, "latencyS": 0.25}
        path.write_text("".join(json.dumps(value) + "\n" for value in lines))
    again = two_stages_again(project)
    (one,) = board_of(again).placed
    assert one.cost_usd == pytest.approx(2 * (100 * 1.0 + 10 * 2.0) / 1e6)
    assert one.latency_p50_s == pytest.approx(0.5)
    path = (again.root / "recordings/bread") / "decompose-v1.0.jsonl"
    path.write_text(path.read_text().replace('"latencyS": 0.25', '"latencyS": null', 1))
    (one,) = board_of(again).placed
    assert one.latency_p50_s is None


def test_an_interval_ends_at_what_a_flawless_case_scores(project: Project) -> None:
    """Two cases, one of which is not flawless: the t interval alone would reach far beyond 85 %."""
    lines = [response("a", "decompose", HALF, repeat=1), response("b", "decompose", CONCEPTS, repeat=1)]
    links = [response(case, "map", LINKS, repeat=1) for case in "ab"]
    imported(project, *lines, *links, named=("decompose-v1.0",), repeats=2)
    board = board_of(project, repeats=2)
    (one,) = board.placed
    assert one.interval is not None
    assert one.interval.high > 1.0
    assert "…85.0%" in terminal_text(leaderboard_document(board))


def test_equal_scores_have_no_interval(project: Project) -> None:
    board = board_of(project)
    (one,) = board.placed
    assert one.interval is not None
    for text in (terminal_text(leaderboard_document(board)), markdown_text(leaderboard_document(board))):
        assert "85.0…" not in text
        assert "Interval ?: all cases score alike, so the spread is unknown." in text
