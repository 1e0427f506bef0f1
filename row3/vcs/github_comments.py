"""Comments on a pull request, over GitHub's REST API; the standard library is all it takes."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.parse import quote, urlsplit

from row3.errors import EnvironmentFault

TIMEOUT_S = 20.0
PAGE = 100
MOST_PAGES = 50
"""5,000 comments; beyond it a new comment is written."""
RETRIES = 2
WAIT_S = 1.0
MOST_RESPONSE_BYTES = 32 * 1024 * 1024
NEXT = re.compile(r'<([^<>]+)>\s*;[^,]*\brel="?next"?')


class Refused(EnvironmentFault):
    """GitHub did not do it; `status` is that of HTTP, 0 where there was no answer."""

    def __init__(self, status: int, what: str, *, where: str, fix: str) -> None:
        super().__init__(what, where=where, fix=fix)
        self.status = status


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment."""

    id: int
    body: str
    author: str
    url: str


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
        for comment in self._all():
            if comment.author == author and comment.body.startswith(marker):
                return comment
        return None

    def create(self, body: str) -> Comment:
        """A new comment; asked for once only, or there might be two. Raises `Refused`."""
        value, _ = self._call("POST", self._list(), {"body": body}, retries=0)
        return _comment(value)

    def update(self, comment: Comment, body: str) -> Comment:
        """Another text for a comment. Raises `Refused`; with status 404 the comment is gone."""
        path = f"{self._base()}/issues/comments/{comment.id}"
        value, _ = self._call("PATCH", path, {"body": body})
        return _comment(value)

    def _base(self) -> str:
        return f"{self.api.rstrip('/')}/repos/{quote(self.repository, safe='/')}"

    def _list(self) -> str:
        return f"{self._base()}/issues/{self.number}/comments"

    def _all(self) -> Iterator[Comment]:
        url = f"{self._list()}?per_page={PAGE}"
        for _ in range(MOST_PAGES):
            value, headers = self._call("GET", url, None)
            if not isinstance(value, list):
                raise _strange(self.api)
            yield from (_comment(each) for each in value)
            following = NEXT.search(headers.get("link", ""))
            if following is None:
                return
            url = following[1]
            # The token goes to the API and nowhere else, whatever a header says.
            if urlsplit(url)[:2] != urlsplit(self.api)[:2]:
                raise _strange(self.api)

    def _call(
        self, method: str, url: str, body: Mapping[str, Any] | None, *, retries: int = RETRIES
    ) -> tuple[Any, dict[str, str]]:
        request = urllib.request.Request(  # noqa: S310 - the scheme is checked where the address is taken in
            url,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
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
                    raw = response.read(MOST_RESPONSE_BYTES)
                    return json.loads(raw), {key.lower(): value for key, value in response.headers.items()}
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
    return " ".join(str(reason).split())[:200] or type(reason).__name__


def _refused(error: urllib.error.HTTPError, method: str, api: str) -> Refused:
    with error:
        raw = error.read(10_000)
    try:
        said = json.loads(raw)["message"]
    except (ValueError, KeyError, TypeError):
        said = ""
    what = f"{error.code} {plain_reason(said)}" if said else f"{error.code}"
    fixes = {
        401: "Give the job's token: env GITHUB_TOKEN",
        403: "Give the job `permissions: pull-requests: write`; a pull request from a fork never has it",
        404: "Correct repository and number; a token without the right to see them gets the same answer",
    }
    return Refused(
        error.code, f"GitHub refused ({what})", where=f"{method} {api}", fix=fixes.get(error.code, "Try again")
    )


def _strange(api: str) -> Refused:
    return Refused(0, "the answer is not that of GitHub's API", where=api, fix="Correct GITHUB_API_URL")


def _comment(value: Any) -> Comment:
    if not isinstance(value, dict) or not isinstance(value.get("id"), int):
        raise _strange("GitHub")
    author = value.get("user") or {}
    return Comment(
        value["id"], str(value.get("body") or ""), str(author.get("login") or ""), str(value.get("html_url") or "")
    )
