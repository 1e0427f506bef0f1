"""A review of aliases without questions: tab separated for a pipe, as JSON, or as a table on a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from row3.reports.aliases.alias_parts import AliasReview, Unmatched
from row3.reports.style import Style, plain, shorten
from row3.reports.terminal import table

SCHEMA_VERSION = 1
NONE = "-"
"""Stands for nothing, so that no column is ever empty."""
SCREEN = ("  item", "answers", "nearest expected", "alike", "in text", "line")
OTHERS = 36
"""Columns of a screen that items and concepts leave to the rest."""
LEAST = 12
"""Columns of an item, however narrow the screen."""
Part = Literal["all", "unmatched", "unused"]


def list_text(review: AliasReview, part: Part = "all") -> str:
    """A line for each unmatched item, then one for each alias that met nothing, whose count is 0.

    Columns: case, item, answers that have it, prompt versions, nearest expected concept, resemblance to it, `yes` or
    `no` for whether it stands in the text, file and line of the concept or the alias.
    """
    return "".join("\t".join(row) + "\n" for row in _rows(review, part))


def list_screen(review: AliasReview, part: Part, style: Style) -> str:
    """The same for a terminal: aligned under a header and within its width, each case with its file above its items.

    Without the prompt versions, for which there is no room.
    """
    rows = _rows(review, part)
    if not rows:
        return "nothing to list\n"
    room = max(LEAST, (style.width - OTHERS) // 2)
    shown = [
        (f"  {shorten(item, room)}", count, shorten(nearest, room), alike, in_text, _line(place))
        for _, item, count, _, nearest, alike, in_text, place in rows
    ]
    head, rule, *lines = table(SCREEN, shown, "lrlrlr", style)
    told, last = [head, rule], ""
    for line, (case, *_, place) in zip(lines, rows, strict=True):
        above = f"{case}  {place.removesuffix(f':{_line(place)}')}"
        if above != last:
            told += style.wrap(above, then="  ")
        told.append(line)
        last = above
    return "\n".join(told) + "\n"


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
