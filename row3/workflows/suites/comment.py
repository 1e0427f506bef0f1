"""Keep one comment on a pull request up to date; where that is not allowed, say why."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from row3.errors import Row3Error, UsageError
from row3.gate.results import SuiteResult
from row3.vcs.github_comments import PullRequestComments, Refused
from row3.workflows.snapshots import find_base
from row3.workflows.suites.all_suites import AllSuites, gate_all

BOT = "github-actions[bot]"
"""Who writes with the token of a job."""
NUMBER = re.compile(r"^refs/pull/(\d+)/")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/(?!\.{1,2}$)[A-Za-z0-9_.-]+")
API = "https://api.github.com"
Done = Literal["created", "updated", "unchanged"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the comment goes."""

    api: str
    repository: str
    number: int
    token: str


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


def place_of(env: Mapping[str, str], *, repository: str | None, number: int | None) -> Place | str:
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
    return Place(api, name, found, token)


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
