"""The list of cases: the largest change first, then the worst; the first of them open, the others are rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from row3.domain import numbers
from row3.domain.changes import CaseChange
from row3.domain.metrics import Zone
from row3.domain.words import words_of
from row3.gate.results import Lines, Run
from row3.kinds.base import Kind
from row3.reports.case_changes import flips
from row3.reports.document import Block, Fold, Items, Span, Table, Text, Title, Tone, spans, strong
from row3.reports.html.answers import marks_of, missed, sections
from row3.reports.html.blocks import blocks_html, cut, templates
from row3.reports.html.marks import Piece, folded, key, marked, positions
from row3.reports.sentences import better, zone_span
from row3.reports.style import arrow

MOST_OPEN = 300
"""Cases shown in full. A page of every case of a large suite would be tens of megabytes, which nobody reads."""
SHORT = 80
"""Characters of a text that is a field beside a longer one."""
TONES = {"regressed": "bad", "broke": "bad", "failed": "bad", "improved": "good", "fixed": "good"}
ZONES = {zone.word: spans(zone_span(zone))[0] for zone in Zone}


class Filter(NamedTuple):
    """A choice of cases."""

    name: str
    title: str
    has: Callable[[Mapping[str, Any]], bool]


FILTERS = (
    Filter("all", "All", lambda row: True),
    Filter("regressed", "Regressed", lambda row: row["move"] in ("regressed", "broke")),
    Filter("improved", "Improved", lambda row: row["move"] in ("improved", "fixed")),
    Filter("unchanged", "Unchanged", lambda row: row["move"] == "unchanged"),
    Filter("other", "New or changed", lambda row: row["move"] in ("new", "not comparable")),
    Filter("fail", "Fail zone", lambda row: row["zone"] == "fail"),
    Filter("bad", "Bad answer", lambda row: row["status"] == "bad_answer"),
    Filter("failed", "No answer", lambda row: row["status"] == "failed"),
)


@dataclass(frozen=True, slots=True)
class CaseList:
    """The cases of a run, from lines of `case_pages`."""

    kind: Kind
    rows: Sequence[dict[str, Any]]
    """In the order of the list, each with its `place` among the lines."""
    lines: Lines
    worst: str
    """Id of the case that is open at first."""
    resting: Mapping[str, str]
    """Cases in quarantine, and until when."""

    def filters(self) -> list[tuple[Filter, int]]:
        """Return the filters with how many cases each leaves."""
        counted = [(each, sum(map(each.has, self.rows))) for each in FILTERS]
        return [(each, count) for each, count in counted if count or each.name in ("regressed", "improved")]

    def items(self) -> Iterator[Markup]:
        """Yield each case as HTML, in the order of the list."""
        draw = templates().get_template("case.html").render
        wanted = {row["place"] for i, row in enumerate(self.rows) if i < MOST_OPEN or row["id"] == self.worst}
        bodies = {place: line.partition(b"\t")[2] for place, line in enumerate(self.lines) if place in wanted}
        for row in self.rows:
            body = bodies.pop(row["place"], None)
            yield Markup(draw(self._row(row) | (self.case(row, json.loads(body)) if body else {})))  # noqa: S704

    def _row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        scored, delta = row["status"] == "scored", row["delta"]
        word = row["move"] if scored else words_of(row["status"])
        points = numbers.points(delta) if scored and delta is not None else ""
        told = (word, row["zone"] and f"{row['zone']} zone", points and f"{points} points")
        return {
            "row": row,
            "is": " ".join(each.name for each in FILTERS if each.has(row)),
            "tone_of_row": TONES.get(row["move"], "even") if scored else "bad",
            "edge": ZONES[row["zone"]].tone if row["zone"] else "even",
            "value": "–" if row["value"] is None else numbers.bare(row["value"]),
            "moved": points or word,
            "told": ", ".join(filter(None, told)),
            "open": row["id"] == self.worst,
        }

    def case(self, row: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the template shows of an open case."""
        longest = max((len(text) for _, text in body["texts"]), default=0)
        short = [(words_of(name), text) for name, text in body["texts"] if len(text) < min(SHORT, longest)]
        long = [(words_of(name), cut(text)) for name, text in body["texts"] if len(text) >= min(SHORT, longest)]
        return {
            "body": body,
            "tone_of_move": TONES.get(row["move"], "even"),
            "resting": self.resting.get(row["id"]),
            "moves": blocks_html(self._moves(row, body)),
            "fields": dict(short),
            "texts": [
                (name if len(body["texts"]) > 1 + len(short) else "", _pieces(body, text)) for name, text in long
            ],
            "sections": list(sections(body)),
            "missed": list(missed(body)),
            "stands": _finder([text for _, text in body["texts"]] if body["marked"] else []),
        }

    def _moves(self, row: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[Block]:
        change = CaseChange(row["id"], row["move"], 0.0, gained=body.get("gained", {}), lost=body.get("lost", {}))
        moved: list[Text] = [
            Span(f"{arrow(flip.good)} {flip.text()}", "good" if flip.good else "bad") for flip in flips(change)
        ]
        if body.get("note"):
            moved.append(body["note"])
        if moved:
            yield from (Title("What changed", 6), Items(moved))
        companions = {metric.key for metric in self.kind.metrics if metric.companion}
        if main := [each for each in body["metrics"] if each[0] not in companions]:
            yield self._figures(main)
        if beside := [each for each in body["metrics"] if each[0] in companions]:
            yield Fold("Companions", [self._figures(beside)])

    def _figures(self, figures: Sequence[Sequence[Any]]) -> Table:
        known, rows = {metric.key: metric for metric in self.kind.metrics}, []
        for name, value, delta, zone in figures:
            metric, good = known[name], better(known[name], delta)
            before = "–" if delta is None else numbers.percent(max(0.0, value - delta))
            tone: Tone = "plain" if good is None else "good" if good else "bad"
            moved = "" if delta is None else Span(numbers.points(delta), tone)
            title: Text = strong(metric.title) if name == self.kind.primary else metric.title
            rows.append([title, before, numbers.percent(value), moved, ZONES[zone] if zone else ""])
        return Table(("metric", "before", "now", "points", "zone"), rows, "lrrrl")


def case_list(run: Run, worst: str | None) -> CaseList:
    """Return the list of a run's cases; `worst` is open at first, or the first one."""
    higher = run.suite.kind.primary_metric.higher_is_better
    rows = [json.loads(line.partition(b"\t")[0]) | {"place": place} for place, line in enumerate(run.details)]

    def order(row: Mapping[str, Any]) -> tuple[float, ...]:
        first = (row["status"] == "failed", row["id"] == worst, row["move"] == "broke", True).index(True)
        value = row["value"] or 0.0
        return first, -abs(row["delta"] or 0.0), value if higher else -value

    rows.sort(key=order)
    resting = {entry.case_id: entry.until for entry in run.quarantine.active}
    return CaseList(run.suite.kind, rows, run.details, worst or (rows[0]["id"] if rows else ""), resting)


def _pieces(body: Mapping[str, Any], text: str) -> list[tuple[str, list[Piece]]]:
    """Return a text as marked for this answer and, if there is another, for the baseline's."""
    if not body["marked"]:
        return [("Now", list(marked(text, [], [])))]
    words = folded(text)
    return [
        (name, list(marked(text, *marks_of(body[side], body["aliases"], words))))
        for name, side in (("Now", "now"), ("Baseline", "before"))
        if side == "now" or body[side]
    ]


def _finder(texts: Sequence[str]) -> Callable[[str], str]:
    """Return what gives the key of a name that stands in the texts, and an empty one for another."""
    all_words = "".join(map(folded, map(cut, texts)))
    return lambda name: key(name) if positions(all_words, name) else ""
