"""A server on loopback that plays the part of GitHub's REST API that comments need, and can be made to fail."""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from tests.local_server import Handler, LocalServer

BOT = "github-actions[bot]"


class Call(NamedTuple):
    """What was asked."""

    method: str
    path: str
    token: str


class FakeGitHub(LocalServer):
    """Pull request 7 of `o/n`; who writes is `github-actions[bot]`."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.calls: list[Call] = []
        self._failing: dict[str, list[int]] = {}
        self._location = ""
        self._raw: bytes | None = None
        fake = self

        class Api(Handler):
            def _do(self) -> None:
                sent = self.sent()
                fake.calls.append(Call(self.command, self.path, self.headers.get("Authorization", "")))
                status, value, headers = fake.answer_to(self.command, self.path, sent)
                self.reply(status, value if isinstance(value, bytes) else json.dumps(value).encode(), headers)

            do_GET = do_POST = do_PATCH = _do

        super().__init__(Api)
        self.url = self.address

    def __enter__(self) -> FakeGitHub:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def add(self, author: str, body: str) -> int:
        """A comment that is there already; its id."""
        number = 1000 + len(self.comments)
        url = f"https://github.example/o/n/pull/7#issuecomment-{number}"
        self.comments.append({"id": number, "body": body, "user": {"login": author}, "html_url": url})
        return number

    def fail(self, status: int, *, times: int, method: str = "") -> None:
        """Answer the next requests (of a method) with this status."""
        self._failing[method] = [status] * times

    def redirect(self, location: str) -> None:
        """Answer the next request with a redirect."""
        self._location = location

    def answer(self, body: bytes) -> None:
        """Answer lists with this."""
        self._raw = body

    def answer_to(self, method: str, path: str, sent: bytes) -> tuple[int, Any, dict[str, str]]:
        """Status, body and headers."""
        for each in (method, ""):
            if self._failing.get(each):
                return self._failing[each].pop(0), {"message": "Resource not accessible by integration"}, {}
        if self._location:
            location, self._location = self._location, ""
            return 302, b"", {"Location": location}
        if self._raw is not None:
            return 200, self._raw, {}
        parts = urlsplit(path)
        if parts.path == "/repos/o/n/issues/7/comments":
            return self._list(parts.query) if method == "GET" else self._create(sent)
        if parts.path.startswith("/repos/o/n/issues/comments/") and method == "PATCH":
            return self._update(int(parts.path.rpartition("/")[2]), sent)
        return 404, {"message": "Not Found"}, {}

    def _list(self, query: str) -> tuple[int, Any, dict[str, str]]:
        page = int(parse_qs(query).get("page", ["1"])[0])
        return 200, self.comments[(page - 1) * 100 : page * 100], {}

    def _create(self, sent: bytes) -> tuple[int, Any, dict[str, str]]:
        self.add(BOT, json.loads(sent)["body"])
        return 201, self.comments[-1], {}

    def _update(self, number: int, sent: bytes) -> tuple[int, Any, dict[str, str]]:
        for each in self.comments:
            if each["id"] == number:
                each["body"] = json.loads(sent)["body"]
                return 200, each, {}
        return 404, {"message": "Not Found"}, {}
