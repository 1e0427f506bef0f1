"""Results of a git hook and of a promotion."""

from __future__ import annotations

from dataclasses import dataclass, field

from row3.domain.judgements import Approval, Judgement
from row3.domain.prompts import PromptRef
from row3.gate.results import Comparison, Run, SuiteResult, worst_code


@dataclass(slots=True)
class HookVerdict:
    """The result of a git hook."""

    name: str
    changed: tuple[str, ...] = ()
    """Files row3 reads that differ from the base; if empty, there was nothing to judge."""
    base: str | None = None
    results: list[SuiteResult] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    """Suites that the change does not affect; they were not run."""
    merging: bool = False
    """The hook stops a merge, which the user can abort."""
    not_added: tuple[str, ...] = ()
    """Files row3 reads whose work-tree version differs from the judged one; filled only if the hook stops something."""
    directory: str = ""
    """Value for `-C` where git was called; empty if row3 finds the project itself."""
    folder: str = ""
    """The project's folder relative to that place, empty or ending in a slash."""

    @property
    def exit_code(self) -> int:
        """2 if a suite is unusable, 1 if the gate blocks, 3 if a case has no recorded answer, else 0."""
        return worst_code(result.exit_code for result in self.results)


@dataclass(slots=True)
class PromotionResult:
    """The result of `row3 promote`, or of its dry run."""

    refs: tuple[PromptRef, ...]
    """The versions that become current, in the order of the pipeline."""
    run: Run
    comparison: Comparison | None
    """None for a first promotion, which has no baseline."""
    judgement: Judgement
    approval: Approval | None
    dry_run: bool
    files: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    """A changelog entry for each of `refs`."""
    commit: str | None = None
    notes: list[str] = field(default_factory=list)
    refused: bool = False
