"""`--dry-run`: the requests, tokens and estimated price of a live run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from row3.cli.options import Common
from row3.cli.output import emit

if TYPE_CHECKING:
    from row3.workflows.pipeline.lineup import Role
    from row3.workflows.session import Session


def show_estimate(session: Session, common: Common, *, role: Role, compare: bool = False) -> int:
    """Show what would be sent; nothing is. A live comparison asks the baseline's prompts too."""
    from row3.reports.estimate import estimate_document, estimate_json
    from row3.reports.terminal import terminal_text
    from row3.workflows.asking.estimate import estimate
    from row3.workflows.comparing.live import asked_beside
    from row3.workflows.pipeline.lineup import line_up
    from row3.workflows.running import note_unused_inputs

    lineup = line_up(session.project, session.suite, role=role, named=session.named)
    note_unused_inputs(session, session.suite, lineup)
    beside = asked_beside(session) if compare else None
    in_full = common.as_json
    plan = estimate(session.project, session.suite, lineup, session.options, beside=beside, in_full=in_full)
    if common.as_json:
        emit(json.dumps(estimate_json(plan), ensure_ascii=False, indent=1), common.out)
    else:
        emit(terminal_text(estimate_document(plan, verbose=common.verbose > 0), common.style), common.out)
    return 0
