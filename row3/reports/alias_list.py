"""A review of aliases without questions: tab separated for a pipe, as JSON, or as a table on a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Literal

from row3.reports.alias_model import AliasReview, Unmatched
from row3.reports.document import Block, Document, Note, Table, Title
from row3.reports.style import plain, shorten

SCHEMA_VERSION = 1
NONE = "-"
"""Stands for nothing, so that no column is ever empty."""
NEAREST = 28
"""Columns of the nearest concept on a terminal."""
SCREEN = ("item", "answers", "nearest expected", "alike", "in text", "line")
Part = Literal["all", "unmatched", "unused"]


def list_text(review: AliasReview, part: Part = "all") -> str:
    """A line for each unmatched item, then one for each alias that met nothing, whose count is 0.

    Columns: case, item, answers that have it, prompt versions, nearest expected concept, resemblance to it, `yes` or
    `no` for whether it stands in the text, file and line of the concept or the alias.
    """
    return "".join("\t".join(row) + "\n" for row in _rows(review, part))


def list_document(review: AliasReview, part: Part) -> Document:
    """The same for a terminal: each case with its file above its items, without the prompt versions."""
    rows = _rows(review, part)
    if not rows:
        return Document([Note(["nothing to list"])])
    blocks: list[Block] = []
    by_file = groupby(rows, key=lambda row: (row[0], row[7].removesuffix(f":{_line(row[7])}")))
    for (case, file), found in by_file:
        cells = [
            (item, count, shorten(near, NEAREST), alike, yes, _line(place))
            for _, item, count, _, near, alike, yes, place in found
        ]
        blocks += [Title(f"{case}  {file}"), Table(SCREEN, cells, "lrlrlr")]
    return Document(blocks)


def _rows(review: AliasReview, part: Part) -> list[tuple[str, ...]]:
    rows = [*(_items(review) if part != "unused" else ()), *(_unused(review) if part != "unmatched" else ())]
    return [tuple(plain(cell) or NONE for cell in row) for row in rows]


def _line(place: str) -> str:
    """The line of `file:line`; - where only a file is named."""
    line = place.rpartition(":")[2]
    return line if line.isdecimal() else NONE


def _items(review: AliasReview) -> Iterator[tuple[str, ...]]:
    for item in review.items:
        best = item.candidates[0] if item.candidates else None
        yield (
            item.case_id,
            item.label,
            str(item.count),
            ",".join(item.references),
            "" if best is None else best.label,
            "" if best is None else f"{best.score:.2f}",
            _yes(item.in_text),
            item.file if best is None else f"{item.file}:{best.line}",
        )


def _unused(review: AliasReview) -> Iterator[tuple[str, ...]]:
    for one in review.unused:
        yield one.case_id, one.alias, "0", "", one.concept, "", _yes(one.in_text), f"{one.file}:{one.line}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def list_json(review: AliasReview, part: Part = "all") -> str:
    """The same as JSON, with all forms and candidates and the text around."""
    value: dict[str, Any] = {
        "schemaVersion": SCHEMA_VERSION,
        "suite": review.suite,
        "cases": review.cases,
        "answers": review.answers,
        "unanswered": list(review.unanswered),
        "aliases": review.aliases,
        "judgedBefore": review.judged,
    }
    if part != "unused":
        value["unmatched"] = [_item_json(item) for item in review.items]
    if part != "unmatched":
        value["unusedAliases"] = [
            {
                "caseId": one.case_id,
                "concept": one.concept,
                "alias": one.alias,
                "inText": one.in_text,
                "file": one.file,
                "line": one.line,
            }
            for one in review.unused
        ]
    return json.dumps(value, ensure_ascii=False, indent=1)


def _item_json(item: Unmatched) -> dict[str, Any]:
    place = item.place
    return {
        "caseId": item.case_id,
        "item": item.label,
        "forms": [{"label": form.label, "count": form.answers} for form in item.forms],
        "count": item.count,
        "answers": item.answers,
        "prompts": item.references,
        "candidates": [
            {
                "label": one.label,
                "score": round(one.score, 4),
                "missed": one.missed,
                "sameSentence": one.beside,
                "line": one.line,
            }
            for one in item.candidates
        ],
        "inText": item.in_text,
        "stands": item.stands,
        "place": None
        if place is None
        else {"paragraph": place.paragraph, "line": place.line, "sentence": place.sentence},
        "quote": item.quote,
        "file": item.file,
    }
