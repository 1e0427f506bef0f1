"""The answers of a case, of whatever kind: lists of items, each with what it matched, beside those of the baseline."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from row3.domain.words import words_of
from row3.matching.lexicon.lists import words
from row3.reports.html.marks import Mark, key, positions

GOOD = words("""
    exact alias fuzzy semantic inverse inverse-fuzzy match normalised verified right relevant connected passed won
""")
SOFT = words("duplicate missing unverified reversed not-judged tie")
HARD = words("canary forbidden unmatched missed wrong wrong-both not-relevant not-connected failed lost bad_answer")
NAMES = ("label", "name", "title", "description", "text", "id", "document_id", "documentId", "document")
"""Fields that name an item, the best first."""
QUOTES = ("evidence", "sourceQuote", "source_quote", "quote", "mention", "mentions")
TOLD = words("triple source predicate target state expected score nearest foundBy required grounded")
"""Fields that are shown in words of their own."""
EITHER = ("judgeSaysFullWins", "flipped")
"""Fields of which "true" does not say that all is well."""
NEAR = {"unmatched": "nearest", "canary": "canary", "forbidden": "forbidden"}
"""States in which `expected` is no match."""
Side = Mapping[str, Any] | None
"""An answer and the matches of its items."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of an answer, or something that was expected of it."""

    name: str
    match: Mapping[str, Any]
    wanted: str = ""
    """The name of what it was compared with."""
    quotes: Sequence[str] = ()
    fields: Mapping[str, Any] | None = None
    """What else is known of it, by name in words."""
    triple: bool = False
    """Whether it is a relationship, which stands nowhere in a text."""

    @property
    def state(self) -> str:
        """How it matched; empty if that is unknown."""
        return str(self.match.get("state") or "")

    @property
    def relation(self) -> str:
        """What the name that it was compared with is to it."""
        return NEAR.get(self.state) or ("counts as" if self.state in GOOD else "expected")

    @property
    def likeness(self) -> float:
        """How alike the names are, a fraction; 0 if they are the same or nothing alike."""
        score = self.match.get("score") or 0
        return score if 0 < score < 1 else 0.0


@dataclass(frozen=True, slots=True)
class Beside:
    """A row of two answers; `css` says whether the items differ, or that each stands alone."""

    css: str
    before: Item | None
    now: Item | None

    @property
    def rank(self) -> Any:
        """The place in a ranked answer."""
        one = self.now or self.before
        return one and one.match.get("rank")

    def tone(self, one: Item | None) -> str:
        """Return what it says that an item stands alone: what only the baseline has right is lost."""
        found = tone(one.state) if one else "even"
        return found if one is self.now else {"good": "bad", "bad": "good"}.get(found, found)


def tone(state: str) -> str:
    """Return what a state says of an item: `good`, `bad`, `warning` or `even`."""
    if state in GOOD:
        return "good"
    return "bad" if state in HARD else "warning" if state in SOFT or state.startswith("wrong-") else "even"


def text_of(value: Any) -> str:
    """Return a JSON value in words."""
    if isinstance(value, list):
        return ", ".join(map(text_of, value))
    if isinstance(value, dict):
        return ", ".join(f"{words_of(name)}: {text_of(each)}" for name, each in value.items())
    return value if isinstance(value, str) else json.dumps(value).removesuffix(".0")


def lists_of(side: Side) -> dict[str, list[Item]]:
    """Return the lists of an answer by name; a list's matches are in its order."""
    answer, matches = (side or {}).get("answer"), (side or {}).get("matches") or {}
    asked = {_name(one): one for found in expected_of(side).values() for one in found}
    lists = {}
    for title, items in answer.items() if isinstance(answer, dict) else ():
        if isinstance(items, list):
            found = matches.get(title) or matches.get("items") or []
            lists[title] = [_item(one, found[i] if i < len(found) else {}, asked) for i, one in enumerate(items)]
    return lists


def expected_of(side: Side) -> dict[str, list[dict[str, Any]]]:
    """Return the lists of what was expected, by name."""
    matches = (side or {}).get("matches") or {}
    return {title: found for title, found in matches.items() if any("foundBy" in one for one in found)}


def sections(body: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Beside]]]:
    """Yield title, counts and rows of each list of a case's answers; lists that are empty on both sides are left out.

    Differences come first; a ranked answer keeps its order.
    """
    now, before = lists_of(body["now"]), lists_of(body["before"])
    filled = {title: items for title, items in now.items() if items or before.get(title)}
    for title, items in (filled or now).items():
        if title not in before:
            yield words_of(title), str(len(items)), [Beside("now", None, one) for one in items]
            continue
        gone, added, both = _paired(before[title], items)
        changed = [pair for pair in both if _differ(*pair)]
        same = [pair for pair in both if not _differ(*pair)]
        ranked = all(one.match.get("rank") for one in [*before[title], *items])
        alone = (
            [*((one, None) for one in gone), *((None, one) for one in added)] if ranked else zip_longest(gone, added)
        )
        rows = [Beside("alone", *pair) for pair in alone]
        rows += [Beside("changed", *pair) for pair in changed] + [Beside("same", *pair) for pair in same]
        counts: dict[str, Sequence[object]] = {"gone": gone, "new": added, "changed": changed, "the same": same}
        told = " · ".join(f"{len(found)} {word}" for word, found in counts.items() if found)
        yield words_of(title), told or "none", sorted(rows, key=lambda row: row.rank) if ranked else rows


def missed(body: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[Item, bool]]]]:
    """Yield title and items of each list of what was missed, each with whether the baseline found it."""
    known = {
        _name(one) for found in expected_of(body["before"]).values() for one in found if one["foundBy"] is not None
    }
    for title, found in expected_of(body["now"]).items():
        lost = [one for one in found if one.get("foundBy", "") is None]
        if lost:
            items = [
                Item(_name(one), one, fields=_fields({}, one, _name(one)), triple=bool(_triple(one))) for one in lost
            ]
            words = f"{words_of(title).replace('expected', 'missed')}: {len(lost)} of {len(found)}"
            yield words, [(item, item.name in known) for item in items]


def marks_of(side: Side, aliases: Mapping[str, Sequence[str]], text: str) -> tuple[list[Mark], list[str]]:
    """Return the names to mark in a folded text, and the quotes.

    An item whose name is not in the text is marked by its quotes.
    """
    marks: list[Mark] = []
    quotes: list[str] = []
    for one in (one for items in lists_of(side).values() for one in items if not one.triple):
        css = "canary" if one.state == "canary" else "invented" if tone(one.state) == "bad" else "matched"
        names = [one.name] if positions(text, one.name) else one.quotes
        marks += [Mark(names, css, words_of(one.state or "in the answer"))] if names else []
        quotes += one.quotes
    for each in (each for found in expected_of(side).values() for each in found if not _triple(each)):
        css = "missed" if each.get("foundBy", "") is None else "matched"
        marks.append(Mark([_name(each), *aliases.get(_name(each), ())], css, f"expected and {css}"))
    return marks, quotes


def _item(item: Any, match: Mapping[str, Any], asked: Mapping[str, Any]) -> Item:
    name = _name(item)
    match = match if match and key(_name(match)) == key(name) else {}
    wanted = match.get("expected") or ""
    wanted = " ".join(map(text_of, wanted)) if isinstance(wanted, list) else text_of(wanted)
    own = item if isinstance(item, dict) else {}
    quotes = [text for field in QUOTES for text in _texts(own.get(field))]
    fields = _fields(own, match, name)
    if match.get("state") not in NEAR:
        others = _fields({}, asked.get(wanted, {}), wanted)
        fields |= {
            f"expected {field}": v for field, v in others.items() if text_of(fields.get(field, "")) != text_of(v)
        }
    return Item(name, match, wanted, quotes, fields, bool(_triple(item)))


def _fields(item: Mapping[str, Any], match: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the fields that say more of an item: not its names and quotes, nor what only says that all is well."""
    said = list(map(json.dumps, match.values()))
    told = {field: v for field, v in item.items() if field not in QUOTES and json.dumps(v) not in said}
    spoken = bool(match.get("issues") or match.get("strengths"))  # a judge's reason is these in a line
    return {
        words_of(field): value
        for field, value in (told | dict(match)).items()
        if field not in TOLD
        and not (spoken and field == "reason")
        and value not in (None, name, "", [])
        and (value is not True or field in EITHER)
        and not (isinstance(value, str) and value in GOOD)
    }


def _triple(item: Any) -> list[str]:
    """Return source, predicate and target of a relationship; nothing for another item."""
    if not isinstance(item, dict):
        return []
    own = [item.get("source"), item.get("predicate"), item.get("target")] if item.get("predicate") else []
    return list(map(text_of, item.get("triple") or own))


def _name(item: Any) -> str:
    if not isinstance(item, dict):
        return text_of(item)
    if triple := _triple(item):
        return " ".join(triple)
    named = (item[field] for field in NAMES if isinstance(item.get(field), str) and item[field])
    return next(named, None) or json.dumps(item, ensure_ascii=False)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in _texts(each)]


def _differ(before: Item, now: Item) -> bool:
    return tone(before.state) != tone(now.state) or [before.quotes, before.fields] != [now.quotes, now.fields]


def _paired(before: Sequence[Item], now: Sequence[Item]) -> tuple[list[Item], list[Item], list[tuple[Item, Item]]]:
    """Pair items of two lists by name, then by what they matched; return the rest of each list and the pairs."""
    gone, added, both = list(before), list(now), []
    for by in (_by_name, _by_match):
        rest = []
        for one in added:
            other = next((each for each in gone if by(one) is not None and by(each) == by(one)), None)
            if other is None:
                rest.append(one)
            else:
                gone.remove(other)
                both.append((other, one))
        added = rest
    return gone, added, both


def _by_name(one: Item) -> str:
    return key(one.name)


def _by_match(one: Item) -> str | None:
    return key(one.wanted) if one.state in GOOD else None
