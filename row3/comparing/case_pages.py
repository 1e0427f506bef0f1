"""Cases of the HTML report, built by the worker processes that score them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from row3.domain.files import PDF, FileInput, file_inputs
from row3.domain.scores import CaseScore, zones_of
from row3.errors import InvalidFile
from row3.kinds.base import Kind
from row3.project.cases import StoredCase
from row3.project.suites import Suite
from row3.running.case_results import dump

NEW_CASE = "the baseline does not have this case"
DIGITS = 5
"""Decimals of fractions: finer than any figure shown."""


@dataclass(frozen=True, slots=True)
class CasePages:
    """Builds a case's line: its row in the list, a tab, and the details shown when it is opened."""

    suite: Suite

    def __call__(self, stored: StoredCase, score: CaseScore) -> bytes:
        """Return the line."""
        kind, case, base = self.suite.kind, stored.case, score.before
        zones = {
            key: zone.word for key, zone in zones_of(score.metrics, kind.metrics, self.suite.rules.thresholds).items()
        }
        same = base is not None and base.said == score.said != ""
        before = None if same else base
        body = body_of(kind, score, zones) | {
            "texts": texts_of(case.variables()),
            "files": files_of(case.variables()),
            "marked": kind.in_text,
            "aliases": {one.name: one.facts["alias"] for one in kind.expected(case) if one.facts.get("alias")},
            "now": answer_of(kind, score),
            "before": None if before is None or before.output is None else answer_of(kind, before),
            "baseline": {
                "same": same,
                "raw": "" if before is None else before.raw,
                "problem": NEW_CASE if base is None else "" if before is None else before.problem,
            },
        }
        return dump(row_of(kind, case, score, zones)) + b"\t" + dump(body)


def row_of(kind: Kind, case: Any, score: CaseScore, zones: Mapping[str, str]) -> dict[str, Any]:
    """Return a case's row in the list; `value` and `delta` are those of the primary metric."""
    change = score.change
    titles = (getattr(case, name, "") for name in ("topic", "title", "query"))
    return {
        "id": score.case_id,
        "title": str(next(filter(None, titles), "")),
        "domain": str(getattr(case, "domain", None) or ""),
        "status": score.status,
        "move": "" if change is None else change.move,
        "value": _rounded(score.metrics.get(kind.primary)),
        "delta": None if change is None or kind.primary not in change.deltas else _rounded(change.delta),
        "zone": zones.get(kind.primary),
        "critical": score.critical,
    }


def body_of(kind: Kind, score: CaseScore, zones: Mapping[str, str]) -> dict[str, Any]:
    """Return a case's metrics in the kind's order with change and zone, items gained and lost, and problems."""
    change = score.change
    deltas = {} if change is None else change.deltas
    body: dict[str, Any] = {
        "metrics": [
            [metric.key, _rounded(score.metrics[metric.key]), _rounded(deltas.get(metric.key)), zones.get(metric.key)]
            for metric in kind.metrics
            if metric.key in score.metrics
        ]
    }
    if change is not None:
        body |= {"gained": change.gained, "lost": change.lost, "note": change.note}
    if score.repeats > 1:
        body["repeats"] = score.repeats
    keys = ("skipped", "problem", "raw", "notes", "spread")
    return body | {key: found for key in keys if (found := getattr(score, key))}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def answer_of(kind: Kind, score: CaseScore) -> dict[str, Any]:
    """Return a case's answer and how each of its items matched, each None if missing."""
    answer = None if score.output is None else score.output.answer_json()
    matches = None if score.explanation is None else score.explanation.as_json()
    if kind.graded_as and matches is not None:
        items = [{"label": each["label"]} for each in matches["items"]]
        if kind.arms:
            return {"answer": {kind.graded_as: items}, "matches": matches}
        for item, each in zip(items, matches["items"], strict=True):
            item["grade"] = f"{each['score']:.0%}"
        said = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, indent=1)
        return {"answer": {kind.graded_as: items}, "said": said, "matches": matches}
    return {"answer": answer, "matches": matches}


def files_of(variables: Mapping[str, Any]) -> list[list[str]]:
    """Return name, path and, for a picture, `data:` address of each file that a case's input names."""
    found: dict[str, list[str]] = {}
    for each in file_inputs(variables):
        with suppress(InvalidFile):  # then no prompt has shown it
            part = each.part()
            found[each.place] = [each.place.partition(".")[2], part.path, "" if part.media_type == PDF else part.url]
    return [*found.values()]


def texts_of(variables: Mapping[str, Any]) -> list[list[str]]:
    """Return name and text of each text that a prompt sees of a case, including those in lists of documents."""
    found: dict[str, str] = {}  # name by text: some kinds give one text under two names
    for name, value in variables.items():
        if isinstance(value, str) and value.strip():
            found.setdefault(value, name)
        elif isinstance(value, (list, tuple)):
            for number, part in enumerate(value, 1):
                if isinstance(part, str):
                    found.setdefault(part, f"{name} {number}")
                elif isinstance(part, FileInput):
                    continue
                elif isinstance(part, Mapping) and (texts := [str(t) for t in part.values() if isinstance(t, str)]):
                    found.setdefault(max(texts, key=len), f"{name} {number}: {min(texts, key=len)}")
    return [[name, text] for text, name in found.items()]
