"""Keep one comment on a pull request up to date, over GitHub's REST API."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import quote

from pydantic import Field, TypeAdapter

from row3.commands.all_suites import AllSuites, gate_all
from row3.domain.models import Reply
from row3.errors import Row3Error, Undelivered, UsageError
from row3.gate.results import SuiteResult
from row3.integrations.http import Service
from row3.project.base import find_base

BOT = "github-actions[bot]"
"""Author of comments written with a job's token."""
NUMBER = re.compile(r"^refs/pull/(\d+)/")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/(?!\.{1,2}$)[A-Za-z0-9_.-]+")
API = "https://api.github.com"
Done = Literal["created", "updated", "unchanged"]
PAGE = 100
MOST_PAGES = 50
"""Pages searched, 5,000 comments; after that, a new comment is written."""
FIXES = {
    403: "Give the job `permissions: pull-requests: write`; a pull request from a fork cannot have it",
    404: "Correct repository and number, or use a token that may read them",
}
"""What to do about a status."""
Value = TypeVar("Value")


class _User(Reply):
    login: str = ""


class Comment(Reply):
    """A comment, as GitHub sends it."""

    id: int
    body: str = ""
    user: _User | None = None
    url: str = Field(default="", alias="html_url")


@dataclass
class PullRequestComments:
    """The comments of one pull request."""

    api: str
    """URL of the API, such as `https://api.github.com`."""
    repository: str
    """`owner/name`."""
    number: int
    token: str

    def find(self, marker: str, author: str) -> Comment | None:
        """Return the author's first comment that begins with the marker. Raises `Undelivered`."""
        for page in range(1, MOST_PAGES + 1):
            found = self._call("GET", f"{self.number}/comments?per_page={PAGE}&page={page}", list[Comment])
            for comment in found:
                if comment.user is not None and comment.user.login == author and comment.body.startswith(marker):
                    return comment
            if len(found) < PAGE:
                break
        return None

    def create(self, body: str) -> Comment:
        """Create a comment. Raises `Undelivered`."""
        return self._call("POST", f"{self.number}/comments", Comment, {"body": body})

    def update(self, comment: Comment, body: str) -> Comment:
        """Change a comment's text. Raises `Undelivered`, with status 404 if the comment was deleted."""
        return self._call("PATCH", f"comments/{comment.id}", Comment, {"body": body})

    def _call(self, method: str, path: str, kind: type[Value], body: Any = b"") -> Value:
        url = f"{self.api.rstrip('/')}/repos/{quote(self.repository, safe='/')}/issues/"
        service = Service(url, {"Authorization": f"Bearer {self.token}"}, key_variable="GITHUB_TOKEN")
        try:
            return TypeAdapter(kind).validate_json(service.send(method, path, body))
        except Undelivered as error:
            fix = FIXES.get(error.status, error.fix)
            raise Undelivered(error.what, where=error.where, fix=fix, status=error.status) from None
        except ValueError:
            what = "the answer is not from GitHub's API"
            raise Undelivered(what, where=self.api, fix="Correct GITHUB_API_URL") from None


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
        except Undelivered as error:
            if error.status != 404:
                raise
    return "created", comments.create(text).url
