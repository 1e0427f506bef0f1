"""`--dry-run` as text and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from row3.domain.requests import Request
from row3.domain.spoken import spoken
from row3.reports.numbers import money
from row3.reports.style import PLAIN, Style, plain
from row3.reports.terminal import named_table

HEADERS = ("prompt", "recorded", "to send", "tokens in", "tokens out", "price")


class PlannedView(Protocol):
    """One request of the plan."""

    @property
    def case_id(self) -> str: ...
    @property
    def prompt(self) -> str: ...
    @property
    def repeat(self) -> int: ...
    @property
    def model(self) -> str: ...
    @property
    def recorded(self) -> bool: ...
    @property
    def exact(self) -> bool: ...
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def completion_tokens(self) -> int: ...
    @property
    def cost_usd(self) -> float | None: ...
    @property
    def request(self) -> Request | None: ...


class EstimateView(Protocol):
    """A planned run."""

    @property
    def suite(self) -> str: ...
    @property
    def mode(self) -> str: ...
    @property
    def prompts(self) -> Mapping[str, str]: ...
    @property
    def requests(self) -> Sequence[PlannedView]: ...
    @property
    def to_send(self) -> Sequence[PlannedView]: ...
    @property
    def recorded(self) -> int: ...
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def completion_tokens(self) -> int: ...
    @property
    def cost_usd(self) -> float | None: ...
    @property
    def unpriced(self) -> Sequence[str]: ...
    @property
    def example(self) -> Request | None: ...


def estimate_text(plan: EstimateView, *, verbose: bool = False, style: Style = PLAIN) -> str:
    """The sums by prompt; with `verbose` each request, and one of them in full."""
    versions = " → ".join(f"{name} {version}" for name, version in plan.prompts.items())
    models = list(dict.fromkeys(request.model for request in plan.requests))
    by = f", model {plain(models[0])}" if len(models) == 1 else ""
    remarks = []
    if plan.unpriced:
        names = ", ".join(map(plain, plan.unpriced))
        remarks.append(f'No price for {names}: the price is unknown. Set prices."<model>" in row3.toml.')
    if any(not request.exact for request in plan.to_send):
        remarks.append("Later stages depend on answers that are not known yet: their sizes are estimated.")
    remarks.append("Tokens are estimated at four characters each; retries are not counted.")
    lines = [
        *style.wrap(f"Dry run of {plan.suite}, nothing is sent: {versions} (mode {plan.mode}{by})", then="  "),
        "",
        *named_table(HEADERS, _rows(plan, models), style),
        "",
        *(line for remark in remarks for line in style.wrap(remark, then="  ")),
    ]
    if verbose:
        lines += [
            "",
            *(line for request in plan.requests for line in style.wrap(_line(request), first="  ", then="    ")),
        ]
        if plan.example is not None:
            lines += ["", *_in_full(plan.example)]
    return "\n".join(lines)


def _rows(plan: EstimateView, models: Sequence[str]) -> list[tuple[str, ...]]:
    rows = []
    for prompt, model in dict.fromkeys((request.prompt, request.model) for request in plan.requests):
        mine = [request for request in plan.requests if (request.prompt, request.model) == (prompt, model)]
        rows.append((prompt if len(models) == 1 else plain(f"{prompt} · {model}"), *_sums(mine)))
    return [*rows, ("total", *_sums(plan.requests))]


def _sums(requests: Sequence[PlannedView]) -> tuple[str, ...]:
    sent = [request for request in requests if not request.recorded]
    costs = [request.cost_usd for request in sent]
    price = "unknown" if None in costs else money(sum(cost for cost in costs if cost is not None))
    counts = (
        len(requests) - len(sent),
        len(sent),
        sum(request.prompt_tokens for request in sent),
        sum(request.completion_tokens for request in sent),
    )
    return (*(f"{number:,}" for number in counts), price)


def _line(request: PlannedView) -> str:
    again = f" repeat {request.repeat}" if request.repeat else ""
    state = "recorded" if request.recorded else "to send" if request.exact else "to send (size estimated)"
    tokens = f"{request.prompt_tokens:,} + {request.completion_tokens:,} tokens"
    return plain(f"{request.case_id} {request.prompt}{again}: {state}, {tokens}")


def _in_full(request: Request) -> list[str]:
    parameters = ", ".join(
        f"{name} {spoken(value)}"
        for name, value in (
            ("temperature", request.temperature),
            ("seed", request.seed),
            ("max tokens", request.max_tokens),
        )
    )
    return [
        f"The first request, in full ({request.case_id}, {request.prompt}, {request.model}, {parameters}):",
        "--- system",
        request.system,
        "--- user",
        request.user,
    ]


def estimate_json(plan: EstimateView) -> dict[str, Any]:
    """The plan as plain values."""
    return {
        "schemaVersion": 1,
        "suite": plan.suite,
        "mode": plan.mode,
        "prompts": dict(plan.prompts),
        "requests": len(plan.requests),
        "recorded": plan.recorded,
        "toSend": len(plan.to_send),
        "promptTokens": plan.prompt_tokens,
        "completionTokens": plan.completion_tokens,
        "costUsd": plan.cost_usd,
        "unpriced": list(plan.unpriced),
        "list": [
            {
                "caseId": request.case_id,
                "prompt": request.prompt,
                "repeat": request.repeat,
                "model": request.model,
                "recorded": request.recorded,
                "exact": request.exact,
                "promptTokens": request.prompt_tokens,
                "completionTokens": request.completion_tokens,
                "costUsd": request.cost_usd,
                **(_texts(request.request) if request.request is not None else {}),
            }
            for request in plan.requests
        ],
        "schemas": {
            request.request.schema_name: request.request.schema
            for request in plan.requests
            if request.request is not None
        },
    }


def _texts(request: Request) -> dict[str, Any]:
    return {
        "temperature": request.temperature,
        "seed": request.seed,
        "maxTokens": request.max_tokens,
        "system": request.system,
        "user": request.user,
        "schema": request.schema_name,
    }
