"""`row3 leaderboard`, over recordings and over real HTTP against a local server."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, first, flawless
from tests.rows import every_row

Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]
PRICES = """
[prices."baker-2"]
input = 5.0
output = 20.0

[prices."baker-mini"]
input = 0.5
output = 2.0
"""


WAIT_S = 0.01
"""How long each answer takes."""


def finds(concepts: int) -> Callable[[str, int], FakeReply]:
    return lambda case_id, times: FakeReply(json.dumps(first(flawless(CASES[case_id]), concepts)), wait_s=WAIT_S)


@pytest.fixture
def served(box: Box, model: Make) -> tuple[Box, FakeModel]:
    """`baker-2` finds everything, `baker-mini` three of four; both have a price."""
    fake = model(finds(4))
    fake.of_model["baker-mini"] = finds(3)
    fake.serve(box, max_retries=0)
    box.write("row3.toml", box.read("row3.toml") + PRICES)
    return box, fake


def test_replay_ranks_what_is_recorded(box: Box) -> None:
    before = box.tree()
    board = box.row3("leaderboard", "--format", "json", code=0).json
    assert [(one["place"], one["prompts"], one["model"]) for one in board["entries"]] == [
        (0, {"extract": "v1.1"}, "baker-1"),
        (1, {"extract": "v1.0"}, "baker-1"),
    ]
    # Without a quarter of the concepts: recall 0.75 instead of 1, and nothing else changes.
    assert [one["score"] for one in board["entries"]] == pytest.approx([0.85, 0.85 - 0.25 * 0.25])
    assert board["cases"] == ["oven", "rye", "yeast"]
    # Imported answers have neither tokens nor times: unknown is null, and nowhere zero.
    assert {one[key] for one in board["entries"] for key in ("costUsd", "latencyP50S", "latencyP95S")} == {None}
    assert (board["incomplete"], board["mode"], board["primary"]) == ([], "replay", "overall")
    assert box.tree() == before


def test_nothing_complete_is_exit_3_and_nothing_recorded_an_error(box: Box) -> None:
    done = box.row3("leaderboard", "--model", "baker-9", "--prompt", "v1.0", "--prompt", "v1.1", code=3)
    assert "extract v1.0: 3 answers missing in 3 cases" in done.out
    assert "No combination has all its answers." in done.out
    (error,) = box.row3("leaderboard", "--model", "baker-9", code=2).errors
    assert "none of 2 combinations has a recorded answer" in error
    efforts = ("--set", "effort=low", "--set", "effort=high")
    (error,) = box.row3("leaderboard", *efforts, "--model", "baker-9", "--suite", "bread", code=2).errors
    assert "`row3 --mode record --set reasoning_effort=low" in error


@every_row("option", ["--model", "--prompt"])
def test_an_empty_name_is_not_all_of_them(box: Box, option: str) -> None:
    (error,) = box.row3("leaderboard", option, "", code=2).errors
    assert f"{option}: the value is empty" in error


def test_live_asks_for_what_is_missing_once_and_records_it(served: tuple[Box, FakeModel]) -> None:
    box, fake = served
    args = ("leaderboard", "--model", "baker-1", "--model", "baker-2", "--model", "baker-mini", "--prompt", "v1.1")
    board = box.row3(*args, "--mode", "live", "--format", "json", code=0).json
    assert sorted(fake.models) == ["baker-2"] * 3 + ["baker-mini"] * 3
    by_model = {one["model"]: one for one in board["entries"]}
    # 100 tokens read and 50 written for each case.
    assert by_model["baker-2"]["costUsd"] == pytest.approx((100 * 5 + 50 * 20) / 1e6)
    assert by_model["baker-mini"]["costUsd"] == pytest.approx((100 * 0.5 + 50 * 2) / 1e6)
    assert by_model["baker-2"]["latencyP50S"] >= WAIT_S
    assert by_model["baker-2"]["latencyP50S"] <= by_model["baker-2"]["latencyP95S"]
    assert {model: one["front"] for model, one in by_model.items()}["baker-1"] is None
    assert (by_model["baker-mini"]["front"], by_model["baker-1"]["costUsd"]) == (True, 0.0)
    again = box.row3(*args, "--mode", "live", "--format", "json", code=0).json
    assert len(fake.asked) == 6
    # A recording keeps the time to the millisecond.
    for one, before in zip(again["entries"], board["entries"], strict=True):
        for key in ("latencyP50S", "latencyP95S"):
            assert one.pop(key) == (None if (took := before.pop(key)) is None else pytest.approx(took, abs=1e-3))
    assert again["entries"] == board["entries"]
    replayed = box.row3("leaderboard", "--format", "json", code=0).json
    assert {one["model"] for one in replayed["entries"]} == {"baker-1", "baker-2", "baker-mini"}
    assert (replayed["nothingRecorded"], len(fake.asked)) == (2, 6)


def test_everything_is_asked_for_only_where_that_was_said(served: tuple[Box, FakeModel]) -> None:
    box, fake = served
    (error,) = box.row3("leaderboard", "--mode", "live", code=2).errors
    assert "this would ask for every missing answer of 2 combinations. Name some with --model or --prompt" in error
    args = ("--model", "baker-mini", "--model", "baker-2", "--prompt", "v1.1", "--prompt", "v1.0", "--mode", "live")
    done = box.row3("leaderboard", *args, code=0)
    assert "note: extract v1.0 · baker-2: asking for 3 cases" in done.err
    assert len(fake.asked) == 12


def test_no_more_is_asked_than_max_cost_allows(served: tuple[Box, FakeModel]) -> None:
    box, fake = served
    args = ("leaderboard", "--model", "baker-2", "--prompt", "v1.1", "--mode", "live")
    done = box.row3(*args, "--max-cost", "0.0000001", code=3)
    assert fake.asked == []
    assert "extract v1.1" in done.out
    assert "of --max-cost $0.0000001 is spent" in " ".join(done.out.split())
    box.replace("row3.toml", "base_url", 'key_variable = "PAID"\nbase_url')
    (error,) = box.row3("leaderboard", "--model", "baker-9", "--mode", "live", "--max-cost", "1", code=2).errors
    assert "the price of `baker-9` is unknown" in error


def test_a_provider_that_fails_leaves_the_combination_incomplete(box: Box, model: Make) -> None:
    fake = model(finds(4))
    fake.of_model["baker-2"] = lambda case_id, times: (
        FakeReply(status=500, body=b'{"error": {"message": "boom"}}') if case_id == "rye" else finds(4)(case_id, times)
    )
    fake.serve(box, max_retries=0)
    args = (
        "leaderboard", "--model", "baker-1", "--model", "baker-2", "--prompt", "v1.1", "--mode", "auto", "--format",
        "json",
    )  # fmt: skip
    board = box.row3(*args, code=3).json
    assert [one["model"] for one in board["entries"]] == ["baker-1"]
    (one,) = board["incomplete"]
    assert (one["model"], one["unanswered"], one["missingAnswers"]) == ("baker-2", ["rye"], 1)
    assert "boom" in one["problem"] or "500" in one["problem"]


def test_the_default_mode_asks_nobody_whatever_the_configuration_says(served: tuple[Box, FakeModel]) -> None:
    box, fake = served
    box.replace("row3.toml", 'mode = "replay"', 'mode = "auto"')
    box.row3("leaderboard", "--model", "baker-1", "--model", "baker-2", "--prompt", "v1.1", code=0)
    assert fake.asked == []


def test_cases_in_quarantine_are_in_no_figure(box: Box) -> None:
    names = [f"more-{i}" for i in range(4)]
    for name in names:
        box.case(name, **CASES["rye"])
    for version, concepts in (("1.0", 3), ("1.1", 4)):
        box.record(version, {name: first(flawless(CASES["rye"]), concepts) for name in names})
    until = (datetime.now(UTC) + timedelta(days=30)).date().isoformat()
    box.row3("flaky", "quarantine", "yeast", "--reason", "it wavers", "--until", until, code=0)
    board = box.row3("leaderboard", "--format", "json", code=0).json
    assert board["quarantined"] == ["yeast"]
    assert "yeast" not in board["cases"]
    assert "In quarantine, not counted: yeast" in box.row3("leaderboard", code=0).out


@every_row(
    ("args", "message"),
    [
        (("--prompt", "v9.9"), "no prompt in the pipeline has version `v9.9`"),
        (("--prompt", "extrakt-v1.0"), "Did you mean `extract-v1.0`?"),
        (tuple(each for i in range(101) for each in ("--model", f"m{i}")), "202 combinations are more than 200"),
        (("--models", "x"), "Did you mean `--model`?"),
        (("--format", "junit"), "'junit' is not one of 'table', 'json', 'markdown'"),
        (("--case", "none*"), "golden/bread/: no case matches"),
    ],
)
def test_what_cannot_be_is_refused(box: Box, args: tuple[str, ...], message: str) -> None:
    (error,) = box.row3("leaderboard", *args, code=2).errors
    assert message in error


def test_two_stages_agree_with_the_gate(first: Box) -> None:
    board = first.row3("leaderboard", "--format", "json", code=0).json
    assert [one["prompts"]["decompose-concepts"] for one in board["entries"]] == ["v1.2", "v1.1", "v1.0"]
    assert [one["rank"] for one in board["entries"]] == [1, 2, 3]
    (pair,) = (pair for pair in board["pairs"] if (pair["first"], pair["second"]) == (0, 2))
    assert pair["shown"] is True
    gained = first.row3("--compare", "--format", "json", code=0).json["deltas"]["overall"]
    assert pair["delta"] == pytest.approx(-gained)
    assert pair["interval"]["low"] < pair["delta"] < pair["interval"]["high"] < 0
