"""What a promotion did, or would do."""

from __future__ import annotations

from dataclasses import dataclass, field

from row3.domain.prompts import PromptRef
from row3.domain.verdicts import Reason, Verdict
from row3.store.history import Approval
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.pipeline.run_suite import Run


@dataclass(slots=True)
class PromotionResult:
    """What `row3 promote` did, or would do."""

    ref: PromptRef
    run: Run
    comparison: Comparison | None
    """None for a first promotion, which has no baseline to be compared with."""
    verdict: Verdict
    reasons: tuple[Reason, ...]
    approval: Approval | None
    promoted: tuple[str, ...]
    """References of all prompts that became current."""
    files: tuple[str, ...]
    """What was written, or would be."""
    dry_run: bool
    entry: str
    """The changelog entry."""
    commit: str | None = None
    tag: str | None = None
    notes: list[str] = field(default_factory=list)
    refused: bool = False
    """The gate blocks it, and nobody has approved."""

    @property
    def done(self) -> bool:
        """The version was promoted."""
        return not self.dry_run and not self.refused


class AlreadyDone(Exception):  # noqa: N818 - nothing went wrong
    """The version had been promoted before; `files` are those that opening the project finished."""

    def __init__(self, name: str, files: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        self.name, self.files = name, files
        self.did: list[str] = []
        """What of commit and tag was made now."""
        self.had: list[str] = []
        """What of them was there."""
        self.left = ""
        """What is still to be done, and by whom: nobody has asked for it, or row3 does not do it."""

    def told(self) -> str:
        """What was done, what was there and what is left, in a line; the files below it."""
        steps = ["the interrupted promotion was finished"] if self.files else []
        steps += [*self.did, *([self.left] if self.left else [])]
        if not steps:
            steps = [f"{' and '.join(self.had)}; nothing is left to do" if self.had else "nothing is left to do"]
        elif self.files and not self.did:
            steps = [*steps[:1], "Commit these files together"]
        listed = "".join(f"\n  {file}" for file in self.files)
        return f"{self.name} is promoted: {'. '.join(steps)}.{listed}"
