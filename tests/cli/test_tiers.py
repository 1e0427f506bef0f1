"""Two tiers of one suite: baselines, thresholds and limits of recorded and of live answers."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, CONFIG, SUITE, Box, Done, first, flawless

RECORDED, LIVE = f"baselines/{SUITE}.json", f"baselines/{SUITE}.live.json"


class Baker:
    """A model that finds so many concepts of every case."""

    concepts = 3

    def __call__(self, case_id: str, times: int) -> FakeReply:
        return FakeReply(json.dumps(first(flawless(CASES[case_id]), self.concepts)))


@pytest.fixture
def baker() -> Baker:
    return Baker()


@pytest.fixture
def served(box: Box, baker: Baker) -> Iterator[Box]:
    """The small project, whose model answers."""
    fake = FakeModel(baker)
    fake.serve(box)
    yield box
    fake.stop()


def settings(box: Box, text: str) -> None:
    box.write("row3.toml", box.read("row3.toml") + text)


def said(done: Done) -> str:
    return " ".join(done.out.split())


def test_each_tier_has_a_baseline_of_its_own(served: Box) -> None:
    recorded = served.read(RECORDED)
    done = served.row3("--baseline", "--mode", "live", code=0)
    assert f"baseline saved as {LIVE}" in done.err
    assert served.read(RECORDED) == recorded
    assert json.loads(served.read(LIVE))["tier"] == "live"
    live = served.row3("--compare", "--mode", "live", "--format", "json", code=0).json
    assert (live["tier"], live["baseline"]["tier"]) == ("live", "live")
    replayed = served.row3("--compare", "--format", "json", code=0).json
    assert (replayed["tier"], replayed["baseline"]["tier"]) == ("replay", "replay")
    assert live["baseline"]["runId"] != replayed["baseline"]["runId"]


def test_without_a_live_baseline_the_comparison_says_which_it_takes(served: Box) -> None:
    for tier in ("replay", "live"):
        value = served.row3("--compare", "--mode", "live", "--format", "json", code=0).json
        assert (value["tier"], value["baseline"]["tier"]) == ("live", tier)
        served.row3("--baseline", "--mode", "live", code=0)


def test_recorded_answers_are_never_compared_with_the_live_baseline(served: Box) -> None:
    served.row3("--baseline", "--mode", "live", code=0)
    served.path(RECORDED).unlink()
    done = served.row3("--compare", code=2)
    assert f"{RECORDED}: there is no baseline to compare with" in done.err


def test_a_recorded_run_is_no_live_baseline(served: Box) -> None:
    served.write(LIVE, served.read(RECORDED))
    done = served.row3("--compare", "--mode", "live", code=2)
    assert f"{LIVE}: the live tier's baseline contains recorded answers" in done.err


def test_live_answers_have_thresholds_and_limits_of_their_own(served: Box, baker: Baker) -> None:
    settings(served, f"[suites.{SUITE}.live.thresholds.recall]\nminimum = 0.8\ntarget = 0.85\nexcellent = 0.9\n")
    settings(served, f"[suites.{SUITE}.live.gate]\nblock = 3\n")
    served.row3("--baseline", "--mode", "live", code=0)
    done = served.row3("--compare", "--mode", "live", "--format", "json", code=0)
    assert ("in_fail_zone", "recall") in [(reason["code"], reason["subject"]) for reason in done.json["reasons"]]
    assert (
        served.row3("--compare", "--prompt", "extract-v1.0", "--format", "json", code=0).json["zones"]["recall"]
        == "pass"
    )


def test_a_promotion_makes_the_baseline_of_its_tier(served: Box, baker: Baker) -> None:
    recorded, baker.concepts = served.read(RECORDED), 4
    planned = served.row3("promote", "v1.1", "--mode", "live", "--dry-run", code=0)
    assert LIVE in planned.out
    done = served.row3("promote", "v1.1", "--mode", "live", code=0)
    assert LIVE in done.out
    assert f"charts/{SUITE}.live-trend.svg" in done.out
    assert served.read(RECORDED) == recorded
    assert json.loads(served.read(LIVE))["prompts"]["extract"]["version"] == "v1.1"


def test_declines_are_counted_in_a_tier(served: Box, baker: Baker) -> None:
    served.row3("--compare", "--format", "json", code=0)
    for baker.concepts in (4, 3, 2):
        served.row3("--compare", "--mode", "live", "--no-interleave")
    baker.concepts = 1
    assert served.row3("--compare", "--mode", "live", "--no-interleave", "--format", "json").json["declines"] == 3
    assert served.row3("--compare", "--format", "json", code=0).json["declines"] == 0


def test_a_suite_cannot_be_called_like_a_tier(box: Box) -> None:
    box.write(f"golden/{SUITE}.live/rye.gold.json", box.read(f"golden/{SUITE}/rye.gold.json"))
    done = box.row3("--suite", f"{SUITE}.live", code=2)
    assert "its baseline would be that of another suite's live tier" in done.err


def test_lint_reads_the_settings_and_the_baseline_of_both_tiers(box: Box) -> None:
    box.write("row3.toml", f"{CONFIG}[suites.{SUITE}.live.thresholds.recal]\nminimum = 0.2\n")
    box.write(LIVE, "{}")
    done = box.row3("lint", code=2)
    assert "`recal` is not a metric of this kind" in said(done)
    assert LIVE in done.out
