"""Comments on a pull request, over GitHub's REST API; the standard library is all it takes."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct, field

from row3.errors import EnvironmentFault

TIMEOUT_S = 20.0
PAGE = 100
MOST_PAGES = 50
"""5,000 comments; beyond it a new comment is written."""
RETRIES = 2
WAIT_S = 1.0
MOST_RESPONSE_BYTES = 32 * 1024 * 1024
Value = TypeVar("Value")


class Refused(EnvironmentFault):
    """GitHub did not do it; `status` is that of HTTP, 0 where there was no answer."""

    def __init__(self, status: int, what: str, *, where: str, fix: str) -> None:
        super().__init__(what, where=where, fix=fix)
        self.status = status


class _User(Struct, frozen=True):
    login: str = ""


class Comment(Struct, frozen=True):
    """One comment, as GitHub sends it."""

    id: int
    body: str = ""
    user: _User | None = None
    url: str = field(default="", name="html_url")


class _Error(Struct, frozen=True):
    message: str = ""


class _Stay(urllib.request.HTTPRedirectHandler):
    """A redirect is not followed: the token would go with it."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass
class PullRequestComments:
    """The comments of one pull request."""

    api: str
    """Address of the API, such as `https://api.github.com`."""
    repository: str
    """`owner/name`."""
    number: int
    token: str
    wait: Callable[[float], None] = time.sleep

    def find(self, marker: str, author: str) -> Comment | None:
        """The first comment of an author that begins with the marker. Raises `Refused`."""
        for page in range(1, MOST_PAGES + 1):
            found = self._call("GET", f"{self._list()}?per_page={PAGE}&page={page}", list[Comment])
            for comment in found:
                if comment.user is not None and comment.user.login == author and comment.body.startswith(marker):
                    return comment
            if len(found) < PAGE:
                break
        return None

    def create(self, body: str) -> Comment:
        """A new comment; asked for once only, or there might be two. Raises `Refused`."""
        return self._call("POST", self._list(), Comment, body, retries=0)

    def update(self, comment: Comment, body: str) -> Comment:
        """Return a comment with another text. Raises `Refused`; with status 404 the comment is gone."""
        return self._call("PATCH", f"{self._base()}/issues/comments/{comment.id}", Comment, body)

    def _base(self) -> str:
        return f"{self.api.rstrip('/')}/repos/{quote(self.repository, safe='/')}"

    def _list(self) -> str:
        return f"{self._base()}/issues/{self.number}/comments"

    def _call(
        self, method: str, url: str, kind: type[Value], body: str | None = None, *, retries: int = RETRIES
    ) -> Value:
        request = urllib.request.Request(  # noqa: S310 - the scheme is checked where the address is taken in
            url,
            method=method,
            data=None if body is None else msgspec.json.encode({"body": body}),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "User-Agent": "row3",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        opener = urllib.request.build_opener(_Stay)
        for attempt in range(retries + 1):
            try:
                with opener.open(request, timeout=TIMEOUT_S) as response:
                    return msgspec.json.decode(response.read(MOST_RESPONSE_BYTES), type=kind)
            except urllib.error.HTTPError as error:
                refused = _refused(error, method, self.api)
            except (OSError, HTTPException) as error:
                reason = getattr(error, "reason", None) or error
                fix = "Try again, or see whether the network lets this job out"
                refused = Refused(0, f"no answer ({plain_reason(reason)})", where=f"{method} {self.api}", fix=fix)
            except ValueError:
                raise _strange(self.api) from None
            if attempt == retries or (0 < refused.status < 500 and refused.status != 429):
                raise refused
            self.wait(WAIT_S * (attempt + 1))
        raise AssertionError("the last attempt returns or raises")


def plain_reason(reason: object) -> str:
    """What went wrong, in a line."""
    return " ".join(str(reason).split())[:200]


def _refused(error: urllib.error.HTTPError, method: str, api: str) -> Refused:
    try:
        with error:
            said = plain_reason(msgspec.json.decode(error.read(10_000), type=_Error).message)
    except (ValueError, OSError):
        said = ""
    fixes = {
        401: "Give the job's token: env GITHUB_TOKEN",
        403: "Give the job `permissions: pull-requests: write`; a pull request from a fork never has it",
        404: "Correct repository and number; a token without the right to see them gets the same answer",
    }
    what, fix = f"GitHub refused ({error.code} {said}".rstrip() + ")", fixes.get(error.code, "Try again")
    return Refused(error.code, what, where=f"{method} {api}", fix=fix)


def _strange(api: str) -> Refused:
    return Refused(0, "the answer is not that of GitHub's API", where=api, fix="Correct GITHUB_API_URL")
