"""The reason that a person gives for an approval or a quarantine: whether it says anything, and who signed it."""

from __future__ import annotations

import re
import secrets
import unicodedata
from datetime import UTC, datetime

from row3.domain.judgements import Approval
from row3.errors import UsageError
from row3.matching.normalise import normalise
from row3.store.project import Project

NO_REASONS = frozenset({"reason", "text", "why", "placeholder", "todo", "tbd", "tba", "fixme", "none", "na"})
"""What the commands and the help that row3 shows have in its place, and what people write there for later."""
FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters that nobody sees: Hangul fillers."""


def check_reason(reason: str, *, where: str, write: str) -> None:
    """Raise `UsageError` for a reason that says nothing: an empty one, one without letter and digit, a placeholder."""
    seen = "".join(char for char in reason if unicodedata.category(char) != "Cf" and char not in FILLERS).strip()
    if not seen:
        raise UsageError("the reason is empty", where=where, fix=f"Write {write}")
    words = re.findall(r"[^\W_]+", normalise(seen))
    joined = "".join(words)
    one_letter = joined.isascii() and joined.isalpha() and len(set(joined)) == 1  # x, xxx
    if NO_REASONS.issuperset(words) or joined in NO_REASONS or one_letter:
        what = f"`{seen}` stands for a reason and is none"
        raise UsageError(what, where=where, fix=f"Write {write}, in quotes, in its place")


def sign(project: Project, reason: str) -> Approval:
    """Return an approval by git's user, for a reason that `check_reason` accepted."""
    from row3.vcs.repository import Repository

    repository = Repository.find(project.root)
    if repository is not None:
        by = repository.user()
    else:
        import getpass

        by = getpass.getuser()
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Approval(reason=" ".join(reason.split()), by=by, at=at, id=secrets.token_hex(4))
