"""What is said where HEAD lacks commits of the ref that judges: what these did looks as if the change had undone it."""

from __future__ import annotations

from row3.domain.counts import count
from row3.reports.style import visible


def lacks(commits: int, ref: str) -> str:
    """What HEAD lacks."""
    some = count(commits, f"commit of {ref} that changes", f"commits of {ref} that change")
    return f"HEAD lacks {some} what row3 reads"


def behind_line(commits: int, ref: str) -> str:
    """What HEAD lacks, and what to do about it."""
    left = f"judge from where the branch left: --against {ref}..."
    return f"{lacks(commits, ref)}: merge or rebase first; or {left}"


def catch_up(commits: int, ref: str, compare: str) -> list[str]:
    """The steps that come before all others; `compare` is the command that judges."""
    name = visible(ref)
    compare = f"{compare} --against {name}"
    return [
        f"git rebase --autostash {name}, or merge it: {lacks(commits, name)}.",
        f"{compare} again; or judge from where the branch left: {compare}...",
    ]
