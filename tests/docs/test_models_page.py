"""The page on moving to another model: its commands, in order, against a server that stands for the models."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, FakeReply, completion
from tests.projects import HOME, Box, clean_env

PAGE = (HOME / "docs/models.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
TIME = re.compile(r"(faster|slower) by \d+%|[\d.]+ m?s\b|(?<=Latency per case).*")
TICKETS = 120
KINDS = ("billing", "bug", "question")
TOKENS = {None: 40, "low": 143, "high": 610}
WRONG = {None: (3, 50, 77, 110), "low": (3, 50, 99), "high": (3, 50)}
"""By effort: which tickets are sorted wrongly."""
PRICES = """
[prices."gpt-4.1"]
input = 2.0
output = 8.0

[prices."gpt-5-mini"]
input = 0.25
output = 2.0
"""


class Models(ChatServer):
    """gpt-4.1, and gpt-5-mini, which is the better the more it thinks."""

    def __init__(self) -> None:
        self.asked: Counter[str | None] = Counter()
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        effort = body.get("reasoning_effort")
        with self.lock:
            self.asked[effort] += 1
        number = int(re.findall(r"Ticket: number (\d+)", body["messages"][-1]["content"])[0])
        kind = KINDS[(number + (number in WRONG[effort])) % 3]
        reply = json.loads(completion(FakeReply(json.dumps({"category": kind, "reply": "Thank you."}))))
        reply["usage"]["completion_tokens"] = TOKENS[effort]
        wait_s = {None: 0.06, "low": 0.03, "high": 0.1}[effort]
        return FakeReply(body=json.dumps(reply).encode(), wait_s=wait_s)


@pytest.fixture
def desk(tmp_path: Path) -> Box:
    """120 tickets, answered by gpt-4.1 at temperature 0, with a baseline."""
    (tmp_path / "desk").mkdir()
    box = Box(tmp_path / "desk", clean_env(tmp_path, OPENAI_API_KEY="sk-0123456789"))
    box.row3("init", "--kind", "checks", code=0)
    for path in box.root.glob("golden/checks/*.json"):
        path.unlink()
    for number in range(TICKETS):
        case = {"schemaVersion": 1, "id": f"t{number:03}", "input": {"ticket": f"number {number}"}}
        case["checks"] = [{"equals": KINDS[number % 3], "path": "$.category"}]
        box.write(f"golden/checks/t{number:03}.gold.json", json.dumps(case))
    box.replace("row3.toml", 'model = "gpt-5-mini"', 'model = "gpt-4.1"\ntemperature = 0')
    box.write("row3.toml", box.read("row3.toml") + PRICES)
    return box


@pytest.mark.slow
def test_the_page_s_commands_print_what_it_shows(desk: Box) -> None:
    server = Models()
    desk.env["OPENAI_BASE_URL"] = server.url
    try:
        desk.row3("--baseline", "--mode", "record", code=0)
        for kind, text in BLOCK.findall(PAGE):
            if kind == "diff":
                for old, new in re.findall(r"^-(.*)\n\+(.*)$", text, re.MULTILINE):
                    desk.replace("row3.toml", old, new)
            else:
                type_in(text, desk)
    finally:
        server.stop()
    assert server.asked == {None: TICKETS, "low": TICKETS, "high": TICKETS}, "something was paid twice"
    parameters = json.loads(desk.read("baselines/checks.json"))["parameters"]["classify-ticket"]
    assert (parameters["model"], parameters["reasoningEffort"]) == ("gpt-5-mini", "low")


def type_in(session: str, box: Box) -> None:
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE):
        done = box.row3(*shlex.split(command)[1:], code=0)
        printed = [TIME.sub("", line).rstrip() for line in (done.out + done.err).splitlines()]
        for line in (TIME.sub("", each).rstrip() for each in shown.splitlines() if each not in ("", "…")):
            assert line in printed, f"{command} does not print: {line}\n{done}"
            printed = printed[printed.index(line) + 1 :]
