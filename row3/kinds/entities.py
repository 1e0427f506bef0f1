"""Kind `entities`: who and what a document speaks of, each once, with all its mentions (V7, component 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta, field

from row3.domain.asks import Ask
from row3.domain.matches import ItemMatch, Items, expectation
from row3.domain.metrics import Metric, Threshold
from row3.kinds.base import Expected, Finding, Kind, Measured, Reference, Rules
from row3.kinds.cases import DocumentCase, Labelled, Note, Text
from row3.kinds.outputs import Output, answer_schema, compare_types, meta, type_of
from row3.kinds.person_types import is_person_type
from row3.matching.names import Named, NameIndex, NameMatch, match_names
from row3.matching.normalise import normalise
from row3.matching.text.quotes import SourceText
from row3.metrics.ratios import f1, ratio

ENTITY_TYPES = ("PERSON", "ORG", "PROJECT", "PRODUCT", "PLACE")


class ExpectedEntity(Labelled, frozen=True):
    """Who or what a careful reader finds, by the name that the whole corpus knows."""

    name: Text
    type: Annotated[Text, Meta(description="PERSON, ORG, PROJECT, PRODUCT or PLACE, or what the suite defines.")]
    role: Annotated[Text | None, Meta(description="Only where this document says it.")] = None
    mentions: Annotated[list[Text], Meta(description="How the document names it, word for word.")] = field(
        default_factory=list
    )
    note: Note = None


class EntitiesCase(DocumentCase, frozen=True, kw_only=True):
    """A golden case of kind `entities`: a document, or several, and who and what it speaks of."""

    expected_entities: list[ExpectedEntity]
    expected_events: Annotated[Any, Meta(description="Of kind `events`; not looked at here.")] = None


class EntityOut(Output, frozen=True):
    """One extracted entity."""

    name: Annotated[str, meta("The fullest name that the document gives.", "label", "entity")]
    type: Annotated[Any, meta("", "entity_type", "entityType", "category")] = None
    role: Annotated[Any, meta("Position or function, where the document says it; else empty.")] = None
    mentions: Annotated[
        list[str], meta("Every name that the document uses for it, copied character by character.", "aliases")
    ] = field(default_factory=list)

    @classmethod
    def usual(cls, value: Any) -> Any:
        """One text is a list of one; what is no text is no mention. Neither spoils the other entities."""
        if not isinstance(value, dict):
            return value
        given = {key: value[key] for key in ("mentions", "aliases") if key in value}
        several = {key: part if isinstance(part, list) else [part] for key, part in given.items()}
        return value | {key: [text for text in part if isinstance(text, str)] for key, part in several.items()}


class EntitiesOut(Output, frozen=True):
    """Answer of a prompt with `output: entities`."""

    entities: list[EntityOut]


def declared(case: DocumentCase, entities: Sequence[ExpectedEntity]) -> list[Reference]:
    """Return what a case brings into the corpus: its documents, and its entities by name and mention."""
    documents = [Reference("document", name) for name in case.texts()]
    return documents + [Reference("entity", text) for one in entities for text in (one.name, *one.mentions)]


FOUND = frozenset({"exact", "alias", "fuzzy"})


class Entities(Kind):
    """Scores `{"entities": […]}`: which were found, of which type, and whether mentions were merged correctly."""

    name = "entities"
    version = 14
    tallied = ("types", "typeState")
    case_model = EntitiesCase
    case_schema = "entities-case"
    outputs: Mapping[str, type[Any]] = {"entities": EntitiesOut}
    metrics = (
        Metric("entity_f1", "Entity F1", threshold=Threshold(0.75, 0.85, 0.95)),
        Metric("entity_precision", "Entity precision", threshold=Threshold(0.0, 0.85, 0.95), companion=True),
        Metric("entity_recall", "Entity recall", threshold=Threshold(0.0, 0.80, 0.95), companion=True),
        Metric("deduplication_accuracy", "Deduplication", threshold=Threshold(0.0, 0.90, 0.98), companion=True),
        Metric("type_accuracy", "Type accuracy", threshold=Threshold(0.0, 0.90, 0.98), companion=True),
        Metric("mention_recall", "Mention recall", companion=True),
    )
    primary = "entity_f1"
    invented = frozenset(("entity_precision", "entity_f1"))

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """Return the JSON schema of an answer; the types are those of the suite, or V7's and two more."""
        return answer_schema(EntitiesOut, {"type": ENTITY_TYPES if rules.types is None else rules.types})

    def measure(self, case: EntitiesCase, output: EntitiesOut, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Match by name, mentions as aliases; then compare types and mentions."""
        yield from ()
        expected = case.expected_entities
        matches = _match(case, output, rules)
        found = _explained(case, output, matches)
        n = len({match.position for match in matches if match.state in FOUND})
        types = [match.notes["typeState"] for match in found.items if "typeState" in match.notes]
        placed, given, wanted = _count_mentions(case, output, matches)
        counts = {
            "entity_precision": (n, len(matches)),
            "entity_recall": (n, len(expected)),
            "type_accuracy": (types.count("exact") + types.count("normalised"), n),
            "deduplication_accuracy": (placed, given),
            "mention_recall": (given, wanted),
        }
        values = {"entity_f1": f1(ratio(*counts["entity_precision"]), ratio(*counts["entity_recall"]))}
        skipped: dict[str, str] = {}
        empty: dict[str, str] = {}
        if not expected:
            # What is invented where there is nothing to find counts all the same.
            kept = ("entity_precision", "entity_f1") if matches else ()
            reason = "the document has no entities"
            skipped = dict.fromkeys([metric.key for metric in self.metrics if metric.key not in kept], reason)
        elif not wanted:
            skipped = dict.fromkeys(("deduplication_accuracy", "mention_recall"), "the case lists no mentions")
        if not n:
            empty["type_accuracy"] = "no entity was found"
        if not given:
            empty["deduplication_accuracy"] = "no mention was found"
        return Measured(found, counts, values, skipped, empty)

    def expected(self, case: EntitiesCase) -> Iterator[Expected]:
        """Every entity with its type, and each mention."""
        for entity in case.expected_entities:
            yield Expected("entity", entity.name, {"type": entity.type})
            for mention in entity.mentions:
                yield Expected("mention", f"{mention} for {entity.name}")

    def declares(self, case: EntitiesCase) -> list[Reference]:
        """The documents, and the entities with all their names."""
        return declared(case, case.expected_entities)

    def lint(self, case: EntitiesCase, rules: Rules) -> list[Finding]:
        """Mentions occur in the document, no entity stands twice, types are those of the suite."""
        found: list[Finding] = []
        whole = case.text()
        text = SourceText(whole)
        types = ENTITY_TYPES if rules.types is None else rules.types
        seen: dict[str, int] = {}
        for place, entity in enumerate(case.expected_entities):
            at = ("expected_entities", place)
            key = normalise(entity.name)
            if key in seen:
                found.append(Finding("error", "entity-twice", f"`{entity.name}` stands twice", (*at, "name")))
            seen[key] = place
            if types and entity.type not in types:
                what = f"type `{entity.type}` is none of {', '.join(types)}"
                found.append(Finding("error", "unknown-type", what, (*at, "type")))
            if not entity.mentions:
                found.append(Finding("error", "no-mention", f"`{entity.name}` has no mention", (*at, "mentions")))
            for number, mention in enumerate(entity.mentions):
                if not text.mentions(mention):
                    what = f"`{mention}` does not occur in the document"
                    found.append(Finding("error", "mention-not-there", what, (*at, "mentions", number)))
        return found


def _explained(case: EntitiesCase, output: EntitiesOut, matches: Sequence[NameMatch]) -> Items:
    expected, found = case.expected_entities, dict[int, ItemMatch]()
    items = []
    for item, match in zip(output.entities, matches, strict=True):
        notes = {key: text for key, text in (("how", match.how), ("whyNot", match.why_not)) if text}
        if match.state in FOUND:
            type_ = compare_types(type_of(item.type), expected[match.position].type)
            notes |= {"type": type_.given, "typeState": type_.state}
        name = expected[match.position].name if match.position >= 0 and expected else None
        items.append(ItemMatch(item.name, match.state, name, match.score, notes))
        if match.state in FOUND:
            found[match.position] = items[-1]
    return Items(
        tuple(items),
        tuple(expectation(e.name, {"type": e.type}, found.get(at)) for at, e in enumerate(expected)),
        FOUND,
    )


def _match(case: EntitiesCase, output: EntitiesOut, rules: Rules) -> list[NameMatch]:
    """Match by name, and by mentions of one entity alone; of several entries for one that with the most mentions."""
    owners = Counter(
        [key for e in case.expected_entities for key in {normalise(text) for text in (e.name, *e.mentions)}]
    )
    named = [
        Named(
            entity.name, [text for text in entity.mentions if owners[normalise(text)] == 1], is_person_type(entity.type)
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


def _count_mentions(case: EntitiesCase, output: EntitiesOut, matches: Sequence[NameMatch]) -> tuple[int, int, int]:
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


KIND = Entities()
