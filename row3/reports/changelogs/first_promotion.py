"""The gate's word on a first promotion: there is no baseline, so nothing is compared and the zones alone judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from row3.domain.verdicts import Reason, Verdict
from row3.reports import numbers
from row3.reports.comparison_table import reason_block
from row3.reports.headline import title_of
from row3.reports.model import ApprovalView, RunView
from row3.reports.style import BOLD, VERDICT_COLOURS, VERDICT_MARKS, YELLOW, Style, plain, visible


class FirstView(Protocol):
    """A promotion without a comparison, judged."""

    @property
    def run(self) -> RunView: ...

    @property
    def verdict(self) -> Verdict: ...

    @property
    def reasons(self) -> Sequence[Reason]: ...

    @property
    def approval(self) -> ApprovalView | None: ...

    @property
    def refused(self) -> bool: ...


def first_verdict(first: FirstView, version: str, style: Style) -> str:
    """The grounds, the verdict and what to do next, as under a comparison; `version` is what was to be promoted."""
    suite = first.run.suite
    looks = first.verdict if first.approval is None else min(first.verdict, Verdict.INVESTIGATE)
    mark = f"{VERDICT_MARKS[looks]} {first.verdict.word.upper()}{'' if first.approval is None else ', approved'}"
    value = first.run.header.metrics.get(suite.kind.primary)
    shown = "" if value is None else f"{title_of(suite, suite.kind.primary)} {numbers.percent(value)} · "
    line = f"{mark}  {shown}{numbers.count(first.run.cases, 'case')}, no baseline to compare with"
    begin, *rest = style.wrap(line, then="  ")
    lines = [*reason_block(first.reasons, style), *([""] if first.reasons else []), style.dim("─" * style.width)]
    lines += [begin.replace(mark, style.paint(mark, VERDICT_COLOURS[looks], BOLD), 1), *rest]
    if first.approval is not None:
        told = f"approved by {plain(first.approval.by)}: {plain(first.approval.reason)}"
        lines += [style.paint(each, YELLOW) for each in style.wrap(told, first="  ")]
    elif first.refused:
        wrong = [reason for reason in first.reasons if reason.verdict is Verdict.BLOCK]
        cure = "mend the prompt" if all(reason.cause == "answers" for reason in wrong) else "mend what is named above"
        again = f"row3 promote{visible(suite.flags('row3 promote', version))} {version} again"
        lines += style.wrap(f"Next: {cure} and run {again}; or, if it has to be, --approve REASON.", first="  ")
    elif first.verdict is Verdict.BLOCK:
        lines.append("  This gate is informational: it reports, and blocks nothing.")
    return "\n".join(lines) + "\n"
