"""Keep one comment on a pull request up to date, over GitHub's REST API; where that is not allowed, say why."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct, field

from row3.errors import EnvironmentFault, Row3Error, UsageError
from row3.gate.results import SuiteResult
from row3.workflows.snapshots import find_base
from row3.workflows.suites.all_suites import AllSuites, gate_all

BOT = "github-actions[bot]"
"""Who writes with the token of a job."""
NUMBER = re.compile(r"^refs/pull/(\d+)/")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/(?!\.{1,2}$)[A-Za-z0-9_.-]+")
API = "https://api.github.com"
Done = Literal["created", "updated", "unchanged"]
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
                what = "the answer is not that of GitHub's API"
                raise Refused(0, what, where=self.api, fix="Correct GITHUB_API_URL") from None
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


def what_the_gate_says(suites: AllSuites, *, against: str | None, names: Sequence[str] | None) -> Sequence[SuiteResult]:
    """Return the results of all suites, or of those named; a base that cannot be used is a result of each."""
    try:
        if against is not None:
            find_base(suites.project, against)
    except Row3Error as error:
        return [SuiteResult(name, problem=str(error), fault=error.exit_code) for name in names or suites.names]
    return gate_all(suites, against=against, names=names).results


def marker_of(key: str) -> str:
    """The hidden first line by which the comment is found again. Raises `UsageError` for a key that could end it."""
    if not KEY.fullmatch(key):
        raise UsageError("letters, digits, `.`, `_` and `-` only", where=f"--marker {key}", fix="Choose another")
    return f"<!-- row3 comment {key} -->"


def place_of(env: Mapping[str, str], *, repository: str | None, number: int | None) -> PullRequestComments | str:
    """Return where to write, by the options and by what GitHub tells its jobs; or why nowhere."""
    api = env.get("GITHUB_API_URL") or API
    if not api.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise UsageError("the token is sent over https only", where=f"GITHUB_API_URL={api}", fix="Correct it")
    name = repository or env.get("GITHUB_REPOSITORY", "")
    if name and not REPOSITORY.fullmatch(name):
        raise UsageError("a repository is called owner/name", where=f"--repo {name}", fix="Correct it")
    found = number or _number(env)
    token = env.get("GITHUB_TOKEN") or env.get("GH_TOKEN") or ""
    if not name:
        return "no repository is named (--repo, or GITHUB_REPOSITORY in a job)"
    if not found:
        return "this is no pull request (--pr, or the event of a job)"
    if not token:
        return "there is no token (env GITHUB_TOKEN)"
    return PullRequestComments(api, name, found, token)


def _number(env: Mapping[str, str]) -> int:
    try:
        event = json.loads(Path(env["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
        return int(event["pull_request"]["number"])
    except (KeyError, OSError, ValueError, TypeError):
        told = NUMBER.match(env.get("GITHUB_REF", ""))
        return int(told[1]) if told else 0


def keep_comment(comments: PullRequestComments, body: str, marker: str, author: str = BOT) -> tuple[Done, str]:
    """Write the comment, or update the author's own: anybody may write the marker. Return what was done, and where."""
    text = f"{marker}\n{body}"
    there = comments.find(marker, author)
    if there is not None and there.body.replace("\r\n", "\n").rstrip() == text.rstrip():
        return "unchanged", there.url
    if there is not None:
        try:
            return "updated", comments.update(there, text).url
        except Refused as error:
            if error.status != 404:
                raise
    return "created", comments.create(text).url
