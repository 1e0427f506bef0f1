"""`--dry-run`: requests, tokens and price of a run, without sending it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from row3.domain import numbers
from row3.domain.requests import Request, extra_json
from row3.domain.words import spoken
from row3.reports.document import Block, Document, Items, Lines, Note, Table, Title
from row3.reports.json_values import json_fields
from row3.running.batch_state import FEW
from row3.running.estimate import Estimate, Planned
from row3.running.provider_access import EXPOSED

SPENT = ("prompt_tokens", "completion_tokens", "cost_usd")


def estimate_document(plan: Estimate, *, verbose: bool = False, budget: float | None = None) -> Document:
    """Return the sums by prompt; if verbose each request, and one of them in full."""
    versions = " → ".join(f"{name} {version}" for name, version in plan.prompts.items())
    models = list(dict.fromkeys(request.model for request in plan.requests))
    by = f", model {models[0]}" if len(models) == 1 else ""
    rows = []
    for prompt, model in dict.fromkeys((request.prompt, request.model) for request in plan.requests):
        own = [request for request in plan.requests if (request.prompt, request.model) == (prompt, model)]
        rows.append((prompt if len(models) == 1 else f"{prompt} · {model}", *_sums(replace(plan, requests=own))))
    rows.append(("total", *_sums(plan)))
    notes = ["Tokens are estimated at four characters each; retries are not counted."]
    if any(not request.exact for request in plan.to_send):
        notes.insert(0, "Later stages depend on answers that do not exist yet: their sizes are estimated.")
    if plan.batched:
        quick = f"; below {FEW} requests, a run without --batch is quicker" if len(plan.to_send) < FEW else ""
        notes.insert(0, f"Sent in batches, within a day and at half the price{quick}.")
    if plan.unpriced:
        unpriced = ", ".join(plan.unpriced)
        notes.insert(0, f'No price for {unpriced}: the price is unknown. Set prices."<model>" in row3.toml.')
    notes[:0] = [f"{EXPOSED[0].upper()}{EXPOSED[1:]} {url}" for url in plan.exposed]
    notes += [f"Before you can send it: {plan.missing}."] if plan.missing else []
    blocks: list[Block] = [
        Note([f"Dry run of {plan.suite}, nothing is sent: {versions} (mode {plan.mode}{by})"]),
        Table(("prompt", "recorded", "to send", "tokens in", "tokens out", "price"), rows, "lrrrrr"),
        Note([*notes, *_comparison_lines(plan, budget)]),
    ]
    if verbose:
        blocks.append(Items([_line(request) for request in plan.requests]))
        if plan.example is not None:
            blocks += _in_full(plan.example)
    return Document(blocks)


def _sums(plan: Estimate) -> tuple[str, ...]:
    figures = (plan.recorded, len(plan.to_send), plan.prompt_tokens, plan.completion_tokens)
    price = "unknown" if plan.cost_usd is None else numbers.money(plan.cost_usd)
    return (*(f"{figure:,}" for figure in figures), price)


def _comparison_lines(plan: Estimate, budget: float | None) -> list[str]:
    asked, lines, more = numbers.count(plan.again, "request asks", "requests ask"), [], plan.more
    if plan.again:
        lines.append(f"{asked} the baseline's prompts again, interleaved; --no-interleave skips them.")
    if more is not None and more.to_send:
        price = "" if more.cost_usd is None else f", {numbers.money(more.cost_usd)}"
        lines.append(f"Up to {numbers.count(len(more.to_send), 'more request')} to confirm a block{price}.")
    cost = (plan.cost_usd or 0.0) + ((more.cost_usd or 0.0) if more is not None else 0.0)
    if budget is not None and cost > budget:
        planned, limit = numbers.money(cost), numbers.money(budget)
        lines.append(f"The plan may cost {planned}, more than --max-cost {limit}: it stops there.")
    return lines


def _line(request: Planned) -> str:
    again = f" repeat {request.repeat}" if request.repeat else ""
    state = "recorded" if request.recorded else "to send" if request.exact else "to send (size estimated)"
    tokens = f"{request.prompt_tokens:,} + {request.completion_tokens:,} tokens"
    return f"{request.case_id} {request.prompt}{again}: {state}, {tokens}"


def _in_full(request: Request) -> list[Block]:
    values = [("temperature", request.temperature), ("seed", request.seed), ("max tokens", request.max_tokens)]
    values += request.extra.items()
    parameters = ", ".join(f"{name} {spoken(value)}" for name, value in values)
    head = f"The first request, in full ({request.case_id}, {request.prompt}, {request.model}, {parameters}):"
    return [
        Title(head),
        Lines([line for each in request.messages for line in (f"--- {each.role}", *each.shown.split("\n"))]),
    ]


def estimate_json(plan: Estimate) -> dict[str, Any]:
    """Return the plan as plain values."""
    return {
        "schemaVersion": 1,
        **json_fields(plan, "suite", "mode", "prompts", "recorded"),
        "requests": len(plan.requests),
        "toSend": len(plan.to_send),
        **json_fields(plan, *SPENT, "unpriced"),
        "list": [
            {
                **json_fields(request, "case_id", "prompt", "repeat", "model", "recorded", "exact", *SPENT),
                **(_texts(request.request) if request.request is not None else {}),
            }
            for request in plan.requests
        ],
        "schemas": {
            request.request.schema_name: request.request.schema
            for request in plan.requests
            if request.request is not None
        },
        **({"plainHttp": plan.exposed} if plan.exposed else {}),
        **({"baselineRequests": plan.again} if plan.again else {}),
        **({"confirmingRequests": len(plan.more.to_send)} if plan.more is not None else {}),
    }


ROLES = ("system", "user")
"""Roles whose text the JSON has by itself too, to paste into a chat."""


def _texts(request: Request) -> dict[str, Any]:
    by_role = {role: "\n\n".join(each.text for each in request.messages if each.role == role) for role in ROLES}
    parameters = json_fields(request, "temperature", "seed", "max_tokens") | extra_json(request.extra) | by_role
    messages = [message.as_json() for message in request.messages]
    return parameters | {"messages": messages, "schema": request.schema_name}
