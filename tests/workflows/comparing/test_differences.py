"""Every setting that can let something pass which the baseline's would stop is a looser rule."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from row3.domain.structs import convert
from row3.gate.policy import GatePolicy
from row3.kinds.base import Rules
from row3.store.config import (
    Config,
    GateConfig,
    LiveConfig,
    MatchingConfig,
    PredicatesConfig,
    SemanticConfig,
    SuiteConfig,
    ThresholdConfig,
)
from row3.store.suites import make_suite
from row3.workflows.comparing.differences import loosened
from row3.workflows.pipeline.run_header import rules_of

PAIRED = "policy = 'paired'\n"
BLOCKS = "inconclusive = 'block'\n"

LOOSER: dict[type[BaseModel], dict[str, list[tuple[str, str]]]] = {
    GateConfig: {
        "unit": [("", "unit = 'relative'"), ("unit = 'relative'", "")],
        "block": [("", "block = 6")],
        "investigate": [("", "investigate = 2")],
        "metrics": [
            ("", "metrics = ['overall']"),
            ("metrics = ['overall']", "metrics = ['recall']"),
            (PAIRED + "metrics = ['overall', 'recall']", PAIRED + "metrics = ['overall', 'recall', 'f1']"),
        ],
        "declines": [("", "declines = 4")],
        "policy": [("", PAIRED), ("", PAIRED + BLOCKS), (PAIRED + BLOCKS, ""), (PAIRED + BLOCKS, BLOCKS)],
        "inconclusive": [(PAIRED + BLOCKS, PAIRED), (BLOCKS, "")],
        "fail": [
            ("", "fail = 'recall:6'"),
            ("fail = 'recall:3'", ""),
            ("fail = 'recall:3'", "fail = 'recall:4'"),
            ("fail = 'provenanceVerified:5'", ""),
            (PAIRED, PAIRED + "fail = 'provenanceVerified:5'"),
        ],
        "informational": [("", "informational = true")],
    },
    ThresholdConfig: {
        "minimum": [("", "minimum = 0.5")],
        "target": [("", "target = 0.65")],
        "excellent": [("", "excellent = 0.8")],
        "blocking": [("", "blocking = false")],
    },
    MatchingConfig: {
        "scorer": [("", "scorer = 'token-set'"), ("scorer = 'token-set'", "")],
        "threshold": [("", "threshold = 0.8"), ("", "threshold = 0.95")],
        "semantic": [("", "semantic = {model = 'm'}")],
    },
    SemanticConfig: {
        "model": [("model = 'm'", "model = 'n'")],
        "threshold": [("model = 'm'\nthreshold = 0.8", "model = 'm'\nthreshold = 0.7")],
    },
    PredicatesConfig: {
        "symmetric": [("", "symmetric = ['CAUSES']"), ("symmetric = ['CAUSES']", "")],
        "inverse": [("", "inverse = {CAUSES = 'REQUIRES'}"), ("inverse = {CAUSES = 'REQUIRES'}", "")],
    },
    SuiteConfig: {
        "weights": [
            ("", "weights = {recall = 0.2}"),
            ("weights = {recall = 0.2}", ""),
            ("", "weights = {provenanceVerified = 0.1}"),
            ("weights = {provenanceVerified = 0.1}", ""),
        ],
        "thresholds": [("thresholds = {f1 = {minimum = 0.1, target = 0.2, excellent = 0.3}}", "")],
    },
}
"""By table and field of row3.toml, what of it is a looser rule: before and after."""

ELSEWHERE = {
    SuiteConfig: {
        "kind": "another kind has no baseline of this one",
        "golden": "other cases: those that are gone block",
        "pipeline": "what answers is the change's business",
        "provider": "as the pipeline",
        "types": "part of the request",
        "matching": "a table of its own",
        "predicates": "a table of its own",
        "gate": "a table of its own",
        "live": "a table of its own",
        "lint_sizes": "what lint says, which judges no run",
    },
    PredicatesConfig: {"allowed": "part of the request"},
    SemanticConfig: {"base_url": "where the model is, not which", "key_variable": "as the address"},
    LiveConfig: {"thresholds": "as the suite's", "gate": "as the suite's"},
}
"""Fields that are no rule to judge by, or are looked at as another table, and why."""

PLACES = {
    SuiteConfig: "[suites.bread]\n",
    GateConfig: "[suites.bread.gate]\n",
    ThresholdConfig: "[suites.bread.thresholds.recall]\n",
    MatchingConfig: "[suites.bread.matching]\n",
    SemanticConfig: "[suites.bread.matching.semantic]\n",
    PredicatesConfig: "[suites.bread.predicates]\n",
}
CHANGES = [
    pytest.param(model, before, after, id=f"{model.__name__}.{field}-{number}")
    for model, rows in LOOSER.items()
    for field, pairs in rows.items()
    for number, (before, after) in enumerate(pairs)
]


def rules(text: str, tier: Literal["replay", "live"] = "replay") -> Any:
    return rules_of(make_suite(convert(tomllib.loads(text), Config), "bread", tier))


@pytest.mark.parametrize(("model", "before", "after"), CHANGES)
def test_what_can_let_through_what_the_baseline_would_stop(model: type[BaseModel], before: str, after: str) -> None:
    old, new = PLACES[model] + before, PLACES[model] + after
    assert loosened(rules(old), rules(new))
    assert loosened(rules(new), rules(new)) == []
    if model in (GateConfig, ThresholdConfig):  # what the live tier has of its own
        old, new = (text.replace("suites.bread.", "suites.bread.live.") for text in (old, new))
        assert loosened(rules(old, "live"), rules(new, "live"))
        assert loosened(rules(old), rules(new)) == []


@pytest.mark.parametrize("model", [*PLACES, LiveConfig])
def test_no_setting_is_forgotten(model: type[BaseModel]) -> None:
    assert {*LOOSER.get(model, {}), *ELSEWHERE.get(model, {})} == set(model.__struct_fields__)


def test_no_rule_of_the_gate_is_forgotten() -> None:
    """What row3.toml says becomes a policy and rules; a field of these that no setting names would be seen nowhere."""
    assert {one.name for one in fields(GatePolicy)} == {*GateConfig.__struct_fields__} - {"fail"} | {"limits"}
    assert {one.name for one in fields(Rules)} <= {
        "names", "inverses", "symmetric", "types", "weights", "thresholds", "semantic", "similarity", "predicates",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("block = 6", "block = 5"),
        ("metrics = ['overall']", "metrics = ['overall', 'f1']"),
        (PAIRED + "metrics = ['f1']", PAIRED + "metrics = ['f1', 'overall']"),
        (PAIRED, PAIRED + BLOCKS),
        (PAIRED, ""),
        ("", BLOCKS),
        ("informational = true", ""),
    ],
)
def test_what_only_asks_for_more_is_no_looser_rule(before: str, after: str) -> None:
    assert loosened(rules(PLACES[GateConfig] + before), rules(PLACES[GateConfig] + after)) == []
