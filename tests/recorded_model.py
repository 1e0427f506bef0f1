"""A server that answers what the shipped recordings answer, whatever model is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from row3.domain.requests import Answer, NoAnswer, Request
from row3.project.project import open_project
from row3.running.asks import Given, Question
from row3.running.evaluate import replay_case
from row3.running.lineup import line_up
from row3.running.replay import Recorded, open_recordings
from row3.running.run_options import RunOptions, make_asking
from tests.chat_server import ChatServer, FakeReply

Text = tuple[str, str]


class RecordedModel(ChatServer):
    """Knows every request of a project's suites by its text; `unknown` counts what it was asked beside."""

    def __init__(self, root: Path) -> None:
        self.answers: dict[Text, str] = {}
        self.models: set[str] = set()
        self.unknown: list[Text] = []
        project = open_project(root)
        for name in project.suite_names():
            suite = project.suite(name, "replay")
            for role in ("promoted", "candidate"):
                lineup = line_up(project, suite, role=role)
                answerer = _Noted(Recorded(open_recordings(project, suite), lineup), self.answers)
                for stored in project.cases_of(suite):
                    replay_case(make_asking(suite, lineup, RunOptions()), stored, answerer)
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        """What is recorded for this text, or nothing that is of use."""
        said = {message["role"]: message["content"] for message in body["messages"]}
        text = said.get("system", ""), said["user"]
        with self.lock:
            self.models.add(body["model"])
            if text not in self.answers:
                self.unknown.append(text)
        return FakeReply(self.answers.get(text, "{}"))


class _Noted:
    """Recordings that note what was asked."""

    def __init__(self, recorded: Recorded, answers: dict[Text, str]) -> None:
        self._recorded, self._answers = recorded, answers

    async def answer(self, question: Question) -> Given:
        """As recorded."""
        given = await self._recorded.answer(question)
        if isinstance(question, Request) and isinstance(given, Answer):
            *system, user = question.texts
            self._answers["".join(system), user] = given.text
        assert not isinstance(given, NoAnswer)
        return given
