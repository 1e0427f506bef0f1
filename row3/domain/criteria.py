"""The half of a snapshot that judges, as keyed values: what a change did to it is found key by key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

Looser = Literal["lower", "higher", "fewer", "more"]
"""Which way a rule asks for less."""
Effect = Literal["added", "removed", "changed", "loosened", "tightened"]


class Rule(Struct, frozen=True):
    """One rule of a suite."""

    value: Any
    """A number, text or truth value; a frozenset of names for a list without order."""
    looser: Looser | None = None
    """None for a rule without order: whatever differs is a change."""
    instead: tuple[str, ...] = ()
    """Keys of the rules that hold where this one is not set, the nearest first."""


class Criteria(Struct, frozen=True):
    """What judges a suite, by key."""

    rules: Mapping[str, Rule]
    """`threshold.recall.minimum`, `weight.recall`, `gate.block`, `matching.threshold` …"""
    cases: Mapping[str, str]
    """Digest of each golden case by id."""
    quarantine: Mapping[str, str] = {}
    """End of the quarantine (YYYY-MM-DD) by case id."""
    locks: Mapping[str, str] = {}
    """Digest of each version that was ever promoted, by reference."""
    baseline: str = ""
    """Digest of the manifest without its time, id and commit; empty for none."""


class CriteriaChange(Struct, frozen=True):
    """One key in which head and base differ."""

    effect: Effect
    key: str
    """`case <id>`, `case <id> concept carbon dioxide`, `rule threshold.recall.minimum`, `quarantine <id>` …"""
    before: Any = None
    after: Any = None
    case_id: str = ""
    """Of the golden case it lies in."""
