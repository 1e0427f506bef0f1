"""Scores outputs as a run does that has no embeddings."""

from __future__ import annotations

from typing import Any

from row3.domain.asks import finish, no_vectors
from row3.domain.scores import CaseScore
from row3.kinds.base import Kind, Rules


def score_by(kind: Kind, case: Any, output: Any, rules: Rules) -> CaseScore:
    """Return the score of one output."""
    return finish(kind.score(case, output, rules), no_vectors)
