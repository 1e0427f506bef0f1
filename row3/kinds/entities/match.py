"""Kind `entities`: which expected entity an extracted one is, and whether mentions were merged correctly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from row3.kinds.base import Rules
from row3.kinds.entities.model import EntitiesCase, EntitiesOut, EntityOut
from row3.matching.names import Named, NameIndex, NameMatch, match_names
from row3.matching.normalise import normalise
from row3.matching.texts.quotes import SourceText

FOUND = frozenset({"exact", "alias", "fuzzy"})


def match_entities(case: EntitiesCase, output: EntitiesOut, rules: Rules) -> list[NameMatch]:
    """By name; a mention that belongs to one entity alone names it too.

    Of several entries for one entity that with the most mentions is the one, wherever it stands in the answer.
    """
    owners = Counter(
        [key for e in case.expected_entities for key in {normalise(text) for text in (e.name, *e.mentions)}]
    )
    named = [
        Named(
            entity.name,
            [text for text in entity.mentions if owners[normalise(text)] == 1],
            entity.type == "PERSON",
        )
        for entity in case.expected_entities
    ]
    index = NameIndex(named, (), rules.names, SourceText(case.text()))
    order = sorted(range(len(output.entities)), key=lambda place: _fullness(output.entities[place]))
    matches = dict(zip(order, match_names([output.entities[place].name for place in order], index), strict=True))
    return [matches[place] for place in range(len(order))]


def _fullness(entity: EntityOut) -> tuple[int, str, str]:
    """Sorts the entry with the most mentions first; the rest only settles ties."""
    return -len({normalise(text) for text in entity.mentions}), entity.name, repr((entity.mentions, entity.type))


def count_mentions(case: EntitiesCase, output: EntitiesOut, matches: Sequence[NameMatch]) -> tuple[int, int, int]:
    """Expected mentions that the answer has under the right entity alone, that it has at all, and all of them.

    A mention of two entities (two people called Marta) is right under either. One that stands under an entity's
    second entry, or under another entity too, is not: entries were not merged, or were merged wrongly.
    """
    holders: dict[str, set[int]] = {}
    for place, entity in enumerate(output.entities):
        for text in {normalise(text) for text in (*entity.mentions, entity.name)}:
            holders.setdefault(text, set()).add(place)
    owners: dict[str, set[int]] = {}
    for position, expected in enumerate(case.expected_entities):
        for text in {normalise(text) for text in expected.mentions}:
            owners.setdefault(text, set()).add(position)
    placed = given = wanted = 0
    for position, expected in enumerate(case.expected_entities):
        for text in {normalise(text) for text in expected.mentions}:
            wanted += 1
            places = holders.get(text)
            if not places:
                continue
            given += 1
            allowed = owners[text] | {position}
            under = [matches[place] for place in places]
            right = all(match.state in FOUND and match.position in allowed for match in under)
            placed += right and any(match.position == position for match in under)
    return placed, given, wanted
