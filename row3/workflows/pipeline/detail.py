"""A case of a result in JSON: its line, with every match explained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from row3.domain.matches import Explanation
from row3.domain.metrics import Zone
from row3.domain.scores import CaseScore
from row3.domain.verdicts import CaseChange
from row3.kinds.base import Kind
from row3.metrics.extraction import entity_metrics
from row3.workflows.pipeline.evaluate import dump

_WORDS = tuple(zone.word for zone in Zone)
"""By zone; to ask the zone itself takes as long as to write it."""


def detail_json(
    kind: Kind, score: CaseScore, zones: Mapping[str, Zone], change: CaseChange | None, *, many: bool = False
) -> bytes:
    """The case's JSON, with every match; of `many` cases by the faster writer, which says the same."""
    value: dict[str, Any] = {
        "id": score.case_id,
        "status": score.status,
        "metrics": score.metrics,
        "zones": {key: _WORDS[zone] for key, zone in zones.items()},
        "deltas": dict(change.deltas) if change is not None else {},
    }
    if change is not None:
        value["change"] = change.move
        value["gained"], value["lost"] = change.gained, change.lost
    if score.skipped:
        value["skipped"] = score.skipped
    if score.problem:
        value["problem"] = score.problem
    if score.raw:
        value["raw"] = score.raw
    if score.notes:
        value["notes"] = score.notes
    if score.spread:
        value["spread"] = score.spread
    if entities := entity_metrics(score.metrics):
        value["entityMetrics"] = entities
    if many and isinstance(score.explanation, Explanation) and (line := _at_once(value, score.explanation)):
        return line
    value["matches"] = None if score.explanation is None else kind.matches_json(score.explanation)
    return dump(value)


def _at_once(head: dict[str, Any], explanation: Explanation) -> bytes:
    """The line of a case of kind `extraction`; empty where there is half a surrogate pair in it."""
    from row3.kinds.extraction_bytes import matches_bytes

    try:
        return b"".join((to_json(head)[:-1], b',"matches":', matches_bytes(explanation), b"}"))
    except (PydanticSerializationError, UnicodeEncodeError):
        return b""
