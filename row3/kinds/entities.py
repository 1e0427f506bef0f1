"""Kind `entities`: the people and things in a document, each once, with all its mentions (V7, component 2)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from row3.domain.asks import Ask
from row3.domain.matches import CORRECT, ItemMatch, Items, expectation
from row3.domain.models import Model, Text
from row3.domain.scores import Metric, Threshold
from row3.kinds.base import TYPES, EntityNames, Finding, Group, Kind, Lint, Measured, Rules, lint_error, lint_twice
from row3.kinds.cases import DocumentCase, Note
from row3.kinds.demands import Expected
from row3.kinds.outputs import Output, answer_schema, as_text, compare_types, meta, type_of
from row3.kinds.person_types import is_person_type
from row3.matching.names import NameIndex, NameMatch, match_names
from row3.matching.normalise import normalise
from row3.matching.scorers import Named
from row3.matching.text.quotes import SourceText
from row3.metrics.ratios import f1, ratio

ENTITY_TYPES = ("PERSON", "ORG", "PROJECT", "PRODUCT", "PLACE")


class ExpectedEntity(Model):
    """A person or thing in the document, by its name in the whole corpus."""

    name: Text
    type: Text
    """PERSON, ORG, PROJECT, PRODUCT or PLACE, or what the suite defines."""
    role: Text | None = None
    """Only if this document states it."""
    mentions: list[Text] = []
    """How the document names it, word for word."""
    note: Note = None


class EntitiesCase(DocumentCase):
    """A golden case of kind `entities`: one document or several, and the people and things in them."""

    expected_entities: list[ExpectedEntity]
    expected_events: Any = None
    """Used by kind `events`; ignored here."""


class EntityOut(Output):
    """One extracted entity."""

    name: Annotated[str, meta("The fullest name that the document gives.", "label", "entity")]
    type: Annotated[Any, meta("", "entity_type", "entityType", "category")] = None
    role: Annotated[Any, meta("Position or function, where the document says it; else empty.")] = None
    mentions: Annotated[
        list[str], meta("Every name that the document uses for it, copied character by character.", "aliases")
    ] = []

    @classmethod
    def reshape(cls, value: Any) -> Any:
        """Take a single text for a list, and drop mentions that are not text, so that other entities still count."""
        if not isinstance(value, dict):
            return value
        given = {key: value[key] for key in ("mentions", "aliases") if key in value}
        several = {key: part if isinstance(part, list) else [part] for key, part in given.items()}
        return value | {key: [t for t in map(as_text, part) if isinstance(t, str)] for key, part in several.items()}


class EntitiesOut(Output):
    """Answer to a prompt with `output: entities`."""

    entities: list[EntityOut]


def declared(case: DocumentCase, entities: Sequence[ExpectedEntity]) -> dict[str, EntityNames]:
    """Return the documents of a case by id, with their entities; of several documents, those that it mentions."""
    named = {(one.name, *one.mentions): one.type for one in entities}
    if case.document is not None:
        return {case.id: [*named]}
    texts = {name: SourceText(text) for name, text in case.texts().items()}
    return {name: [one for one, type_ in named.items() if occurs(one, type_, text)] for name, text in texts.items()}


def occurs(names: Sequence[str], type_: str, text: SourceText) -> bool:
    """Return whether a text contains a name, also in the possessive: `Certane's`; of a person, in a chat, `ingrids`."""
    # A bare `s` makes other words of short names, and of things: `this`, `news`.
    bare = [name + "s" for name in names if is_person_type(type_) and sum(map(str.isalpha, name)) >= 4]
    return any(map(text.mentions, [*names, *bare]))


def _lint(case: EntitiesCase, rules: Rules) -> Iterator[Finding]:
    """Check that mentions occur in the document, no entity is listed twice, and types are the suite's."""
    text = SourceText(case.text())
    types = ENTITY_TYPES if rules.types is None else rules.types
    names = [entity.name for entity in case.expected_entities]
    yield from lint_twice("entity-twice", names, "expected_entities", "name", key=normalise)
    for place, entity in enumerate(case.expected_entities):
        at = ("expected_entities", place)
        if types and entity.type not in types:
            yield lint_error("unknown-type", f"type `{entity.type}` is not one of {', '.join(types)}", (*at, "type"))
        if not entity.mentions:
            yield lint_error("no-mention", f"`{entity.name}` has no mentions", (*at, "mentions"))
        for number, mention in enumerate(entity.mentions):
            if not occurs([mention], entity.type, text):
                what = f"`{mention}` does not occur in the document"
                yield lint_error("mention-not-there", what, (*at, "mentions", number))


class Entities(Kind):
    """Scores `{"entities": […]}`: entities found, their types, and whether their mentions were merged correctly."""

    name = "entities"
    version = 17
    case_model = EntitiesCase
    outputs: Mapping[str, type[Any]] = {"entities": EntitiesOut}
    metrics = (
        Metric("entity_f1", "Entity F1", threshold=Threshold(0.75, 0.85, 0.95)),
        Metric("entity_precision", "Entity precision", threshold=Threshold(0.0, 0.85, 0.95), companion=True),
        Metric("entity_recall", "Entity recall", threshold=Threshold(0.0, 0.80, 0.95), companion=True),
        Metric("deduplication_accuracy", "Deduplication", threshold=Threshold(0.0, 0.90, 0.98), companion=True),
        Metric("type_accuracy", "Type accuracy", threshold=Threshold(0.0, 0.90, 0.98), companion=True),
        Metric("mention_recall", "Mention recall", companion=True),
    )
    groups = (Group("entities", "Entities", "extracted", "exact alias fuzzy semantic duplicate unmatched"), TYPES)
    lint = Lint(_lint, declares=lambda case: declared(case, case.expected_entities))
    settings = frozenset({"fields", "matching.semantic"})
    in_text = True
    invented = frozenset(("entity_precision", "entity_f1"))

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """Return the JSON schema of an answer, with the suite's types or else `ENTITY_TYPES`."""
        return answer_schema(EntitiesOut, {"type": ENTITY_TYPES if rules.types is None else rules.types})

    def measure(self, case: EntitiesCase, output: EntitiesOut, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Match by name, with mentions as aliases; then compare types and mentions."""
        expected = case.expected_entities
        matches = yield from _match(case, output, rules)
        found = _explained(case, output, matches)
        n = len({match.position for match in matches if match.state in CORRECT})
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
            # Invented entities still count.
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
        """Yield every entity with its type, and each of its mentions."""
        for entity in case.expected_entities:
            yield Expected("entity", entity.name, {"type": entity.type})
            for mention in entity.mentions:
                yield Expected("mention", f"{mention} for {entity.name}")


def _explained(case: EntitiesCase, output: EntitiesOut, matches: Sequence[NameMatch]) -> Items:
    expected, found = case.expected_entities, dict[int, ItemMatch]()
    items = []
    for item, match in zip(output.entities, matches, strict=True):
        notes = {key: text for key, text in (("how", match.how), ("whyNot", match.why_not)) if text}
        if match.state in CORRECT:
            type_ = compare_types(type_of(item.type), expected[match.position].type)
            notes |= {"type": type_.given, "typeState": type_.state}
        name = expected[match.position].name if match.position >= 0 else None
        items.append(ItemMatch(item.name, match.state, name, match.score, notes))
        if match.state in CORRECT:
            found[match.position] = items[-1]
    return Items(
        tuple(items),
        tuple(expectation(e.name, {"type": e.type}, found.get(at)) for at, e in enumerate(expected)),
        CORRECT,
    )


def _match(case: EntitiesCase, output: EntitiesOut, rules: Rules) -> Generator[Ask, Any, list[NameMatch]]:
    """Match by name, and by mentions of one entity only; of several entries for an entity, the fullest one counts."""
    owners = _positions([(entity.name, *entity.mentions) for entity in case.expected_entities])
    named = [Named(e.name, _other_names(e, owners), is_person_type(e.type)) for e in case.expected_entities]
    index = NameIndex(named, (), rules.names, SourceText(case.text()))
    order = sorted(range(len(output.entities)), key=lambda place: _fullness(output.entities[place]))
    names = [output.entities[place].name for place in order]
    matches = match_names(names, index)
    if rules.semantic is not None:
        from row3.kinds.semantic import names_by_meaning

        matches = yield from names_by_meaning(matches, names, named, (), rules.semantic)
    placed = dict(zip(order, matches, strict=True))
    return [placed[place] for place in range(len(order))]


def _other_names(entity: ExpectedEntity, owners: Mapping[str, set[int]]) -> list[str]:
    """Return the mentions of nobody else; a person's short name, not initials, also with the rest: `Tom Wrona`."""
    own = [text for text in entity.mentions if len(owners[normalise(text)]) == 1]
    family = entity.name.partition(" ")[2] if is_person_type(entity.type) else ""
    short = (text for text in own if family and text.isalpha() and len(text) > 2 and not text.isupper())
    full = [f"{text} {family}" for text in short]
    return own + [text for text in full if normalise(text) not in owners]


def _fullness(entity: EntityOut) -> tuple[int, str, str]:
    """Return a sort key that puts the entry with the most mentions first; its other parts only break ties."""
    return -len({normalise(text) for text in entity.mentions}), entity.name, repr((entity.mentions, entity.type))


def _count_mentions(case: EntitiesCase, output: EntitiesOut, matches: Sequence[NameMatch]) -> tuple[int, int, int]:
    """Return the number of expected mentions given under the right entity only, given at all, and expected.

    A mention of two entities (two people called Marta) is right under either. It is wrong under an entity's second
    entry, or under a further entity: the answer did not merge entries, or merged them wrongly.
    """
    entries = _positions([(entity.name, *entity.mentions) for entity in output.entities])
    owners = _positions([entity.mentions for entity in case.expected_entities])
    wanted = [(text, position) for text, positions in owners.items() for position in positions]
    given = [(text, position) for text, position in wanted if text in entries]
    placed = 0
    for text, position in given:
        under = [matches[place] for place in entries[text]]
        right = all(match.state in CORRECT and match.position in owners[text] for match in under)
        placed += right and any(match.position == position for match in under)
    return placed, len(given), len(wanted)


def _positions(names: Iterable[Iterable[str]]) -> dict[str, set[int]]:
    """Return by normalised name the positions of the lists that contain it."""
    found: dict[str, set[int]] = {}
    for position, texts in enumerate(names):
        for text in texts:
            found.setdefault(normalise(text), set()).add(position)
    return found


KIND = Entities()
