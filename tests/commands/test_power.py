"""What `row3 power` plans from, and that it takes the best there is."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from row3.commands.cases import plan
from row3.comparing.baseline import save_baseline
from row3.errors import InvalidFile, UsageError
from row3.project.saved_runs import write_run
from row3.running.run_options import RunOptions
from row3.running.session import CommandOptions, GateFlags, Session, open_session
from row3.running.suite_run import run_suite
from tests.bakery import bakery, found, record
from tests.projects import SUITE, Box


@pytest.fixture
def box(tmp_path: Path, calm_env: None) -> Box:
    """Fifteen cases, v1.0 and v1.1, nothing recorded."""
    return bakery(tmp_path / "project")


NO_FLAGS = GateFlags()


def save_baseline_of_one(box: Box) -> None:
    record(box, "1.0", found(3))
    text = box.read("prompts/extract-v1.1.md")
    box.path("prompts/extract-v1.1.md").unlink()
    save_baseline(opened(box))
    box.write("prompts/extract-v1.1.md", text)


def opened(box: Box, *named: str, gate: GateFlags = NO_FLAGS, **options: Any) -> Session:
    return open_session(box.root, None, RunOptions(named=named, **options), CommandOptions(gate))


def measured(box: Box) -> None:
    """A baseline of v1.0, and recordings of v1.1."""
    record(box, "1.0", found(3, 3, 4, 2, 4))
    box.path("prompts/extract-v1.1.md").unlink()
    save_baseline(opened(box))
    box.prompt("1.1")
    record(box, "1.1", found(4, 3, 4, 3, 4, 2))


def test_baseline_and_candidate_from_recordings_alone(box: Box) -> None:
    measured(box)
    before = box.tree()
    report = plan(opened(box))
    assert report.settings == ("extract v1.0 · baker-1", "extract v1.1 · baker-1")
    metric, first = report.plans[0]
    assert (metric.key, first is None) == ("overall", False)
    assert first is not None
    assert (first.variance.cases, first.variance.repeats) == (15, 1.0)
    assert first.smallest_drop is not None
    assert [metric.key for metric, _ in report.plans][1:3] == ["recall", "precision"]
    assert box.tree() == before


def test_it_is_the_same_every_time(box: Box) -> None:
    measured(box)
    assert plan(opened(box)) == plan(opened(box))


def test_recorded_repeats_separate_case_and_answer_variance(box: Box) -> None:
    record(box, "1.0", found(3, 3, 4, 2, 4))
    box.path("prompts/extract-v1.1.md").unlink()
    save_baseline(opened(box))
    box.prompt("1.1")
    for repeat in range(3):
        record(box, "1.1", found(*((4, 3, 4), (3, 3, 4, 4), (4, 4))[repeat]), repeat=repeat)
    report = plan(opened(box))
    assert report.repeats == (1, 3)
    first = report.plans[0][1]
    assert first is not None
    assert first.variance.repeat_variance is not None
    assert ([each[:2] for each in report.rates], report.nearest) == ([(15, 3), (15, 4), (25, 3)], "")
    once = plan(opened(box), repeats=1).plans[0][1]
    assert once is not None
    assert (once.variance.repeats, once.variance.repeat_variance) == (1.0, None)


def test_cases_asked_once_have_the_rates_of_the_nearest_suite(box: Box) -> None:
    measured(box)
    report = plan(opened(box))
    assert report.nearest.startswith("scores in many steps")
    assert [each[:2] for each in report.rates] == [(15, 1), (50, 1)]
    assert plan(opened(box, gate=GateFlags(policy="paired"))).rates == ()


@pytest.mark.parametrize(
    ("changed", "known"),
    [({}, True), ({"scorer": "another"}, False), ({"mode": "replay"}, False), ({"suite": "other"}, False)],
)
def test_saved_live_runs_are_answers_too(box: Box, changed: dict[str, str], known: bool) -> None:
    measured(box)
    run = run_suite(opened(box))
    header = run.header.replace(**{"mode": "live"} | changed)
    write_run(box.path(".row3/runs/20260101T000000Z-live.json"), header, run.records)
    report = plan(opened(box))
    assert (report.nearest == "") == known
    assert [each.cases for each in report.rates] == ([15, 15, 25] if known else [15, 50])


def test_repeats_of_only_some_cases_are_not_used(box: Box) -> None:
    record(box, "1.0", found(3, 3, 4, 2, 4))
    box.path("prompts/extract-v1.1.md").unlink()
    save_baseline(opened(box))
    box.prompt("1.1")
    record(box, "1.1", found(4, 3, 4, 3, 4, 2))
    record(box, "1.1", {"ember": 1}, repeat=1)
    assert plan(opened(box)).repeats == (1, 1)


def test_no_promise_if_nothing_moved(box: Box) -> None:
    record(box, "1.1", found(4))
    save_baseline(opened(box))
    report = plan(opened(box))
    first = report.plans[0][1]
    assert first is not None
    assert first.smallest_drop is None


def test_nothing_to_plan_from(box: Box) -> None:
    with pytest.raises(InvalidFile, match="nothing to plan from") as error:
        plan(opened(box))
    assert "there is no baseline" in error.value.what
    assert "row3 --baseline" in error.value.fix
    save_baseline_of_one(box)
    with pytest.raises(InvalidFile, match="15 of 15 cases have no recorded answer from the candidate"):
        plan(opened(box))


def test_a_broken_baseline_is_reported(box: Box) -> None:
    record(box, "1.1", found(4))
    box.write(f"baselines/{SUITE}.json", "{")
    with pytest.raises(InvalidFile, match=f"baselines/{SUITE}.json"):
        plan(opened(box))


def test_a_metric_by_its_key(box: Box) -> None:
    measured(box)
    assert [metric.key for metric, _ in plan(opened(box), metric="Recall").plans] == ["recall"]
    assert [metric.key for metric, _ in plan(opened(box), metric="ungroundedrate").plans] == ["ungroundedRate"]
    with pytest.raises(UsageError, match="Did you mean `recall`"):
        plan(opened(box), metric="recal")


def test_the_policy_and_the_limit_of_the_command_line(box: Box) -> None:
    measured(box)

    def first(gate: GateFlags, detect: float | None = None) -> Any:
        return plan(opened(box, gate=gate), detect=detect).plans[0][1]

    by_interval, by_mean = first(GateFlags(policy="paired"), 0.1), first(GateFlags(policy="fixed"), 0.1)
    assert by_interval.smallest_drop > by_mean.smallest_drop > 0.05
    assert by_interval.wanted == by_mean.wanted == 0.1
    assert first(GateFlags(fail="overall:3")).wanted == pytest.approx(0.06)


def test_a_quarantined_case_is_left_out(box: Box) -> None:
    measured(box)
    on = datetime.now(UTC).date()
    until = on + timedelta(days=30)
    entry = {"case": "ember", "since": on.isoformat(), "until": until.isoformat(), "reason": "x"}
    box.write(f"golden/{SUITE}/quarantine.json", json.dumps({"cases": [entry]}))
    first = plan(opened(box)).plans[0][1]
    assert first is not None
    assert first.variance.cases == 14
