"""Kind `entities`: who and what a document speaks of, each once, with all its mentions (V7, component 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from row3.domain.items import ItemExpectation, ItemMatch, Items
from row3.domain.metrics import Metric, Threshold
from row3.domain.scores import CaseScore, Tally
from row3.kinds.base import Finding, Reference, Rules
from row3.kinds.demands import Expected
from row3.kinds.empty_answers import NO_ENTITY_FOUND, NO_MENTION_FOUND
from row3.kinds.entities.match import FOUND, count_mentions, match_entities
from row3.kinds.entities.model import ENTITY_TYPES, EntitiesCase, EntitiesOut, declared
from row3.kinds.lists import ListKind
from row3.kinds.outputs import answer_schema
from row3.kinds.swapped_names import Named, swapped
from row3.kinds.types import compare_types, type_of
from row3.matching.normalise import normalise
from row3.matching.texts.quotes import SourceText
from row3.metrics.ratios import f1, ratio

METRICS = (
    Metric("entity_f1", "Entity F1", threshold=Threshold(0.75, 0.85, 0.95)),
    Metric("entity_precision", "Entity precision", threshold=Threshold(0.0, 0.85, 0.95), companion=True),
    Metric("entity_recall", "Entity recall", threshold=Threshold(0.0, 0.80, 0.95), companion=True),
    Metric("deduplication_accuracy", "Deduplication", threshold=Threshold(0.0, 0.90, 0.98), companion=True),
    Metric("type_accuracy", "Type accuracy", threshold=Threshold(0.0, 0.90, 0.98), companion=True),
    Metric("mention_recall", "Mention recall", companion=True),
)


class Entities(ListKind):
    """Scores `{"entities": […]}`: which were found, of which type, and whether mentions were merged correctly."""

    name = "entities"
    version = 8
    items = "entities"
    case_model: type[Any] = EntitiesCase
    case_schema = "entities-case"
    outputs: Mapping[str, type[Any]] = {"entities": EntitiesOut}
    metrics: Sequence[Metric] = METRICS
    primary = "entity_f1"
    invented = frozenset(("entity_precision", "entity_f1"))

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """JSON schema of an answer; the types are those of the suite, or V7's and two more."""
        return answer_schema(EntitiesOut, {"type": ENTITY_TYPES if rules.types is None else rules.types})

    def variables(self, case: EntitiesCase) -> dict[str, Any]:
        """`document_id`, `title`, `date`, `document` of one; `documents` of one or several; never the expectations."""
        return case.variables()

    def nothing(self) -> EntitiesOut:
        """No entities."""
        return EntitiesOut([])

    def judge(self, case: EntitiesCase, output: EntitiesOut, rules: Rules) -> tuple[Items, CaseScore]:
        """Match by name, mentions as aliases; then compare types, and lay the mentions side by side."""
        expected = case.expected_entities
        matches = match_entities(case, output, rules)
        found = {match.position: place for place, match in enumerate(matches) if match.state in FOUND}
        types = [
            compare_types(type_of(item.type), expected[match.position].type) if match.state in FOUND else None
            for item, match in zip(output.entities, matches, strict=True)
        ]
        placed, given, wanted = count_mentions(case, output, matches)
        duplicates = sum([match.state == "duplicate" for match in matches])
        right = sum([each is not None and each.state in ("exact", "normalised") for each in types])
        counts = {
            "entity_precision": (len(found), len(matches)),
            "entity_recall": (len(found), len(expected)),
            "type_accuracy": (right, len(found)),
            "deduplication_accuracy": (placed, given),
            "mention_recall": (given, wanted),
        }
        metrics = {key: ratio(*pair) for key, pair in counts.items()}
        metrics["entity_f1"] = f1(metrics["entity_precision"], metrics["entity_recall"])
        skipped = _skipped(case, found=len(found), given=given, wanted=wanted, extracted=len(matches))
        items = tuple(
            ItemMatch(
                item.name,
                match.state,
                expected[match.position].name if match.position >= 0 and expected else None,
                match.score,
                {
                    **({"how": match.how} if match.how else {}),
                    **({"whyNot": match.why_not} if match.why_not else {}),
                    **({} if type_ is None else {"type": type_.given, "typeState": type_.state}),
                },
            )
            for item, match, type_ in zip(output.entities, matches, types, strict=True)
        )
        missed = tuple(
            ItemExpectation(
                entity.name,
                output.entities[found[place]].name if place in found else None,
                None,
                matches[found[place]].score if place in found else 0.0,
                {"type": entity.type},
            )
            for place, entity in enumerate(expected)
        )
        score = CaseScore(
            case.id, "scored", {key: metrics[key] for key in metrics if key not in skipped}, skipped, counts
        )
        return Items(items, missed, FOUND), _noted(score, duplicates)

    def _tally(self, items: Items) -> Tally:
        groups = dict(super()._tally(items))
        states = Counter([match.notes["typeState"] for match in items.items if "typeState" in match.notes])
        if states:
            groups["types"] = dict(states)
        return groups

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """What was missed, invented or typed wrongly."""
        lists = super().shortfall(score)
        found: Items | None = score.explanation
        if found is not None:
            wrong = tuple(m.label for m in found.items if m.notes.get("typeState") in ("wrong", "missing"))
            lists |= {"wrongTypes": wrong} if wrong else {}
        return lists

    def expectations(self, case: EntitiesCase) -> list[str]:
        """Every entity, with its type and each mention."""
        lines = [f"entity {normalise(entity.name)} {entity.type}" for entity in case.expected_entities]
        return [
            *lines,
            *(f"mention {normalise(e.name)} {normalise(text)}" for e in case.expected_entities for text in e.mentions),
        ]

    def expected(self, case: EntitiesCase) -> Iterator[Expected]:
        """Every entity with its type, and each mention."""
        for entity in case.expected_entities:
            yield Expected("entity", entity.name, {"type": entity.type})
            for mention in entity.mentions:
                yield Expected("mention", f"{mention} for {entity.name}")

    def swaps_a_name(self, before: EntitiesCase, after: EntitiesCase) -> bool:
        """Whether an entity or a mention is another that only normalises alike."""
        return swapped(_names(before), _names(after), before.text())

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
                if mention not in whole and not text.mentions(mention):
                    what = f"`{mention}` does not occur in the document"
                    found.append(Finding("error", "mention-not-there", what, (*at, "mentions", number)))
        return found


def _names(case: EntitiesCase) -> Iterator[Named]:
    for entity in case.expected_entities:
        key = normalise(entity.name)
        yield f"entity {key} {entity.type}", entity.name
        yield from ((f"mention {key} {normalise(text)}", text) for text in entity.mentions)


def _skipped(case: EntitiesCase, *, found: int, given: int, wanted: int, extracted: int) -> dict[str, str]:
    if not case.expected_entities:
        # What is invented where there is nothing to find counts all the same.
        kept = ("entity_precision", "entity_f1") if extracted else ()
        return dict.fromkeys([m.key for m in METRICS if m.key not in kept], "the document has no entities")
    skipped: dict[str, str] = {}
    if not found:
        skipped["type_accuracy"] = NO_ENTITY_FOUND
    if not wanted:
        skipped |= dict.fromkeys(("deduplication_accuracy", "mention_recall"), "the case lists no mentions")
    elif not given:
        skipped["deduplication_accuracy"] = NO_MENTION_FOUND
    return skipped


def _noted(score: CaseScore, duplicates: int) -> CaseScore:
    if not duplicates:
        return score
    return replace(score, notes=(f"{duplicates} entities named twice" if duplicates > 1 else "1 entity named twice",))


KIND = Entities()
