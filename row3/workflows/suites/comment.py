"""Keep one comment on a pull request up to date, over GitHub's REST API."""

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
"""Author of comments written with a job's token."""
NUMBER = re.compile(r"^refs/pull/(\d+)/")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/(?!\.{1,2}$)[A-Za-z0-9_.-]+")
API = "https://api.github.com"
Done = Literal["created", "updated", "unchanged"]
TIMEOUT_S = 20.0
PAGE = 100
MOST_PAGES = 50
"""Pages searched, 5,000 comments; after that, a new comment is written."""
RETRIES = 2
WAIT_S = 1.0
MOST_RESPONSE_BYTES = 32 * 1024 * 1024
Value = TypeVar("Value")


class Refused(EnvironmentFault):
    """GitHub refused a request; `status` is the HTTP status, 0 without an answer."""

    def __init__(self, status: int, what: str, *, where: str, fix: str) -> None:
        super().__init__(what, where=where, fix=fix)
        self.status = status


class _User(Struct, frozen=True):
    login: str = ""


class Comment(Struct, frozen=True):
    """A comment, as GitHub sends it."""

    id: int
    body: str = ""
    user: _User | None = None
    url: str = field(default="", name="html_url")


class _Error(Struct, frozen=True):
    message: str = ""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, as the token would go with them."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass
class PullRequestComments:
    """The comments of one pull request."""

    api: str
    """URL of the API, such as `https://api.github.com`."""
    repository: str
    """`owner/name`."""
    number: int
    token: str
    wait: Callable[[float], None] = time.sleep

    def find(self, marker: str, author: str) -> Comment | None:
        """Return the author's first comment that begins with the marker. Raises `Refused`."""
        for page in range(1, MOST_PAGES + 1):
            found = self._call("GET", f"{self._comments_url()}?per_page={PAGE}&page={page}", list[Comment])
            for comment in found:
                if comment.user is not None and comment.user.login == author and comment.body.startswith(marker):
                    return comment
            if len(found) < PAGE:
                break
        return None

    def create(self, body: str) -> Comment:
        """Create a comment, without retries, which could create two. Raises `Refused`."""
        return self._call("POST", self._comments_url(), Comment, body, retries=0)

    def update(self, comment: Comment, body: str) -> Comment:
        """Change a comment's text. Raises `Refused`, with status 404 if the comment was deleted."""
        return self._call("PATCH", f"{self._base()}/issues/comments/{comment.id}", Comment, body)

    def _base(self) -> str:
        return f"{self.api.rstrip('/')}/repos/{quote(self.repository, safe='/')}"

    def _comments_url(self) -> str:
        return f"{self._base()}/issues/{self.number}/comments"

    def _call(
        self, method: str, url: str, kind: type[Value], body: str | None = None, *, retries: int = RETRIES
    ) -> Value:
        request = urllib.request.Request(  # noqa: S310 - `comment_target` checks the scheme
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
        opener = urllib.request.build_opener(_NoRedirects)
        for attempt in range(retries + 1):
            try:
                with opener.open(request, timeout=TIMEOUT_S) as response:
                    return msgspec.json.decode(response.read(MOST_RESPONSE_BYTES), type=kind)
            except urllib.error.HTTPError as error:
                refused = _refused(error, method, self.api)
            except (OSError, HTTPException) as error:
                reason = getattr(error, "reason", None) or error
                fix = "Try again, or check that the job may use the network"
                refused = Refused(0, f"no answer ({plain_reason(reason)})", where=f"{method} {self.api}", fix=fix)
            except ValueError:
                what = "the answer is not from GitHub's API"
                raise Refused(0, what, where=self.api, fix="Correct GITHUB_API_URL") from None
            if attempt == retries or (0 < refused.status < 500 and refused.status != 429):
                raise refused
            self.wait(WAIT_S * (attempt + 1))
        raise AssertionError("the last attempt returns or raises")


def plain_reason(reason: object) -> str:
    """Return what went wrong in one line."""
    return " ".join(str(reason).split())[:200]


def _refused(error: urllib.error.HTTPError, method: str, api: str) -> Refused:
    try:
        with error:
            message = plain_reason(msgspec.json.decode(error.read(10_000), type=_Error).message)
    except (ValueError, OSError):
        message = ""
    fixes = {
        401: "Set GITHUB_TOKEN to the job's token",
        403: "Give the job `permissions: pull-requests: write`; a pull request from a fork cannot have it",
        404: "Correct repository and number, or use a token that may read them",
    }
    what, fix = f"GitHub refused ({error.code} {message}".rstrip() + ")", fixes.get(error.code, "Try again")
    return Refused(error.code, what, where=f"{method} {api}", fix=fix)


def gate_results(suites: AllSuites, *, against: str | None, names: Sequence[str] | None) -> Sequence[SuiteResult]:
    """Return the results of all suites, or those in `names`; an unusable base becomes the result of each."""
    try:
        if against is not None:
            find_base(suites.project, against)
    except Row3Error as error:
        return [SuiteResult(name, problem=str(error), fault=error.exit_code) for name in names or suites.names]
    return gate_all(suites, against=against, names=names).results


def marker_of(key: str) -> str:
    """Return the hidden first line that marks the comment. Raises `UsageError` for a key that could end it."""
    if not KEY.fullmatch(key):
        what = "a marker has letters, digits, `.`, `_` and `-` only"
        raise UsageError(what, where=f"--marker {key}", fix="Change it")
    return f"<!-- row3 comment {key} -->"


def comment_target(env: Mapping[str, str], *, repository: str | None, number: int | None) -> PullRequestComments | str:
    """Return the pull request to comment on, by options and the job's environment; or why there is none."""
    api = env.get("GITHUB_API_URL") or API
    if not api.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise UsageError("the token may only be sent over https", where=f"GITHUB_API_URL={api}", fix="Correct it")
    name = repository or env.get("GITHUB_REPOSITORY", "")
    if name and not REPOSITORY.fullmatch(name):
        raise UsageError("a repository has the form owner/name", where=f"--repo {name}", fix="Correct it")
    found = number or _number(env)
    token = env.get("GITHUB_TOKEN") or env.get("GH_TOKEN") or ""
    if not name:
        return "no repository: pass --repo, or set GITHUB_REPOSITORY"
    if not found:
        return "not a pull request: pass --pr, or run in a pull-request job"
    if not token:
        return "no token: set GITHUB_TOKEN"
    return PullRequestComments(api, name, found, token)


def _number(env: Mapping[str, str]) -> int:
    try:
        event = json.loads(Path(env["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
        return int(event["pull_request"]["number"])
    except (KeyError, OSError, ValueError, TypeError):
        ref = NUMBER.match(env.get("GITHUB_REF", ""))
        return int(ref[1]) if ref else 0


def update_comment(comments: PullRequestComments, body: str, marker: str, author: str = BOT) -> tuple[Done, str]:
    """Create the comment, or update the author's (others may copy the marker); return what was done, and its URL."""
    text = f"{marker}\n{body}"
    found = comments.find(marker, author)
    if found is not None and found.body.replace("\r\n", "\n").rstrip() == text.rstrip():
        return "unchanged", found.url
    if found is not None:
        try:
            return "updated", comments.update(found, text).url
        except Refused as error:
            if error.status != 404:
                raise
    return "created", comments.create(text).url
