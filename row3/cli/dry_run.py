"""`--dry-run`: the requests, tokens and estimated price of a live run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from row3.cli.options import Common
from row3.cli.output import emit

if TYPE_CHECKING:
    from row3.workflows.lineup import Role
    from row3.workflows.session import Session


def show_estimate(session: Session, common: Common, *, role: Role) -> int:
    """Show what would be sent; nothing is."""
    from row3.reports.estimate_table import estimate_json, estimate_text
    from row3.workflows.estimate import estimate
    from row3.workflows.lineup import line_up

    lineup = line_up(session.project, session.suite, role=role, named=session.named)
    plan = estimate(session.project, session.suite, lineup, session.options)
    if common.format == "json":
        emit(json.dumps(estimate_json(plan), ensure_ascii=False, indent=1), common.out)
    else:
        emit(estimate_text(plan, verbose=common.verbose > 0, style=common.style), common.out)
    return 0
