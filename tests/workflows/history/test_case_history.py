"""What is known of cases: recorded answers of every version, and saved runs, none counted twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from row3.errors import InvalidFile
from row3.store.project import open_project
from row3.store.suites import pick_suite
from row3.workflows.comparing.baseline import save_baseline
from row3.workflows.history.case_history import History, Past, Seen, gather
from row3.workflows.pipeline.run_suite import RunOptions
from row3.workflows.pipeline.stages import Parameters
from row3.workflows.recorded.recorded_scores import Setting
from row3.workflows.running import plain_run
from row3.workflows.session import open_session
from tests.bakery import bakery, found, record
from tests.projects import SUITE, Box
from tests.two_stages import BOTH, CONCEPTS, LINKS, imported, response, two_stages

FLAWLESS = 0.85
SETTING = Setting((("extract", "v1.1", "d"),), (Parameters("baker-1", 0, None, None),))


@pytest.fixture
def box(tmp_path: Path, calm_env: None) -> Box:
    """Fifteen cases, v1.0 and v1.1, nothing recorded."""
    return bakery(tmp_path / "project")


def gathered(root: Path, **options: Any) -> History:
    project = open_project(root)
    return gather(project, pick_suite(project, None), **options)


def of_version(history: History, version: str) -> dict[str, Seen]:
    (cases,) = [cases for setting, cases in history.settings.items() if setting.prompts[-1][1] == version]
    return cases


def past(value: float, said: str, *, mode: str = "live", repeats: int = 1, spread: float | None = None) -> Past:
    return Past("2026-11-22T00:00:00Z", mode, value, said, repeats, spread)


def test_every_version_and_repeat(box: Box) -> None:
    record(box, "1.0", found(3))
    for repeat, concepts in enumerate((4, 2, 4)):
        record(box, "1.1", found(concepts), repeat=repeat)
    history = gathered(box.root)
    assert len(history.cases) == 15
    assert of_version(history, "v1.0")["ember"].values() == [pytest.approx(0.7875)]
    assert of_version(history, "v1.1")["ember"].values() == pytest.approx([FLAWLESS, 0.725, FLAWLESS])
    assert sorted(setting.title for setting in history.settings) == [
        "extract v1.0 · baker-1",
        "extract v1.1 · baker-1",
    ]


def test_a_pattern_and_a_version_narrow_it(box: Box) -> None:
    for version in ("1.0", "1.1"):
        record(box, version, found(3))
    assert gathered(box.root, case="em*").cases == ["ember"]
    assert [s.title for s in gathered(box.root, named=("extract-v1.0",)).settings] == ["extract v1.0 · baker-1"]


def test_a_bad_answer_is_nought_and_no_gap(box: Box) -> None:
    record(box, "1.1", found(4))
    box.record("1.1", {"ember": "I cannot"}, repeat=1)
    assert of_version(gathered(box.root), "v1.1")["ember"].values() == pytest.approx([FLAWLESS, 0.0])


def test_a_bad_answer_early_in_the_pipeline_ends_all_that_begin_so(tmp_path: Path) -> None:
    project = two_stages(tmp_path)
    imported(project, *BOTH, named=("decompose-v1.0",))
    imported(project, response("a", "decompose-v1.0", "no", repeat=1), named=("decompose-v1.0",), repeats=2)
    (setting,) = gathered(tmp_path).settings
    assert [name for name, _, _ in setting.prompts] == ["decompose", "map"]
    assert gathered(tmp_path).settings[setting]["a"].values() == [pytest.approx(FLAWLESS), 0.0]


def test_a_pipeline_of_which_nothing_can_be_read_stands_for_itself(tmp_path: Path) -> None:
    project = two_stages(tmp_path)
    imported(project, response("a", "decompose-v1.0", "no"), named=("decompose-v1.0",))
    history = gathered(tmp_path)
    assert [cases["a"].values() for cases in history.settings.values()] == [[0.0]]


def test_every_path_through_the_versions_is_a_setting(tmp_path: Path) -> None:
    project = two_stages(tmp_path)
    fewer = '{"concepts": [{"label": "rye", "sourceQuote": "Rye"}]}'
    for version, concepts in (("1.0", CONCEPTS), ("1.1", fewer)):
        lines = [response("a", "decompose", concepts), response("a", "map", LINKS)]
        imported(project, *lines, named=(f"decompose-v{version}",))
    history = gathered(tmp_path)
    assert sorted(setting.title for setting in history.settings) == [
        "decompose v1.0 → map v1.0 · m",
        "decompose v1.1 → map v1.0 · m",
    ]
    assert len({cases["a"].values()[0] for cases in history.settings.values()}) == 2


class TestSavedRuns:
    @pytest.fixture(autouse=True)
    def recorded(self, box: Box) -> None:
        record(box, "1.1", found(4))

    def run(self, box: Box, **options: Any) -> None:
        plain_run(open_session(box.root, None, RunOptions(**options)))

    def test_a_replay_is_no_new_answer(self, box: Box) -> None:
        self.run(box)
        self.run(box)
        history = gathered(box.root)
        seen = of_version(history, "v1.1")["ember"]
        assert (history.runs, len(seen.runs)) == (2, 2)
        assert seen.single_runs() == [pytest.approx(FLAWLESS)]

    def test_an_answer_that_was_recorded_over_is_one(self, box: Box) -> None:
        self.run(box)
        record(box, "1.1", {"ember": 2})
        seen = of_version(gathered(box.root), "v1.1")["ember"]
        assert sorted(seen.single_runs()) == pytest.approx([0.725, FLAWLESS])

    def test_saving_a_baseline_is_one_run(self, box: Box) -> None:
        save_baseline(open_session(box.root, None, RunOptions()))
        assert gathered(box.root).runs == 1

    def test_runs_of_another_scorer_are_left_out_and_counted(self, box: Box) -> None:
        self.run(box)
        (log,) = box.path(".row3/runs").glob("*.json")
        box.replace(f".row3/runs/{log.name}", '"scorer": "extraction/', '"scorer": "extraction/0.')
        history = gathered(box.root)
        assert (history.runs, history.other_scorer) == (0, 1)

    def test_a_case_that_was_another_one_then_is_left_out(self, box: Box) -> None:
        self.run(box)
        name = f"golden/{SUITE}/ember.gold.json"
        box.replace(name, '"id": "ember"', '"id": "ember", "topic": "coal"')
        seen = of_version(gathered(box.root), "v1.1")
        assert (seen["ember"].runs, len(seen["iris"].runs)) == ([], 1)

    def test_other_weights_are_weighed_anew(self, box: Box) -> None:
        record(box, "1.1", {"ember": 2})
        self.run(box)
        box.write("row3.toml", box.read("row3.toml") + f"[suites.{SUITE}.weights]\nrecall = 0.4\n")
        seen = of_version(gathered(box.root), "v1.1")["ember"]
        assert seen.runs[0].value == pytest.approx(seen.values()[0])

    def test_runs_of_other_versions_go_with_the_version_that_was_named(self, box: Box) -> None:
        self.run(box)
        assert gathered(box.root, named=("extract-v1.0",)).runs == 0

    def test_a_broken_log_says_what_to_do(self, box: Box) -> None:
        self.run(box)
        (log,) = box.path(".row3/runs").glob("*.json")
        log.write_text("{", encoding="utf-8")
        with pytest.raises(InvalidFile, match=r"Delete \.row3/runs/"):
            gathered(box.root)

    def test_a_failed_case_is_no_answer(self, box: Box) -> None:
        box.prompt("1.2")
        self.run(box)
        history = gathered(box.root)
        assert [setting for setting, cases in history.settings.items() if setting.prompts[0][1] == "v1.2"] == []


class TestSingleRuns:
    @pytest.mark.parametrize(
        ("recorded", "runs", "values"),
        [
            ({}, [past(0.5, "a"), past(0.5, "a")], [0.5, 0.5]),  # the same said twice is still two answers
            ({0: (0.6, "b")}, [past(0.5, "a", mode="record"), past(0.6, "b", mode="record")], [0.5, 0.6]),
            ({0: (0.6, "b")}, [past(0.6, "b", mode="replay")], [0.6]),
            ({0: (0.6, "b")}, [past(0.5, "a", mode="replay"), past(0.5, "a", mode="auto")], [0.6, 0.5]),
            ({0: (0.6, "b")}, [past(0.5, "a", repeats=3)], [0.6]),
            ({1: (0.6, "b")}, [], []),
            ({0: (0.6, "b")}, [past(0.4, "c")], [0.6, 0.4]),
        ],
    )
    def test_each_answer_once(
        self, recorded: dict[int, tuple[float, str]], runs: list[Past], values: list[float]
    ) -> None:
        assert Seen(recorded, runs).single_runs() == values

    def test_live_repeats_are_known_by_their_spread_only(self) -> None:
        kept = past(0.5, "a", repeats=3, spread=0.1)
        runs = [kept, past(0.5, "b", repeats=3), past(0.5, "c", mode="record", repeats=3, spread=0.1), past(0.4, "d")]
        assert Seen({}, runs).live_repeats() == [kept]


def test_a_place_is_made_where_there_is_none() -> None:
    history = History()
    seen: Callable[[], Seen] = lambda: history.seen(SETTING, "rye")  # noqa: E731
    seen().recorded[0] = (0.5, "a")
    assert seen().values() == [0.5]
    assert SETTING.title == "extract v1.1 · baker-1"
