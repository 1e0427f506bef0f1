"""A server that speaks chat completions and knows which version of the small prompt asks, when, and how often."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.bakery import IDS, answer, case_of
from tests.chat_server import ChatServer, FakeReply
from tests.projects import CONFIG, Box

PRICES = '[prices."baker-1"]\ninput = 1.0\noutput = 4.0\n'
"""Of the answers below: $0.0003 each."""
COST = (100 * 1.0 + 50 * 4.0) / 1e6


class Asked(NamedTuple):
    """One request as it came in."""

    version: str
    """Of the prompt, `1.1`."""
    case_id: str
    at: int
    """How many requests came before it, of whatever kind."""
    times: int
    """How many of the same version and case did."""


def concepts(asked: Asked, count: int) -> FakeReply:
    """An answer with the first so many of a case's four concepts."""
    return FakeReply(json.dumps(answer(asked.case_id, count)))


class Provider(ChatServer):
    """Answers as `choose` says; what was asked is in `asked`, in the order in which it came."""

    def __init__(self, choose: Callable[[Asked], FakeReply]) -> None:
        self.asked: list[Asked] = []
        self.choose = choose
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        """As the prompt's version is to answer the case whose text is asked about."""
        version, _, text = body["messages"][-1]["content"].partition(": ")
        case_id = next(each for each in IDS if case_of(each)["sourceText"] in text)
        with self.lock:
            times = Counter((each.version, each.case_id) for each in self.asked)[version, case_id]
            asked = Asked(version, case_id, len(self.asked), times)
            self.asked.append(asked)
        return self.choose(asked)

    def serve(self, box: Box, *, priced: bool = True, **settings: object) -> None:
        """Make the project ask this server."""
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
        text = f'{CONFIG}preset = "vllm"\nbase_url = "{self.url}"\n{lines}{PRICES if priced else ""}'
        box.write("row3.toml", text)

    def versions(self) -> Counter[str]:
        """How often each version was asked."""
        return Counter(each.version for each in self.asked)
