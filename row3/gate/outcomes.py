"""What a git hook and a promotion found and did."""

from __future__ import annotations

from dataclasses import dataclass, field

from row3.domain.judgements import Approval, Judgement
from row3.domain.prompts import PromptRef
from row3.gate.results import Comparison, Run, SuiteResult, worst_code


@dataclass(slots=True)
class HookVerdict:
    """What a hook found."""

    name: str
    changed: tuple[str, ...] = ()
    """Files row3 reads that differ from the base; none means there was nothing to judge."""
    base: str | None = None
    results: list[SuiteResult] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    """Suites that the change does not concern: they were not run."""
    merging: bool = False
    """A merge is stopped, which can be taken back."""
    not_added: tuple[str, ...] = ()
    """Files row3 reads that the work tree has otherwise than what is judged; asked for where something is stopped."""
    directory: str = ""
    """The project as row3 has to be given it where git was called; empty where it finds it by itself."""
    folder: str = ""
    """The project's folder from there, empty or ending in a slash."""

    @property
    def exit_code(self) -> int:
        """2 where a suite cannot be used, 1 where the gate blocks, 3 where a case has no recorded answer, else 0."""
        return worst_code(result.exit_code for result in self.results)


@dataclass(slots=True)
class PromotionResult:
    """What `row3 promote` did, or would do."""

    ref: PromptRef
    run: Run
    comparison: Comparison | None
    """None for a first promotion, which has no baseline to be compared with."""
    judgement: Judgement
    approval: Approval | None
    promoted: tuple[str, ...]
    """References of all prompts that became current."""
    dry_run: bool
    files: tuple[str, ...] = ()
    entry: str = ""
    commit: str | None = None
    notes: list[str] = field(default_factory=list)
    replaced: str | None = None
    """Of a rubric, the promoted version that it takes the place of."""
    refused: bool = False
    """The gate blocks it, and nobody has approved."""
