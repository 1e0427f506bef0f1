"""What tests of a change that `main` judges have in common."""

from __future__ import annotations

from tests.projects import CASES, SUITE, Box, first, flawless

BASELINE = f"baselines/{SUITE}.json"
GOOD = {case_id: flawless(case) for case_id, case in CASES.items()}
POOR = {case_id: first(flawless(case), 2) for case_id, case in CASES.items()}


def said(box: Box, code: int) -> str:
    """What CI says of the work tree, in one line."""
    done = box.row3("--compare", "--against", "main", code=code, CI="1")
    return " ".join((done.out + done.err).split())
