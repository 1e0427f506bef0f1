"""Runs whose requests go in batches, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.batch_server import BatchServer
from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, copy_of, flawless

PRICED = '[prices."baker-1"]\ninput = 1.0\noutput = 4.0\n'
LIVE = (600 * 1.0 + 300 * 4.0) / 1e6
"""Price of the six requests of a comparison."""

box = copy_of("tiny_promoted")


def good(case_id: str, times: int) -> FakeReply:
    return FakeReply(json.dumps(flawless(CASES[case_id])))


@pytest.fixture
def server() -> Iterator[BatchServer]:
    model = FakeModel(good)
    running = BatchServer(model)
    yield running
    running.stop()
    model.stop()


def test_a_comparison_is_one_batch_a_stage_at_half_the_price(box: Box, server: BatchServer) -> None:
    server.serve(box, PRICED)
    done = box.row3("--compare", "--mode", "live", "--batch", "--format", "json", code=0)
    result = done.json
    assert result["metrics"]["overall"] == pytest.approx(0.85)
    usage = result["usage"]
    assert (usage["requests"], usage["replayed"], usage["promptTokens"]) == (6, 0, 600)
    assert usage["costUsd"] == pytest.approx(LIVE / 2)
    assert (len(server.batches), len(server.bodies), server.live) == (1, 6, 0)
    assert "below 50, a run without --batch is quicker" in done.err
    assert not list(box.state.rglob("*.batches.json"))
