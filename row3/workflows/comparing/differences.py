"""What differs between a baseline and a run apart from the answers, and which of it asks for less."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, Protocol

from row3.domain.spoken import spoken
from row3.kinds import kind_named
from row3.store.run_records import RunHeader


def what_differs(baseline: RunHeader, current: RunHeader) -> list[str]:
    """One line for each difference: prompts, model, parameters, thresholds, weights, gate."""
    lines = []
    for name in dict.fromkeys((*baseline.prompts, *current.prompts)):
        before, after = baseline.prompts.get(name), current.prompts.get(name)
        if before != after:
            lines.append(f"prompt {name}: {before or 'not in the pipeline'} → {after or 'not in the pipeline'}")
        elif baseline.prompt_digests.get(name) != current.prompt_digests.get(name):
            lines.append(f"prompt {name} {after}: same version, another text")
    if list(baseline.prompts) != list(current.prompts) and set(baseline.prompts) == set(current.prompts):
        lines.append(f"pipeline order: {' → '.join(baseline.prompts)} became {' → '.join(current.prompts)}")
    if baseline.model != current.model:
        lines.append(f"model: {baseline.model} → {current.model}")
    for name in current.parameters:
        old, new = baseline.parameters.get(name, {}), current.parameters[name]
        lines += [
            f"{name} {key}: {spoken(old.get(key))} → {spoken(new.get(key))}"
            for key in new
            if key != "model" and name in baseline.parameters and old.get(key) != new.get(key)
        ]
    if baseline.repeats != current.repeats:
        lines.append(f"repeats: {baseline.repeats} → {current.repeats}")
    lines += _mapping("weight", baseline.weights, current.weights)
    for key in dict.fromkeys((*baseline.thresholds, *current.thresholds)):
        lines += _mapping(f"threshold {key}", baseline.thresholds.get(key, {}), current.thresholds.get(key, {}))
    lines += _mapping("gate", _plain(baseline.gate), _plain(current.gate))
    return lines


def _mapping(what: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [
        f"{what} {key}: {spoken(before.get(key))} → {spoken(after.get(key))}"
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
    ]


def _plain(gate: Mapping[str, Any]) -> dict[str, Any]:
    """The gate's settings without the lists of predicates, which would fill the screen."""
    return {key: value for key, value in gate.items() if key not in ("symmetric", "inverse")}


class RulesView(Protocol):
    """Kind, thresholds, weights and gate, as a header keeps them."""

    @property
    def kind(self) -> str: ...
    @property
    def thresholds(self) -> Mapping[str, Mapping[str, float]]: ...
    @property
    def weights(self) -> Mapping[str, float]: ...
    @property
    def gate(self) -> Mapping[str, Any]: ...


def loosened(baseline: RulesView, current: RulesView) -> list[str]:
    """Thresholds, weights and limits that ask for less than the baseline's; each of them blocks."""
    lines = []
    kind = kind_named(current.kind, where="the suite")
    lower_is_better = {metric.key for metric in kind.metrics if not metric.higher_is_better}
    for key, zones in baseline.thresholds.items():
        limits = current.thresholds.get(key)
        if limits is None:
            lines.append(f"the thresholds of {key} were removed")
            continue
        lines.extend(
            f"threshold {key}.{zone} was loosened from {value:g} to {now:g}"
            for zone, value in zones.items()
            if (now := limits.get(zone, value)) != value and (now > value) is (key in lower_is_better)
        )
        if key in current.gate.get("warning", ()) and key not in baseline.gate.get("warning", ()):
            lines.append(f"threshold {key} was made non-blocking: its fail zone only warns")
    before, after = baseline.gate, current.gate
    lines.extend(
        f"gate limit {limit} was loosened from {before[limit]:g} to {after[limit]:g}"
        for limit in ("block", "investigate", "declines")
        if limit in before and limit in after and float(after[limit]) > float(before[limit])
    )
    lines += _looser_noise(before, after)
    gone = [key for key in before.get("metrics", ()) if key not in after.get("metrics", ())]
    if gone:
        lines.append(f"the gate no longer judges {', '.join(gone)}")
    lines += _thinner_guard(before, after, kind.primary)
    if before.get("unit") != after.get("unit"):
        lines.append(f"the gate's unit was changed from {spoken(before.get('unit'))} to {spoken(after.get('unit'))}")
    lines.extend(
        f"the {what} predicates were changed"
        for what in ("symmetric", "inverse")
        if what in before and before[what] != after.get(what)
    )
    old, new = before.get("matchingThreshold"), after.get("matchingThreshold")
    if old is not None and new is not None and new != old:
        how = "loosened" if new < old else "changed"  # a higher one takes fewer names for canaries
        lines.append(f"the matching threshold was {how} from {old:g} to {new:g}")
    if before.get("matchingScorer") != after.get("matchingScorer"):
        lines.append(
            f"the matching scorer was changed from {spoken(before.get('matchingScorer'))} to "
            f"{spoken(after.get('matchingScorer'))}"
        )
    lines += _looser_meaning(before.get("semantic"), after.get("semantic"))
    for key in dict.fromkeys((*baseline.weights, *current.weights)):
        old_weight, weight = baseline.weights.get(key, 0.0), current.weights.get(key, 0.0)
        if weight != old_weight:
            lines.append(f"the weight of {key} was changed from {old_weight:g} to {weight:g}")
    return lines


def _looser_meaning(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[str]:
    """Names are matched by meaning that were not, or more easily."""
    if after is None:
        return []
    if before is None:
        return [f"matching by meaning was turned on ({spoken(after)})"]
    if before["model"] != after["model"]:
        return [f"the model of matching by meaning was changed from {before['model']} to {after['model']}"]
    if float(after["threshold"]) < float(before["threshold"]):
        was, now = before["threshold"], after["threshold"]
        return [f"the threshold of matching by meaning was loosened from {was:g} to {now:g}"]
    return []


def _looser_noise(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Limits of single metrics, and a policy that lets more through than the baseline's."""
    lines = []
    old, new = before.get("limits", {}), after.get("limits", {})
    for key in dict.fromkeys((*old, *new)):
        was, now = old.get(key, before.get("block", 0.0)), new.get(key, after.get("block", 0.0))
        if float(now) > float(was):
            lines.append(f"the limit of {key} was loosened from {was:g} to {now:g}")
    lines += _looser_policy(before, after)
    if after.get("informational") and not before.get("informational"):
        lines.append("the gate was made informational: it no longer blocks")
    return lines


def _looser_policy(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """`fixed` stops what may be noise; `paired` stops what is inconclusive, where that blocks: neither holds the other.

    Where what is inconclusive does not block, all that `paired` stops is beyond the limit, which `fixed` stops too.
    """
    was, now = (gate.get("policy", "fixed") for gate in (before, after))
    blocked, blocks = (gate.get("inconclusive") == "block" for gate in (before, after))
    lines = []
    if was != now == "paired":
        lines.append("the gate's policy was loosened to `paired`, which lets through what may be noise")
    if was != now == "fixed" and blocked:
        lines.append("the gate's policy was loosened to `fixed`, which lets through what is inconclusive")
    if blocked and not blocks:
        lines.append("the gate's `inconclusive` was loosened from block to investigate")
    return lines


def _thinner_guard(before: Mapping[str, Any], after: Mapping[str, Any], primary: str) -> list[str]:
    """Guard rails of `paired` share one error rate, so that each has to show more the more of them there are."""
    if "metrics" not in before or {gate.get("policy", "fixed") for gate in (before, after)} != {"paired"}:
        return []
    new = [key for key in after.get("metrics", ()) if key not in before["metrics"] and key != primary]
    if not new:
        return []
    return [f"the gate judges {', '.join(new)} too; under `paired` the others then have to fall further to block"]


def signature_change(before: str, after: str) -> str:
    """What of a scorer's signature differs; its lists of predicates are only named."""
    old, new = before.split(), after.split()
    parts = [(a, b) for a, b in zip_longest(old, new, fillvalue="") if a != b]
    return "; ".join(f"{_part(a)} → {_part(b)}" if _part(a) != _part(b) else f"other {_part(a)}" for a, b in parts)


def _part(text: str) -> str:
    name, colon, _ = text.partition(":")
    return f"{name} predicates" if colon else text or "nothing"


def text_diff(before: str, after: str, names: tuple[str, str], *, context: int = 2) -> str:
    """Unified diff of two prompt texts."""
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="", n=context))
