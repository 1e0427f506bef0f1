"""`row3 leaderboard --dry-run`: what asking for all that is missing would send, by combination."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from row3.reports import numbers
from row3.reports.estimate_table import EstimateView
from row3.reports.leaderboards.leaderboard_views import EntrantView
from row3.reports.leaderboards.leaderboard_words import (
    Names,
)
from row3.reports.style import PLAIN, Style, plain
from row3.reports.terminal import named_table

HEADERS = ("combination", "recorded", "to send", "tokens in", "tokens out", "price")
Plans = Sequence[tuple[EntrantView, EstimateView]]


def leaderboard_plan_text(plans: Plans, *, style: Style = PLAIN) -> str:
    """The sums by combination."""
    names = Names([entrant for entrant, _ in plans])
    rows = [(plain(names.of(entrant)), *_sums([each])) for entrant, each in plans]
    remarks = []
    unpriced = sorted({model for _, each in plans for model in each.unpriced})
    if unpriced:
        listed = ", ".join(map(plain, unpriced))
        remarks.append(f'No price for {listed}: the price is unknown. Set prices."<model>" in row3.toml.')
    if any(not request.exact for _, each in plans for request in each.to_send):
        remarks.append("Later stages depend on answers that are not known yet: their sizes are estimated.")
    remarks.append("A request that two combinations share is counted for the first.")
    remarks.append("Tokens are estimated at four characters each; retries are not counted.")
    lines = ["Dry run of a leaderboard, nothing is sent"]
    if names.common:
        lines += style.wrap(plain(f"All of them: {names.common}"), then="  ")
    lines += ["", *named_table(HEADERS, [*rows, ("total", *_sums([each for _, each in plans]))], style), ""]
    return "\n".join([*lines, *(line for remark in remarks for line in style.wrap(remark, then="  "))])


def leaderboard_plan_json(plans: Plans) -> dict[str, Any]:
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


def _sums(plans: Sequence[EstimateView]) -> tuple[str, ...]:
    costs = [each.cost_usd for each in plans]
    price = "unknown" if None in costs else numbers.money(sum(cost for cost in costs if cost is not None))
    counts = (
        sum(each.recorded for each in plans),
        sum(len(each.to_send) for each in plans),
        sum(each.prompt_tokens for each in plans),
        sum(each.completion_tokens for each in plans),
    )
    return (*(f"{count:,}" for count in counts), price)
