"""`row3 leaderboard --format json`: plain values; metrics and deltas are fractions, costs US dollars, times seconds."""

from __future__ import annotations

from typing import Any

from row3.gate.leaderboard import Combination, Leaderboard
from row3.gate.ranking import ALPHA, Contest
from row3.reports.leaderboard import Plans
from row3.reports.result_json import interval_json

SCHEMA_VERSION = 1


def leaderboard_json(board: Leaderboard) -> dict[str, Any]:
    """The board as plain values; what is unknown is null."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "suite": board.suite,
        "mode": board.mode,
        "repeats": board.repeats,
        "primary": board.kind.primary,
        "cases": list(board.cases),
        "leftOut": list(board.left_out),
        "quarantined": list(board.quarantined),
        "alpha": ALPHA,
        "entries": [
            {
                "place": place,
                "rank": one.rank,
                **_entrant(one.entrant),
                "score": one.mean,
                "interval": None if one.interval is None else interval_json(one.interval),
                "toFirst": None if one.to_first is None else _contest(one.to_first),
                "toAbove": None if one.to_above is None else _contest(one.to_above),
                "costUsd": one.cost_usd,
                "costKnownFor": one.known[0],
                "latencyP50S": one.latency_p50_s,
                "latencyP95S": one.latency_p95_s,
                "latencyKnownFor": one.known[1],
                "front": {"front": True, "beaten": False, "open": None}[one.standing],
                "badAnswers": list(one.entrant.bad),
                "sameAnswersAs": one.same_as,
            }
            for place, one in enumerate(board.placed)
        ],
        "pairs": [{"first": one.first, "second": one.second, **_contest(one)} for one in board.pairs],
        "incomplete": [
            {
                **_entrant(one.entrant),
                "missingAnswers": one.entrant.missing,
                "unanswered": list(one.entrant.unanswered),
                "problem": one.entrant.problem,
                "cases": one.cases,
                "score": one.mean,
                "toFirst": one.delta,
                "interval": None if one.interval is None else interval_json(one.interval),
            }
            for one in board.incomplete
        ],
        "nothingRecorded": board.nothing_recorded,
    }


def plan_json(plans: Plans) -> dict[str, Any]:
    """The plan as plain values."""
    return {
        "schemaVersion": 1,
        "combinations": [
            {
                "prompts": dict(entrant.prompts),
                "model": entrant.model,
                "recorded": each.recorded,
                "toSend": len(each.to_send),
                "promptTokens": each.prompt_tokens,
                "completionTokens": each.completion_tokens,
                "costUsd": each.cost_usd,
                "unpriced": list(each.unpriced),
            }
            for entrant, each in plans
        ],
    }


def _entrant(entrant: Combination) -> dict[str, Any]:
    return {
        "prompts": dict(entrant.prompts),
        "promptDigests": dict(entrant.digests),
        "model": entrant.model,
        "parameters": {name: dict(values) for name, values in entrant.parameters.items()},
    }


def _contest(contest: Contest) -> dict[str, Any]:
    return {
        "delta": contest.delta,
        "interval": None if contest.interval is None else interval_json(contest.interval),
        "pAdjusted": contest.p_adjusted,
        "shown": contest.shown,
    }
