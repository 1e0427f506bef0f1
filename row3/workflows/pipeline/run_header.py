"""The header of a run: when, with which prompts and model, and by which rules it was scored."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any

from msgspec import to_builtins

from row3.domain.scores import Usage
from row3.gate.zones import warning_only
from row3.store.suites import Suite
from row3.workflows.pipeline.evaluate import Asking


def header_for(suite: Suite, asking: Asking, *, mode: str) -> dict[str, Any]:
    """The part of a run's header that is known before it runs."""
    models = list(dict.fromkeys(p.model for p in asking.parameters.values()))
    return {
        "run_id": new_run_id(),
        "suite": suite.name,
        "kind": suite.kind.name,
        "action": "run",
        "at": now(),
        "mode": mode,
        "prompts": asking.lineup.versions(),
        "prompt_digests": asking.lineup.digests(),
        "model": ", ".join(models),
        "parameters": {name: p.as_json() for name, p in asking.parameters.items()},
        "repeats": asking.repeats,
        **rules_json(suite),
    }


def rules_json(suite: Suite) -> dict[str, Any]:
    """Return scorer, weights, thresholds and the gate's policy as a header keeps them."""
    return {
        "scorer": suite.kind.signature(suite.rules),
        "weights": dict(suite.rules.weights),
        "thresholds": {
            key: {"minimum": limits.minimum, "target": limits.target, "excellent": limits.excellent}
            for key, limits in suite.rules.thresholds.items()
        },
        "gate": {**to_builtins(suite.policy), "warning": sorted(warning_only(suite.rules.thresholds))},
    }


def usage_json(usage: Usage) -> dict[str, Any]:
    """Usage as files and JSON spell it."""
    return {
        "requests": usage.requests,
        "replayed": usage.replayed,
        "promptTokens": usage.prompt_tokens,
        "completionTokens": usage.completion_tokens,
        "costUsd": usage.cost_usd,
        "latencyP50S": usage.latency_p50_s,
        "latencyP95S": usage.latency_p95_s,
        "truncated": usage.truncated,
        **({"judgements": usage.judgements, "judgeCostUsd": usage.judge_cost_usd} if usage.judgements else {}),
    }


def now() -> str:
    """The time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_run_id() -> str:
    """Sorts by time, to the microsecond; what is random in it tells two runs of one instant apart."""
    at = datetime.now(UTC)
    return f"{run_id_at(at)}-{at.microsecond:05x}{secrets.randbelow(4096):03x}"


def run_id_at(moment: datetime) -> str:
    """How the id of a run that starts then begins."""
    return f"{moment:%Y%m%dT%H%M%SZ}"
