"""What the header of a new baseline says of rules and model: a later comparison holds the project's to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from row3.domain.verdicts import Reason, Verdict
from row3.store.run_records import RunHeader
from row3.store.suites import Suite
from row3.workflows.against.at_ref import listed
from row3.workflows.comparing.differences import signature_change
from row3.workflows.pipeline.run_header import OF_THE_DAY, rules_of

LIBRARY = "rapidfuzz/"
"""How the part of a scorer's signature begins that names the release of what compares names."""


def header_reasons(own: Suite, before: RunHeader | None, new: RunHeader, resting: Collection[str] = ()) -> list[Reason]:
    """A block for each thing that is not what `row3 --baseline` writes here.

    Looser rules in a header would hide that the project's were loosened, so they are the suite's `own`, or those of the
    baseline `before`, which have judged so far. Of which model the answers are its parameters say. What it counts for
    nothing, as cases in quarantine, are some of those `resting` in the suite's file.
    """
    return [
        Reason(verdict, f"the new baseline is {what}", cause="baseline")
        for verdict, what in (
            *((Verdict.BLOCK, what) for what in _others(own, before, new, resting)),
            *_other_scorer(own, before, new),
        )
    ]


def _other_scorer(own: Suite, before: RunHeader | None, new: RunHeader) -> Iterator[tuple[Verdict, str]]:
    """What is said of a signature that neither this row3 writes nor the baseline before has.

    What cannot be scored again is held to figures of any scorer, so that another release of the library that compares
    names, as an author may have, is only told.
    """
    ours = own.kind.signature(own.rules)
    if new.scorer in (ours, before and before.scorer):
        return
    parts = [signature.split() for signature in (new.scorer, ours)]
    others = [[part for part in each if not part.startswith(LIBRARY)] for each in parts]
    verdict = Verdict.INVESTIGATE if others[0] == others[1] else Verdict.BLOCK
    yield verdict, f"of another scorer than this row3's: {signature_change(ours, new.scorer)}"


def _others(own: Suite, before: RunHeader | None, new: RunHeader, resting: Collection[str]) -> Iterator[str]:
    rules = rules_of(own)
    for name, told, wanted, old in (
        ("other thresholds", new.thresholds, rules.thresholds, before and before.thresholds),
        ("other weights", new.weights, rules.weights, before and before.weights),
        ("another gate", _lasting(new.gate), rules.gate, before and _lasting(before.gate)),
    ):
        if told not in (wanted, old):
            yield f"of {name} than the project's: {_difference(told, wanted)}"
    models = ", ".join(dict.fromkeys(str(each.get("model")) for each in new.parameters.values()))
    if new.model != models:
        yield f"of model `{new.model}`, and its parameters are of `{models}`"
    if awake := sorted(new.resting.difference(resting)):
        yield f"of cases in quarantine that stand in none: {listed(awake)}"


def _lasting(gate: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in gate.items() if key not in OF_THE_DAY}


def _difference(told: Mapping[str, Any], wanted: Mapping[str, Any], within: str = "") -> str:
    """The first setting that is another, with both values."""
    for key in dict.fromkeys([*wanted, *told]):
        one, other = told.get(key), wanted.get(key)
        if one != other:
            if isinstance(one, Mapping) and isinstance(other, Mapping):
                return _difference(one, other, f"{within}{key}.")
            return f"{within}{key} {_shown(one)}, where {_shown(other)} is set"
    raise ValueError("no difference")


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(each)}" for key, each in value.items()) or "nothing"
    return ", ".join(map(str, value)) or "nothing" if isinstance(value, list) else str(value)
