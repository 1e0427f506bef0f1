"""Kind `events`: what happened, was decided or promised in a document, and by whom (V7, component 1)."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any

from row3.domain.asks import Ask
from row3.domain.matches import Items
from row3.domain.scores import Metric, Threshold
from row3.kinds.base import Finding, Group, Kind, Lint, Measured, Rules, lint_error, lint_warning
from row3.kinds.demands import Expected
from row3.kinds.entities import declared, occurs
from row3.kinds.events.match import NOBODY, match_events
from row3.kinds.events.model import CATEGORIES, TEAM, EventsCase, EventsOut, ExpectedEvent
from row3.matching.normalise import normalise
from row3.matching.text.quotes import SourceText
from row3.metrics.ratios import b_cubed, f1, ratio


def _lint(case: EventsCase, rules: Rules) -> Iterator[Finding]:
    """Check that evidence occurs in its document, categories are known, and actors occur in the case."""
    texts = {name: SourceText(text) for name, text in case.texts().items()}
    whole = SourceText(case.text())
    names = {normalise(e.name): e for e in case.expected_entities}
    for place, event in enumerate(case.expected_events):
        at = ("expected_events", place)
        if event.category not in CATEGORIES:
            what = f"category `{event.category}` is not one of {', '.join(CATEGORIES)}"
            yield lint_error("unknown-category", what, (*at, "category"))
        yield from _lint_evidence(case, event, texts, at)
        if event.actor and normalise(event.actor) != normalise(TEAM):
            known = names.get(normalise(event.actor))
            forms, type_ = (known.mentions, known.type) if known is not None else ([], "PERSON")
            if not occurs([event.actor, *forms], type_, whole):
                what = f"neither `{event.actor}` nor a mention of that entity occurs in the document"
                yield lint_error("actor-not-there", what, (*at, "actor"))


class Events(Kind):
    """Scores `{"events": […]}`: events found, their categories, actors and evidence."""

    name = "events"
    version = 15
    case_model = EventsCase
    outputs: Mapping[str, type[Any]] = {"events": EventsOut}
    metrics = (
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
    groups = (
        Group("events", "Events", "extracted", "match wrong-category wrong-actor wrong-both duplicate unmatched"),
        Group("categories", "Categories", "compared", "exact normalised wrong missing", note="categoryState"),
    )
    lint = Lint(_lint, declares=lambda case: declared(case, case.expected_entities))
    settings = frozenset({"fields", "matching.semantic"})
    in_text = True
    invented = frozenset(("precision", "f1", "evidence_verified"))

    def measure(self, case: EventsCase, output: EventsOut, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Pair the events, then compare category, actor and due date of each pair."""
        found, chosen = yield from match_events(case, output, rules)
        states = [match.state for match in found.items]
        notes = [match.notes for match in found.items]
        pairs = [notes[item] for item in chosen]
        categories = [each["categoryState"] for each in pairs]
        dated = [each["dueDateState"] for each in pairs if "dueDateState" in each]
        matched, duplicates = states.count("match"), states.count("duplicate")
        counts = {
            "precision": (matched, len(states) - duplicates),
            "recall": (matched, len(case.expected_events)),
            "category_accuracy": (len(pairs) - categories.count("wrong") - categories.count("missing"), len(pairs)),
            "actor_accuracy": (sum([each["actorRight"] for each in pairs]), len(pairs)),
            "due_date_accuracy": (dated.count("right"), len(dated)),
            "evidence_verified": (sum([each["evidence"] == "verified" for each in notes]), len(states)),
            "categories_normalised": (categories.count("normalised"), len(pairs)),
            "duplicate_rate": (duplicates, len(states)),
        }
        skipped, empty = _skipped(case, found, paired=bool(pairs), dated=bool(dated))
        values = _linking(case, {place: output.events[item].group for item, place in chosen.items()}, skipped)
        values["f1"] = f1(ratio(*counts["precision"]), ratio(*counts["recall"]))
        return Measured(found, counts, values, skipped, empty)

    def expected(self, case: EventsCase) -> Iterator[Expected]:
        """Yield every event with its facts, and all names of actors as one demand."""
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


def _lint_evidence(
    case: EventsCase, event: ExpectedEvent, texts: Mapping[str, SourceText], at: tuple[str | int, ...]
) -> Iterator[Finding]:
    document = (event.document_id or "") if case.documents else case.id
    if document not in texts:
        what = f"`{document}` is not one of the case's documents"
        if not document:
            what = "the event does not say which of the case's documents reports it"
        yield lint_error("unknown-document", what, (*at, "document_id"))
    elif event.evidence is None:
        yield lint_warning("no-evidence", f"`{event.description}` has no evidence", at)
    elif not texts[document].contains_quote(event.evidence):
        yield lint_error("evidence-not-there", "the evidence does not occur in the document", (*at, "evidence"))


def _skipped(case: EventsCase, found: Items, *, paired: bool, dated: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Return why metrics do not apply, because of the case and because of the answer."""
    skipped: dict[str, str] = {}
    empty: dict[str, str] = {}
    if not found.items:
        empty = dict.fromkeys(("evidence_verified", "duplicate_rate"), "no event was extracted")
    if not case.expected_events:
        # Invented events still count.
        kept = {"evidence_verified", "duplicate_rate"} | ({"precision", "f1"} if found.items else set())
        skipped = {m.key: "the document has no events" for m in Events.metrics if not m.optional and m.key not in kept}
    elif not paired:
        keys = ["category_accuracy", "actor_accuracy", "categories_normalised"]
        keys += ["due_date_accuracy"] if any(event.due_date for event in case.expected_events) else []
        empty |= dict.fromkeys(keys, "no event was found")
    if not dated and "due_date_accuracy" not in empty:
        expected = any(event.due_date for event in case.expected_events)
        why = "no event with a due date was found" if expected else "no due date is expected or given"
        skipped.setdefault("due_date_accuracy", why)
    return skipped, empty


def _linking(case: EventsCase, groups: Mapping[int, Any], skipped: dict[str, str]) -> dict[str, float]:
    """Return B-cubed of the answer's groups over the expected events of several documents."""
    keys = ("linking_f1", "linking_precision", "linking_recall")
    if not case.documents or not case.expected_events:
        skipped |= dict.fromkeys(keys, "the case expects no events" if case.documents else "the case has one document")
        return {}
    truth = {str(place): event.same_as or ("alone", place) for place, event in enumerate(case.expected_events)}
    given = {str(place): group for place, value in groups.items() if (group := _group(value))}
    precision, recall = b_cubed(given, truth)
    return dict(zip(keys, (f1(precision, recall), precision, recall), strict=True))


def _group(given: Any) -> str:
    """Return the word or number of a group; empty for a placeholder, which would link unrelated events."""
    number = isinstance(given, int) and not isinstance(given, bool)
    group = " ".join(str(given if number else given or "").split())
    return "" if normalise(group) in NOBODY else group


KIND = Events()
