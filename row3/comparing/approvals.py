"""Approvals: read, check and sign them."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Callable, Sequence

from row3.domain.prompts import PromptRef, names_of
from row3.domain.runs import Approval, HistoryEntry
from row3.errors import UsageError
from row3.gate.results import Comparison
from row3.matching.normalise import normalise
from row3.project.history import FILE as HISTORY
from row3.project.places import CHANGELOG
from row3.project.project import Project
from row3.running.collect import now

NO_REASONS = frozenset({"reason", "text", "why", "placeholder", "todo", "tbd", "tba", "fixme", "none", "na"})
"""Placeholders that are not accepted as a reason."""
FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Hangul fillers: letters that are invisible."""


def new_approvals(history: Sequence[HistoryEntry], base: Project | None, suite: str) -> dict[str, Approval]:
    """Return the suite's newest approval by signature, without those the base has already."""
    earlier = [] if base is None else [entry.approval for entry in base.history]
    mine = [(each.evidence, each.approval) for each in history if each.suite == suite and each.approval is not None]
    return dict(sorted((each for each in mine if each[1] not in earlier), key=lambda each: each[1].at))


def check_approval(approve: str | None, *, may_write: bool, partial: bool = False, gate_flags: str = "") -> None:
    """Raise `UsageError` for an approval without a reason, or one that hook and CI would not see."""
    if approve is None:
        return
    check_reason(approve, where="--approve", write="why the change is acceptable")
    if not may_write:
        what = "row3 writes nothing in CI or for its formats, so the approval would be lost"
        fix = f"Approve on a developer's machine, and commit {HISTORY} and {CHANGELOG}"
        raise UsageError(what, where="--approve", fix=fix)
    if partial:
        what = "--case and --only run part of the suite, so there is no verdict to approve"
        raise UsageError(what, where="--approve", fix="Run all cases")
    if gate_flags:
        what = "hook, CI and promotion judge by row3.toml, so an approval under other options would not count"
        fix = "Leave these out, or set them in row3.toml"
        raise UsageError(what, where=f"--approve with {gate_flags}", fix=fix)


def check_reason(reason: str, *, where: str, write: str) -> None:
    """Raise `UsageError` for a reason that is empty, a placeholder, or has no letter or digit."""
    seen = "".join(char for char in reason if unicodedata.category(char) != "Cf" and char not in FILLERS).strip()
    if not seen:
        raise UsageError("the reason is empty", where=where, fix=f"Write {write}")
    words = re.findall(r"[^\W_]+", normalise(seen))
    joined = "".join(words)
    one_letter = joined.isascii() and joined.isalpha() and len(set(joined)) == 1  # x, xxx
    if NO_REASONS.issuperset(words) or joined in NO_REASONS or one_letter:
        what = f"`{seen}` is a placeholder, not a reason"
        raise UsageError(what, where=where, fix=f"Write {write}, in quotes")


def sign(project: Project, reason: str, before: Approval | None = None) -> Approval:
    """Return an approval by git's user for a checked reason, or `before` if it has the same user and reason."""
    from row3.project.git.repository import Repository, os_user

    repository = Repository.find(project.root)
    by = os_user() if repository is None else repository.user()
    reason = " ".join(reason.split())
    if before is not None and (before.reason, before.by) == (reason, by):
        return before
    return Approval(reason=reason, by=by, at=now(), id=secrets.token_hex(4))


def accepted_fall(
    project: Project, comparison: Comparison | None, refs: Sequence[PromptRef], ask: Callable[[str], str] | None
) -> Approval | None:
    """Return the approval of the primary metric's fall, if it fell. Raises `UsageError` without a reason."""
    change = None if comparison is None or not comparison.fell else comparison.primary_change
    if comparison is None or change is None:
        return None
    suite = comparison.run.suite
    unit = "points" if suite.policy.unit == "points" else "% of the baseline"
    fall = f"{suite.kind.primary_metric.title} fell by {change.worse_by or 0.0:.1f} {unit}"
    if ask is None:
        names = list(map(str, refs))
        command = " ".join([f"row3 promote{suite.flags('row3 promote', *names)}", *names, "--approve REASON"])
        raise UsageError(f"{fall}, so a promotion needs a reason", where=names_of(refs), fix=f"Run `{command}`")
    reason = ask(fall)
    check_reason(reason, where="the reason", write="why the fall is acceptable")
    return sign(project, reason)
