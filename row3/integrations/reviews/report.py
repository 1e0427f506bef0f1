"""A review as a document and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from row3.domain.printable import shorten
from row3.domain.words import count
from row3.integrations.monitoring.figures import FIGURE, NOTHING, value_text
from row3.integrations.monitoring.records import moment
from row3.reports.document import Block, Document, Lines, Note, Plot, Table, Title


class Cell(NamedTuple):
    """A JSON value, and its text in a table."""

    value: Any
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a review."""

    key: str
    title: str
    heads: Mapping[str, str | None]
    """Header of each column by its JSON key; None for a column only in JSON."""
    rows: Sequence[Sequence[Any]]
    """Texts, counts and cells in the order of `heads`; None is unknown."""
    empty: str
    """Text if there are no rows."""
    notes: Sequence[str] = ()
    """Sentences below the table."""
    commands: Sequence[str] = ()
    """Commands to run next."""
    chart: Callable[[], bytes] | None = None
    """Draws the rows as SVG."""


class Review(NamedTuple):
    """A review of one period of production."""

    name: str
    from_ms: int
    to_ms: int
    records: int
    sections: Sequence[Section]


def review_document(review: Review, *, charts: str | None = None) -> Document:
    """Return a review as a document; `charts` is the beginning of chart file names, None for no charts."""
    span = " to ".join(moment(each)[:16].replace("T", " ").removesuffix(" 00:00") for each in review[1:3])
    blocks: list[Block] = [Title(f"{review.name.capitalize()} review: {span} UTC", 2)]
    blocks.append(Note([f"{count(review.records, 'record')} of production"]))
    for each in review.sections:
        blocks.append(Title(each.title))
        if each.rows:
            heads = [(place, head) for place, head in enumerate(each.heads.values()) if head is not None]
            rows = [[_text(row[place]) for place, _ in heads] for row in each.rows]
            texts = [all(isinstance(_value(row[place]), str) for row in each.rows) for place, _ in heads]
            blocks.append(Table([head for _, head in heads], rows, "".join("rl"[text] for text in texts)))
        blocks += [*([Lines(each.commands)] if each.commands else []), Note(_notes(each), "quiet")]
        if each.rows and each.chart is not None and charts is not None:
            blocks.append(Plot(each.title, each.chart(), f"{charts}-{each.key}.svg"))
    return Document(blocks)


def review_json(review: Review) -> dict[str, Any]:
    """Return a review as JSON: rows and notes by section; rates are fractions of 1, times RFC 3339."""
    found = {"schemaVersion": 1, "review": review.name, "records": review.records}
    found |= {"from": moment(review.from_ms), "to": moment(review.to_ms)}
    for each in review.sections:
        rows = [dict(zip(each.heads, map(_value, row), strict=True)) for row in each.rows]
        found[each.key] = {"rows": rows, "notes": _notes(each)}
    return found


def number(value: float | None) -> Cell | None:
    """Return a cell for a plain number."""
    return None if value is None else Cell(value, f"{value:,.2f}".replace("-", "−"))


def figure_cell(key: str, value: float | None) -> Cell | None:
    """Return a cell for the value of a figure, with its unit."""
    return None if value is None else Cell(value, value_text(FIGURE[key], value))


def _value(value: Any) -> Any:
    """Return a JSON value, rounded: the last digits of a sum depend on the order in which the database adds."""
    match value:
        case Cell():
            return _value(value.value)
        case list():
            return [_value(each) for each in value]
        case float():
            return float(f"{value:.12g}")
    return value


def _text(value: Any) -> str:
    match value:
        case Cell():
            return value.text
        case int():
            return f"{value:,}"
        case _:
            return shorten(" ".join(value.split()), 48) if value else NOTHING


def _notes(section: Section) -> list[str]:
    return [*([] if section.rows else [section.empty]), *section.notes]
