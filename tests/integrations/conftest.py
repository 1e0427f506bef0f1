"""Small projects with a finished run."""

from __future__ import annotations

import json

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, copy_of, flawless, tiny

PRICES = '[prices."baker-1"]\ninput = 1.0\noutput = 4.0\n'


@pytest.fixture(autouse=True)
def calm(calm_env: None) -> None:
    """What runs in this process sees the same environment as the commands do."""


@pytest.fixture(scope="session")
def live_once(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """The small project after a live run of v1.1, whose answers no recording keeps."""
    box = tiny(tmp_path_factory.mktemp("live") / "project")
    fake = FakeModel(lambda case_id, times: FakeReply(json.dumps(flawless(CASES[case_id]))))
    fake.serve(box)
    box.write("row3.toml", box.read("row3.toml") + PRICES)
    box.row3("--mode", "live", code=0)
    fake.stop()
    return box


live = copy_of("live_once")
