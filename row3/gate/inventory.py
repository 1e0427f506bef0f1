"""The changes to a suite's criteria, compared key by key and never by meaning (docs/gate.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from row3.domain.judgements import Criteria, CriteriaChange, Effect, Rule
from row3.kinds.demands import DISARMED, SOURCE

Demands = Callable[[str], Mapping[str, str]]
"""Returns a case's demands, key to digest, by case id; called only for cases that differ."""
POLICIES = ("paired", "evidence", "fixed")
"""From the most lenient to the strictest."""


def inventory(base: Criteria, head: Criteria, base_demands: Demands, head_demands: Demands) -> list[CriteriaChange]:
    """Return every key in which two criteria of a suite differ, and how."""
    return [
        *_cases(base, head, base_demands, head_demands),
        *_rules(base.rules, head.rules),
        *_quarantine(base.quarantine, head.quarantine),
    ]


def _cases(base: Criteria, head: Criteria, base_demands: Demands, head_demands: Demands) -> Iterator[CriteriaChange]:
    for case_id in sorted({*base.cases, *head.cases}):
        before, after = base.cases.get(case_id), head.cases.get(case_id)
        if before == after:
            continue
        if before is None or after is None:
            yield CriteriaChange("added" if before is None else "removed", f"case {case_id}", before, after, case_id)
            continue
        old, new = base_demands(case_id), head_demands(case_id)
        effects: dict[str, Effect] = {
            key: "added" if key not in old else "removed" if key not in new else "changed"
            for key in sorted({*old, *new})
            if old.get(key) != new.get(key)
        }
        for key, effect in effects.items():
            # Demands about a concept are added and removed with the concept.
            if effect == "changed" or effects.get(key.partition(":")[2]) != effect:
                said = _said(key, effect)
                yield CriteriaChange(said, f"case {case_id} {key}", old.get(key), new.get(key), case_id)


def _said(key: str, effect: Effect) -> Effect:
    """Return the effect of a change of what is no demand on an answer; that of a demand as it is."""
    if key.startswith(DISARMED) and effect != "changed":
        return "loosened" if effect == "added" else "tightened"
    return "changed" if key == SOURCE else effect


def _rules(base: Mapping[str, Rule], head: Mapping[str, Rule]) -> Iterator[CriteriaChange]:
    for key in sorted({*base, *head}):
        rule = base.get(key) or head[key]
        keys = (key, *rule.instead)
        old, new = (next((rules[each].value for each in keys if each in rules), None) for rules in (base, head))
        if old != new:
            yield CriteriaChange(_effect(old, new, rule.looser), f"rule {key}", old, new)


def _effect(old: Any, new: Any, looser: str | None) -> Effect:
    """Return the effect of a changed rule; None as a value means that the rule is not set."""
    if looser == "removed":
        return "added" if old is None else "removed" if new is None else "changed"
    if looser in ("fewer", "more"):
        before, after = frozenset(old or ()), frozenset(new or ())
        return "loosened" if (before - after if looser == "fewer" else after - before) else "tightened"
    if looser in ("lower", "higher"):
        if old is None or new is None:  # a metric's own limit is added or removed
            return "loosened" if new is None else "tightened"
        return "loosened" if (new < old) is (looser == "lower") else "tightened"
    return "changed"


def _quarantine(base: Mapping[str, str], head: Mapping[str, str]) -> Iterator[CriteriaChange]:
    for case_id in sorted({*base, *head}):
        before, after = base.get(case_id, ""), head.get(case_id, "")
        if before != after:
            longer = after > before  # ISO 8601 dates sort as text; no quarantine is the empty text
            yield CriteriaChange(
                "loosened" if longer else "tightened", f"quarantine {case_id}", before or None, after or None, case_id
            )
