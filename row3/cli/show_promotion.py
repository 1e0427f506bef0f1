"""What `row3 promote` says: what was promoted and on which deltas, the files, what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from row3.cli.options import Common
from row3.cli.output import emit
from row3.cli.show import BLOCKED, headline, other_format, scorecard, whole_comparison

if TYPE_CHECKING:
    from row3.workflows.promoting.promotion import PromotionResult


def show_promotion(result: PromotionResult, common: Common) -> int:
    """What a promotion did; 1 where the gate blocks, else 0."""
    comparison = result.comparison
    other = other_format(result.run, comparison, common, declines=0 if comparison is None else comparison.declines)
    if other is not None:
        emit(other, common.out)
    else:
        emit(f"{_judged_text(result, common).rstrip()}\n\n{_outcome(result)}", common.out)
    for text in result.notes:
        common.say(text)
    return BLOCKED if result.refused else 0


def _judged_text(result: PromotionResult, common: Common) -> str:
    """What the gate saw: in short where it let the version pass, and whoever promotes has compared before."""
    brief = not result.refused and not common.verbose
    if result.comparison is None:
        return _first_text(result, common, brief=brief)
    if not brief:
        return whole_comparison(result.comparison, common)
    from row3.reports.comparison_table import brief_comparison

    table = brief_comparison(result.comparison, colour=common.colour, width=common.width)
    return f"{headline(result.run, common)}\n\n{table}"


def _first_text(result: PromotionResult, common: Common, *, brief: bool) -> str:
    from row3.reports.changelogs.first_promotion import first_verdict
    from row3.reports.scorecard_table import brief_scorecard
    from row3.workflows.running import Announced

    if brief:
        table = brief_scorecard(result.run, colour=common.colour, width=common.width)
        text = f"{headline(result.run, common)}\n\n{table}"
    else:
        text = scorecard(Announced(result.run, 0), common)
    return f"{text.rstrip()}\n\n{first_verdict(result, str(result.ref), common.style)}"


def _outcome(result: PromotionResult) -> str:
    name = f"{result.ref.name} {result.ref.version}"
    if result.refused:
        return f"{name} was not promoted; nothing was written.\n"
    if result.dry_run:
        listed = "\n".join(f"  {file}" for file in result.files)
        return f"{name} would be promoted; without --dry-run these are written:\n{listed}\n\n{result.entry}"
    lines = [f"{name} is promoted. Written as one change:", *(f"  {file}" for file in result.files)]
    if result.commit:
        lines.append(f"committed as {result.commit[:10]}")
    elif result.run.header.dirty is not None:  # there is a git repository
        lines.append("Commit these files together.")
    if result.tag:
        lines.append(f"tagged {result.tag}")
    return "\n".join(lines) + "\n"
