"""The header of a run: when, with which prompts and model, and by which rules it was scored."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from row3.domain.scores import Usage
from row3.gate.policy import GatePolicy
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
    """Scorer, weights, thresholds and gate as a header keeps them."""
    return {
        "scorer": suite.kind.signature(suite.rules),
        "weights": dict(suite.rules.weights),
        "thresholds": {
            key: {"minimum": limits.minimum, "target": limits.target, "excellent": limits.excellent}
            for key, limits in suite.rules.thresholds.items()
        },
        "gate": {
            "unit": suite.policy.unit,
            "block": suite.policy.block,
            "investigate": suite.policy.investigate,
            "metrics": list(suite.policy.metrics),
            "declines": suite.policy.declines,
            "symmetric": sorted(suite.rules.symmetric),
            "inverse": _listed(suite.rules.inverses),
            "matchingScorer": suite.rules.names.scorer,
            "matchingThreshold": suite.rules.names.threshold,
            **_semantic_json(suite),
            **_warning_json(suite),
            **_noise_json(suite.policy),
        },
    }


def _listed(inverses: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The inverses of each predicate; one that a suite gives a second has both."""
    found: dict[str, str] = {}
    for left, right in sorted(inverses):
        found[left] = f"{found[left]}, {right}" if left in found else right
    return found


def _semantic_json(suite: Suite) -> dict[str, Any]:
    """How names are matched by meaning, where they are."""
    rule = suite.rules.semantic
    return {} if rule is None else {"semantic": {"model": rule.model, "threshold": rule.threshold}}


def _warning_json(suite: Suite) -> dict[str, Any]:
    """Metrics whose fail zone only warns, where there are any."""
    keys = warning_only(suite.rules.thresholds)
    return {"warning": sorted(keys)} if keys else {}


def _noise_json(policy: GatePolicy) -> dict[str, Any]:
    """How noise is dealt with, where it is not as by default: an older baseline says nothing of it."""
    value: dict[str, Any] = {}
    if policy.policy != "fixed":
        value["policy"] = policy.policy
    if policy.policy != "fixed" or policy.inconclusive != "investigate":  # `fixed` heeds it in adaptive comparisons
        value["inconclusive"] = policy.inconclusive
    if policy.limits:
        value["limits"] = dict(sorted(policy.limits.items()))
    if policy.informational:
        value["informational"] = True
    return value


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
