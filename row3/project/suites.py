"""Suites: the settings of `row3.toml` over the defaults of their kind."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from row3.domain.asks import LOCAL, SemanticRule
from row3.domain.code import Code
from row3.domain.models import item_in, keys_of, models_in
from row3.domain.predicates import INVERSES, ROW3_PREDICATES, SYMMETRIC
from row3.domain.runs import Tier, suite_of_stem
from row3.domain.scores import SLACK, Metric, Threshold
from row3.domain.words import did_you_mean
from row3.errors import InvalidFile
from row3.gate.policy import GatePolicy, parse_limits, split_limits
from row3.gate.suites import JudgedSuite
from row3.kinds import kind_named
from row3.kinds.base import Kind, Rules
from row3.kinds.outputs import LIST
from row3.matching.scorers import EXACT, NameRule
from row3.project.config import (
    ArmConfig,
    Config,
    GateConfig,
    JudgeConfig,
    LiveConfig,
    PredicatesConfig,
    ProviderConfig,
    SuiteConfig,
    SuiteProvider,
    ThresholdConfig,
    overridden,
)
from row3.project.documents import validate
from row3.project.places import FILE, GOLDEN
from row3.project.system_config import SystemConfig


class Owner(Protocol):
    """The project of a suite."""

    @property
    def root(self) -> Path: ...

    @property
    def config(self) -> Config: ...

    def check_code(self, suite: str, code: Iterable[Code]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite(JudgedSuite):
    """Golden cases of one kind, the rules they are judged by, and what answers them."""

    pipeline: tuple[str, ...]
    """Names of its prompts, those of both arms if it has arms; empty for all that its kind can read."""
    provider: ProviderConfig
    system: SystemConfig | None = None
    """What answers in place of a model and its prompts."""
    standards: str | None = None
    """Counts and coverage that lint requires; None for none."""
    arms: Mapping[str, Suite] | None = None
    """If two systems answer each case: the suite as each arm does. If a system precedes prompts: one without a name."""
    project: Owner | None = None
    """Project whose Python scorers may run; None for a suite made of settings alone."""


def golden_of(config: Config, suite: str) -> str:
    """Return the path of a suite's golden cases."""
    settings = config.suites.get(suite)
    return f"{GOLDEN}/{suite if settings is None or settings.golden is None else settings.golden}"


def make_suite(config: Config, name: str, tier: Tier = "replay") -> Suite:
    """Return a tier of a suite from its settings and its kind's defaults. Raises `InvalidFile` for invalid settings."""
    settings = config.suites.get(name) or SuiteConfig()
    where = f"{FILE} field suites.{name}"
    if name != suite_of_stem(name):
        what = f"`{name}` cannot name a suite: its baseline would be that of another suite's live tier"
        raise InvalidFile(what, where=f"golden/{name}/", fix="Give it a name without a dot")
    kind = kind_named(settings.kind, where=f"{where}.kind")
    live = settings.live if tier == "live" else LiveConfig()
    weights = {metric.key: metric.weight for metric in kind.metrics if metric.weight} | settings.weights
    for field, what, fix in _complaints(settings, live, kind, weights):
        raise InvalidFile(what, where=f"{where}.{field}", fix=fix)
    gate = overridden(settings.gate, live.gate)
    thresholds = {
        metric.key: replace(metric.threshold, blocking=metric.blocking or metric.key in (gate.metrics or ()))
        for metric in kind.metrics
        if metric.threshold is not None
    }
    for field, table, others in (
        ("thresholds", settings.thresholds, "the default"),
        ("live.thresholds", live.thresholds, "as in other modes"),
    ):
        for key, limits in table.items():
            metric = next(metric for metric in kind.metrics if metric.key == key)
            place = f"{where}.{field}.{key}"
            thresholds[key] = _threshold(limits, metric, thresholds.get(key), where=place, others=others)
    at_gate = f"{where}.live.gate" if live.gate != GateConfig() else f"{where}.gate"
    policy = _policy(gate, kind, thresholds, where=at_gate)
    if policy.investigate > policy.block:
        raise InvalidFile("`investigate` is above `block`", where=at_gate, fix="Keep investigate ≤ block")
    provider, system = _answering(overridden(ProviderConfig(preset="openai"), config.provider), settings.provider)
    semantic, prompted = settings.matching.semantic, system is None or bool(settings.pipeline)
    made = Suite(
        name=name,
        kind=kind,
        pipeline=tuple(settings.pipeline),
        rules=Rules(
            names=NameRule(settings.matching.scorer, settings.matching.threshold, settings.matching.rules == "plain"),
            inverses=tuple(dict.fromkeys((*INVERSES.items(), *settings.predicates.inverse.items()))),
            symmetric=(*SYMMETRIC, *settings.predicates.symmetric),
            types=None if settings.types is None else tuple(settings.types),
            weights=weights,
            thresholds=thresholds,
            semantic=None if semantic is None else SemanticRule(semantic.model_name, semantic.threshold),
            predicates=ROW3_PREDICATES if settings.predicates.allowed is None else tuple(settings.predicates.allowed),
            checks=tuple(
                validate(kind.check_model, each, where=f"{where}.checks.{at}")
                for at, each in enumerate(settings.checks)
                if kind.check_model is not None
            ),
            passes=settings.passes,
            fields=settings.fields,
        ),
        policy=policy,
        provider=provider,
        prompted=prompted,
        local=prompted and provider.preset == "local",
        golden=golden_of(config, name),
        standards=settings.standards,
        system=system,
        tier=tier,
    )
    if not kind.arms:
        return replace(made, system=None, arms={"": made}) if prompted and system is not None else made
    arms = _arms(settings, made, where=f"{where}.arms")
    pipelines = [arm.pipeline for arm in arms.values()]
    asked = dict.fromkeys(name for pipeline in pipelines for name in pipeline) if all(pipelines) else ()
    return replace(made, arms=arms, pipeline=tuple(asked))


def _arms(settings: SuiteConfig, suite: Suite, *, where: str) -> dict[str, Suite]:
    """Return the suite of each arm, with its own provider, system and pipeline. Raises `InvalidFile`."""
    for name in settings.arms:
        if name not in suite.kind.arms:
            raise InvalidFile(f"unknown arm `{name}`", where=where, fix=f"The arms are {' and '.join(suite.kind.arms)}")
    found = {}
    for name in suite.kind.arms:
        arm = settings.arms.get(name, ArmConfig())
        provider, system = _answering(suite.provider, arm.provider)
        pipeline = tuple(arm.pipeline) or suite.pipeline
        found[name] = replace(suite, pipeline=pipeline, provider=provider, system=system)
    return found


def _complaints(
    settings: SuiteConfig, live: LiveConfig, kind: Kind, weights: Mapping[str, float]
) -> Iterator[tuple[str, str, str]]:
    """Yield the contradictions in a suite's settings: field, what is wrong, and what to do."""
    known = sorted(metric.key for metric in kind.metrics)
    for field, keys in (
        ("weights", settings.weights),
        ("thresholds", settings.thresholds),
        ("live.thresholds", live.thresholds),
        ("gate.metrics", settings.gate.metrics or ()),
        ("live.gate.metrics", live.gate.metrics or ()),
    ):
        for key in [key for key in keys if key not in known]:
            fix = did_you_mean(key, known, f"Metrics: {', '.join(known)}")
            yield field, f"`{key}` is not a metric of this kind", fix
    if settings.weights and not any(metric.weight for metric in kind.metrics):
        fix = f"Remove them; this kind is judged by {kind.primary} first"
        yield "weights", f"kind `{kind.name}` has no composite, so weights have no effect", fix
    if kind.primary in weights:
        yield "weights", f"`{kind.primary}` is the composite itself", "Remove it"
    rewards = {key: weight for key, weight in weights.items() if weight > 0}
    if (total := math.fsum(rewards.values())) > 1 + SLACK:
        parts = ", ".join(f"{key} {weight:g}" for key, weight in rewards.items())
        what = f"the positive weights sum to {total:.4g}, so the composite could exceed 1 ({parts})"
        yield "weights", what, "Lower some, including defaults: the sum may not exceed 1"
    semantic, system = settings.matching.semantic, settings.provider
    given = {
        "predicates": settings.predicates != PredicatesConfig(),
        "matching.semantic": semantic is not None,
        "checks": bool(settings.checks),
        "fields": bool(settings.fields),
        "passes": settings.passes is not None,
        "judge": settings.judge != JudgeConfig(),
        "documents": settings.documents is not None,
        "arms": bool(settings.arms),
    }
    for field in [field for field, used in given.items() if used and field not in kind.settings]:
        yield field, f"kind `{kind.name}` does not use it", "Remove it"
    yield from _unknown_fields(settings, kind)
    literal = {"scorer": settings.matching.scorer == EXACT, "rules": settings.matching.rules == "plain"}
    for field in [field for field, used in literal.items() if used and semantic is not None]:
        what = f"{field} `{getattr(settings.matching, field)}` matches nothing by meaning"
        yield "matching.semantic", what, f"Remove it, or change `{field}`"
    if semantic is not None and semantic.model == LOCAL:
        for field in [field for field in ("base_url", "key_variable") if getattr(semantic, field) is not None]:
            yield f"matching.semantic.{field}", "the local model runs in this process", "Remove it"
    if system is not None and not isinstance(system, ProviderConfig):
        before = [] if kind.arms else [key for key in kind.outputs if key != kind.whole]
        if system.output is not None and system.output not in kind.outputs:
            what = f"`{system.output}` is not an output of kind `{kind.name}`"
            yield "provider.output", what, f"Outputs: {', '.join(kind.outputs)}"
        if settings.pipeline and system.output not in before:
            fix = f"Remove it, or set `output` of the provider to {' or '.join(before)}" if before else "Remove it"
            yield "pipeline", f"a suite answered by `{system.type}` has no prompts", fix


def _unknown_fields(settings: SuiteConfig, kind: Kind) -> Iterator[tuple[str, str, str]]:
    """Yield the complaints about names in `fields` that answers of the kind do not have."""
    whole = kind.outputs[kind.whole]
    lists = {key: models_in(item_in(each.annotation)) for key, each in keys_of(whole).items()}
    known = {key: [LIST, *keys_of(items[0])] for key, items in lists.items() if items}
    for key, names in settings.fields.items():
        given = [(f"fields.{key}", name, known[key]) for name in names] if key in known else []
        for field, name, options in [("fields", key, [*known]), *given]:
            if name not in options:
                fix = did_you_mean(name, options, f"Known: {', '.join(options)}")
                yield field, f"`{name}` is not a field of an answer of kind `{kind.name}`", fix


def _threshold(
    own: ThresholdConfig, metric: Metric, general: Threshold | None, *, where: str, others: str
) -> Threshold:
    """Return a metric's zones, with missing ones from `general`, which messages describe as `others`."""
    steps: dict[str, float] = {}
    described: list[str] = []
    for field in ("minimum", "target", "excellent"):
        value = getattr(own, field)
        if value is None and general is None:
            what = f"`{field}` is missing, and {metric.key} has no default zones"
            raise InvalidFile(what, where=where, fix="Give minimum, target and excellent")
        steps[field] = getattr(general, field) if value is None else value
        described.append(f"{field} {steps[field]:g}{f' ({others})' if value is None else ''}")
    if list(steps.values()) != sorted(steps.values(), reverse=not metric.higher_is_better):
        order = "minimum ≤ target ≤ excellent" if metric.higher_is_better else "minimum ≥ target ≥ excellent"
        raise InvalidFile(f"the zones overlap: {', '.join(described)}", where=where, fix=f"Keep {order}")
    blocking = own.blocking if own.blocking is not None else general is None or general.blocking
    return Threshold(steps["minimum"], steps["target"], steps["excellent"], blocking)


def _policy(gate: GateConfig, kind: Kind, thresholds: Mapping[str, Threshold], *, where: str) -> GatePolicy:
    blocking = {key for key, threshold in thresholds.items() if threshold.blocking}
    headline = [m.key for m in kind.metrics if not m.companion and (m.blocking or m.key in blocking)]
    given = {key: value for key, value in gate if value is not None and key != "fail"}
    # Unit and limit belong together: a suite that sets either takes neither from the kind.
    usual = {} if {"unit", "block"} & given.keys() else dict(kind.gate_defaults)
    usual["drops"] = kind.drops if gate.drop is None else {}
    policy = GatePolicy(**usual | given | {"metrics": tuple(headline if gate.metrics is None else gate.metrics)})
    return with_limits(policy, kind, gate.fail, where=f"{where}.fail") if gate.fail else policy


def with_limits(policy: GatePolicy, kind: Kind, text: str, *, where: str) -> GatePolicy:
    """Return the policy with limits by metric and figure; what has a limit can block. Raises `UsageError`."""
    also = {metric.also: metric.key for metric in kind.metrics if metric.also}
    keys = [metric.key for metric in kind.metrics]
    others, figures = split_limits(text, keys, where=where)
    policy = replace(policy, figures={**policy.figures, **figures})
    if figures and not others:
        return policy
    limits = parse_limits(others, keys, where=where, also=also)
    metrics = dict.fromkeys((*policy.metrics, *(key for key in limits if key not in policy.held)))
    return replace(policy, limits={**policy.limits, **limits}, metrics=tuple(metrics))


def _answering(general: ProviderConfig, own: SuiteProvider | None) -> tuple[ProviderConfig, SystemConfig | None]:
    """Return the model settings and the system that a `provider` table gives, over the general settings.

    `cost` is inherited only for the same address.
    """
    if not isinstance(own, ProviderConfig):
        return general, own
    elsewhere = own.preset or own.base_url is not None
    return overridden(general.replace(cost=None) if elsewhere else general, own), None
