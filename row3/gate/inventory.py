"""What a change does to the criteria: key by key, never by meaning (docs/gate.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from row3.domain.judgements import Criteria, CriteriaChange, Effect, Rule

Demands = Callable[[str], Mapping[str, str]]
"""By case id, everything the case demands: key to digest; read only for cases that differ."""
POLICIES = ("paired", "evidence", "fixed")
"""From the most lenient to the strictest."""


def inventory(base: Criteria, head: Criteria, base_demands: Demands, head_demands: Demands) -> list[CriteriaChange]:
    """Return every key in which two criteria of one suite differ, and how; locks and baseline are judged elsewhere."""
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
            # What is asked about a concept comes and goes with the concept.
            if effect == "changed" or effects.get(key.partition(":")[2]) != effect:
                yield CriteriaChange(effect, f"case {case_id} {key}", old.get(key), new.get(key), case_id)


def _rules(base: Mapping[str, Rule], head: Mapping[str, Rule]) -> Iterator[CriteriaChange]:
    for key in sorted({*base, *head}):
        rule = base.get(key) or head[key]
        old, new = (_value(rules, (key, *rule.instead)) for rules in (base, head))
        if old != new:
            yield CriteriaChange(_effect(old, new, rule.looser), f"rule {key}", old, new)


def _value(rules: Mapping[str, Rule], keys: Iterable[str]) -> Any:
    """The value of the first rule that is set; None where none is."""
    return next((rules[key].value for key in keys if key in rules), None)


def _effect(old: Any, new: Any, looser: str | None) -> Effect:
    """How a rule moved; one that comes or goes has the order of the value that is there."""
    if looser == "absent":
        return "added" if old is None else "removed" if new is None else "changed"
    if looser in ("fewer", "more"):
        gone, come = frozenset(old or ()) - frozenset(new or ()), frozenset(new or ()) - frozenset(old or ())
        less = gone if looser == "fewer" else come
        return "loosened" if less else "tightened"
    if looser in ("lower", "higher"):
        if old is None or new is None:  # a limit of its own comes or goes
            return "loosened" if new is None else "tightened"
        return "loosened" if (new < old) is (looser == "lower") else "tightened"
    return "changed"


def _quarantine(base: Mapping[str, str], head: Mapping[str, str]) -> Iterator[CriteriaChange]:
    for case_id in sorted({*base, *head}):
        before, after = base.get(case_id, ""), head.get(case_id, "")
        if before != after:
            longer = after > before  # dates of ISO 8601 sort as text, and none at all is the shortest
            yield CriteriaChange(
                "loosened" if longer else "tightened", f"quarantine {case_id}", before or None, after or None, case_id
            )
