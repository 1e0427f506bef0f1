"""What `row3 promote` says: what was promoted and on which deltas, the files, what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from row3.cli.options import Common
from row3.cli.output import emit
from row3.cli.show import BLOCKED, result_text

if TYPE_CHECKING:
    from row3.workflows.promoting.promotion import PromotionResult


def show_promotion(result: PromotionResult, common: Common) -> int:
    """What a promotion did; 1 where the gate blocks, else 0."""
    from row3.reports.formats import with_first_line
    from row3.reports.promotion import promotion_document

    comparison = result.comparison
    if common.format in (None, "table"):
        document = promotion_document(result, verbose=common.verbose > 0)
        emit(with_first_line(result.run, document, common.style), common.out)
    else:
        declines = 0 if comparison is None else comparison.declines
        emit(result_text(result.run, comparison, common, declines=declines), common.out)
    for text in result.notes:
        common.say(text)
    return BLOCKED if result.refused else 0
