"""Kind `events`: what happened, was decided or promised in a document, and by whom (V7, component 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from row3.domain.metrics import Metric, Threshold
from row3.kinds.base import Expected, Finding, Reference, Rules
from row3.kinds.entities import declared
from row3.kinds.events.match import CORRECT, NOBODY, EventMatch, explained, match_events
from row3.kinds.events.model import CATEGORIES, TEAM, EventsCase, EventsOut
from row3.kinds.lists import NO_EVENT_EXTRACTED, NO_EVENT_FOUND, JudgedItems, ListKind
from row3.matching.normalise import normalise
from row3.matching.texts.quotes import SourceText
from row3.metrics.linking import b_cubed
from row3.metrics.ratios import f1, ratio

METRICS = (
    Metric("f1", "Event F1", threshold=Threshold(0.70, 0.80, 0.90)),
    Metric("precision", "Event precision", threshold=Threshold(0.0, 0.80, 0.90), companion=True),
    Metric("recall", "Event recall", threshold=Threshold(0.0, 0.75, 0.90), companion=True),
    Metric("category_accuracy", "Category accuracy", threshold=Threshold(0.0, 0.85, 0.95), companion=True),
    Metric("actor_accuracy", "Actor accuracy", threshold=Threshold(0.0, 0.80, 0.95), companion=True),
    Metric("due_date_accuracy", "Due date accuracy", companion=True),
    Metric("evidence_verified", "Evidence verified", companion=True),
    Metric("categories_normalised", "Categories normalised", higher_is_better=False, companion=True),
    Metric("duplicate_rate", "Duplicate rate", higher_is_better=False, companion=True),
    Metric("linking_f1", "Linking F1 (B-cubed)", companion=True, optional=True),
    Metric("linking_precision", "Linking precision", companion=True, optional=True),
    Metric("linking_recall", "Linking recall", companion=True, optional=True),
)


class Events(ListKind):
    """Scores `{"events": […]}`: found, of the right category, with the right actor, with evidence."""

    name = "events"
    version = 8
    items = "events"
    tallied = ("categories", "categoryState")
    case_model = EventsCase
    case_schema = "events-case"
    outputs: Mapping[str, type[Any]] = {"events": EventsOut}
    metrics = METRICS
    primary = "f1"
    invented = frozenset(("precision", "f1", "evidence_verified"))

    def variables(self, case: EventsCase) -> dict[str, Any]:
        """`document_id`, `title`, `date`, `document` of one; `documents` of one or several; never the expectations."""
        return case.variables()

    def judge(self, case: EventsCase, output: EventsOut, rules: Rules) -> JudgedItems:
        """Align events, then look at category, actor and date of each pair."""
        matches = match_events(case, output, rules)
        pairs = [match for match in matches if match.paired]
        duplicates = sum([match.state == "duplicate" for match in matches])
        found = sum([match.state in CORRECT for match in matches])
        dated = [match.due_date for match in pairs if match.due_date]
        counts = {
            "precision": (found, len(matches) - duplicates),
            "recall": (found, len(case.expected_events)),
            "category_accuracy": (sum([m.category in ("exact", "normalised") for m in pairs]), len(pairs)),
            "actor_accuracy": (sum([m.actor for m in pairs]), len(pairs)),
            "due_date_accuracy": (dated.count("right"), len(dated)),
            "evidence_verified": (sum([m.evidence == "verified" for m in matches]), len(matches)),
            "categories_normalised": (sum([m.category == "normalised" for m in pairs]), len(pairs)),
            "duplicate_rate": (duplicates, len(matches)),
        }
        skipped = _skipped(case, matches, dated)
        values = _linking(case, output, matches, skipped)
        values["f1"] = f1(ratio(*counts["precision"]), ratio(*counts["recall"]))
        return JudgedItems(explained(case, output, matches), counts, skipped, values)

    def expected(self, case: EventsCase) -> Iterator[Expected]:
        """Every event with what is asked about it; all names of actors are one demand."""
        for event in case.expected_events:
            facts = {
                "category": event.category,
                "actor": event.actor or "nobody",
                "due": event.due,
                "group": event.same_as if case.documents else None,
                "evidence": [event.evidence or "", event.document_id or ""],
            }
            yield Expected("event", event.description, facts)
        if case.expected_entities:
            names = [name for one in case.expected_entities for name in (one.name, *one.mentions)]
            yield Expected("actors", "names", {"alias": names})

    def declares(self, case: EventsCase) -> list[Reference]:
        """The documents, and the entities with all their names."""
        return declared(case, case.expected_entities)

    def lint(self, case: EventsCase, rules: Rules) -> list[Finding]:
        """Evidence occurs in its document, categories are known, actors stand in the document."""
        found: list[Finding] = []
        texts = {name: SourceText(text) for name, text in case.texts().items()}
        whole = SourceText(case.text())
        names = {normalise(e.name): e for e in case.expected_entities}
        for place, event in enumerate(case.expected_events):
            at = ("expected_events", place)
            if event.category not in CATEGORIES:
                what = f"category `{event.category}` is none of {', '.join(CATEGORIES)}"
                found.append(Finding("error", "unknown-category", what, (*at, "category")))
            found += _lint_evidence(case, event, texts, at)
            if event.actor and normalise(event.actor) != normalise(TEAM):
                known = names.get(normalise(event.actor))
                forms = [event.actor, *(known.mentions if known is not None else ())]
                if not any(_named(whole, form) for form in forms):
                    what = f"`{event.actor}` does not occur in the document, nor does a mention of the entity"
                    found.append(Finding("error", "actor-not-there", what, (*at, "actor")))
        return found


def _lint_evidence(
    case: EventsCase, event: Any, texts: dict[str, SourceText], at: tuple[str | int, ...]
) -> list[Finding]:
    if case.documents and event.document_id not in texts:
        what = f"`{event.document_id}` is none of the case's documents"
        if event.document_id is None:
            what = "the event does not say which of the case's documents tells it"
        return [Finding("error", "unknown-document", what, (*at, "document_id"))]
    if event.evidence is None:
        return [Finding("warning", "no-evidence", f"`{event.description}` has no evidence", at)]
    text = texts[event.document_id] if case.documents else next(iter(texts.values()))
    if not text.contains_quote(event.evidence):
        return [
            Finding("error", "evidence-not-there", "the evidence does not occur in the document", (*at, "evidence"))
        ]
    return []


def _named(text: SourceText, name: str) -> bool:
    """The name stands in the text, perhaps as whose something is: `Certane's`, in a chat `ingrids`."""
    return any(text.mentions(name + ending) for ending in ("", "'s", "s", "'"))


def _skipped(case: EventsCase, matches: Sequence[EventMatch], dated: Sequence[str]) -> dict[str, str]:
    skipped: dict[str, str] = {}
    if not case.expected_events:
        # What is invented where nothing happened counts all the same.
        kept = ("precision", "f1", "evidence_verified", "duplicate_rate") if matches else ()
        keys = [m.key for m in METRICS if not m.optional and m.key not in kept]
        skipped = dict.fromkeys(keys, "the document has no events")
    elif not any(match.paired for match in matches):
        skipped = dict.fromkeys(("category_accuracy", "actor_accuracy", "categories_normalised"), NO_EVENT_FOUND)
        if any(event.due_date for event in case.expected_events):
            skipped["due_date_accuracy"] = NO_EVENT_FOUND
    if not dated:
        skipped.setdefault("due_date_accuracy", "no due date is expected or given")
    if not matches:
        skipped |= dict.fromkeys(("evidence_verified", "duplicate_rate"), NO_EVENT_EXTRACTED)
    return skipped


def _linking(
    case: EventsCase, output: EventsOut, matches: Sequence[EventMatch], skipped: dict[str, str]
) -> dict[str, float]:
    """B-cubed over the expected events of several documents."""
    if not case.documents:
        skipped |= dict.fromkeys(("linking_f1", "linking_precision", "linking_recall"), "the case is one document")
        return {}
    truth = {str(place): event.same_as or ("alone", place) for place, event in enumerate(case.expected_events)}
    given = {
        str(match.position): group
        for match, event in zip(matches, output.events, strict=True)
        if match.paired and (group := _group(event.group))
    }
    found = b_cubed(given, truth)
    if not found.items:
        skipped |= dict.fromkeys(("linking_f1", "linking_precision", "linking_recall"), "there are no events")
        return {}
    precision, recall = found.precision / found.items, found.recall / found.items
    return {"linking_f1": f1(precision, recall), "linking_precision": precision, "linking_recall": recall}


def _group(given: Any) -> str:
    """The word or number of a group. One that says there is none is no group: else all such events were one."""
    number = isinstance(given, int) and not isinstance(given, bool)
    group = " ".join(str(given if number else given or "").split())
    return "" if normalise(group) in NOBODY else group


KIND = Events()
