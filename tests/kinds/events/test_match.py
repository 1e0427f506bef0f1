"""Which events are found: labelled pairs on the shipped documents, and events said twice or told of one sentence.

`event_pairs.jsonl` was labelled before the rule was written, `event_pairs_second.jsonl` and `event_pairs_unseen.jsonl`
after. Each pair describes an expected event in other words or contradicts it, with the expected category, actor, due
date and evidence.
"""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.asks import SemanticRule, finish, no_vectors
from row3.kinds.answers import Parsed
from row3.kinds.base import Rules
from row3.kinds.events.match import match_events
from row3.kinds.events.model import EventsCase
from row3.kinds.events.score import KIND as EVENTS
from row3.matching.normalise import normalise
from tests.rows import every_row
from tests.scoring import case_of, score_by, toy_angles, toy_vectors

ROOT = Path(__file__).parents[3]
DOCUMENTS = ROOT / "golden" / "memory" / "documents"
KEYS = ("category", "description", "actor", "due_date", "evidence")


def states(case: dict[str, Any], events: list[dict[str, Any]]) -> list[str]:
    read = EVENTS.read_output({"events": events})
    assert isinstance(read, Parsed)
    scored = score_by(EVENTS, case_of(EventsCase, case), read.value, Rules())
    return [match.state for match in scored.explanation.items]


def pairs(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ROOT / "tests" / "data" / f"{name}.jsonl").read_text("utf-8").splitlines()]


def is_found(pair: dict[str, Any]) -> bool:
    case = json.loads((DOCUMENTS / f"{pair['document']}.gold.json").read_text("utf-8"))
    (expected,) = [event for event in case["expected_events"] if event["description"] == pair["expected"]]
    given = {key: expected.get(key) for key in KEYS} | {"description": pair["description"]}
    return states(case, [given]) == ["match"]


@every_row(
    ("name", "found", "wrong"),
    [
        # Missed: a paraphrase that shares one name with what is expected.
        ("event_pairs", 19, 0),
        # Three sets of 8 and 8. At first look 4, 1 and 8 paraphrases and 1, 2 and 3 others were found; each time
        # general causes were fixed. What is left begins with a person whom the case does not know. Three paraphrases
        # that say less than half of what the quote says of the event are the price of missing other acts in it.
        ("event_pairs_second", 18, 1),
        # At first look 5 and 5: other objects and phrases (`hold back`) that no list has.
        ("event_pairs_unseen", 5, 4),
    ],
)
def test_labelled_pairs(name: str, found: int, wrong: int) -> None:
    results = [(pair["same"], is_found(pair)) for pair in pairs(name)]
    assert sum(same and said for same, said in results) >= found
    assert sum(said and not same for same, said in results) <= wrong


def golden() -> list[dict[str, Any]]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(DOCUMENTS.glob("*.gold.json"))]


def is_paired_right(case: EventsCase, place: int, event: dict[str, Any]) -> bool:
    read = EVENTS.read_output({"events": [event]})
    assert isinstance(read, Parsed)
    items, chosen = finish(match_events(case, read.value, Rules()), no_vectors)
    return chosen.get(0) == place and items.items[0].state == "match"


def test_another_event_told_with_the_quote_of_this_one_is_seldom_found() -> None:
    """Every ordered pair of a document's events: one's description with the other's quote, actor and category."""
    found: list[bool] = []
    for case in golden():
        events, whole = case["expected_events"], case_of(EventsCase, case)
        for (place, event), other in product(enumerate(events), events):
            if event is not other:
                told = {key: event.get(key) for key in KEYS} | {"description": other["description"]}
                found.append(is_paired_right(whole, place, told))
    assert len(found) == 1180
    # Most are acts of one subject, such as `Recalibrate bath 2` and `Take bath 2 out of use`.
    assert sum(found) <= 0.055 * len(found)


def test_an_act_of_another_document_that_stands_in_the_quote_is_seldom_found() -> None:
    cases, chance, found = golden(), random.Random(3), []
    acts = [(number, event) for number, case in enumerate(cases) for event in case["expected_events"]]
    for (number, event), (elsewhere, other) in zip(acts * 4, chance.choices(acts, k=4 * len(acts)), strict=True):
        if number != elsewhere and event["description"] != other["description"]:
            quote = f"{event['evidence']} and {other['evidence']}"
            expected = event | {"evidence": quote}
            told = {key: expected.get(key) for key in KEYS} | {"description": other["description"]}
            case = {"document_id": "m1", "document": quote, "expected_events": [expected]}
            people = {"expected_entities": cases[number]["expected_entities"]}
            found.append(is_paired_right(case_of(EventsCase, case | people), 0, told))
    assert len(found) > 900
    assert sum(found) <= 0.025 * len(found)


QUOTE = "Alice decided to launch in April"
ALICE = {"category": "Decision", "actor": "Alice Chen"}


def expecting(quote: str, *descriptions: str) -> dict[str, Any]:
    events = [ALICE | {"description": description, "evidence": quote} for description in descriptions]
    people = [{"name": "Alice Chen", "type": "PERSON", "mentions": ["Alice"]}]
    people += [{"name": "Bob Smith", "type": "PERSON", "mentions": ["Bob"]}]
    return {"document_id": "m1", "document": f"{quote}. Bob was there.", "expected_events": events} | {
        "expected_entities": people
    }


def told(quote: str, *descriptions: str) -> list[dict[str, Any]]:
    return [ALICE | {"description": description, "evidence": quote} for description in descriptions]


@every_row(
    ("description", "state"),
    [
        ("Launch in April", "match"),
        ("Start in April", "match"),
        ("Alice goes for April as the month of the launch", "match"),
        ("Do not launch; cancel the project", "unmatched"),
        ("Launch in May", "unmatched"),
        ("Cancel the launch in April", "unmatched"),
        ("Alice rejects April", "unmatched"),
        ("Bob decided to launch in April", "unmatched"),
        ("Paint the office", "unmatched"),
        ("Something happened", "unmatched"),
        (".", "unmatched"),
    ],
)
def test_a_true_quote_does_not_make_any_event_found(description: str, state: str) -> None:
    assert states(expecting(QUOTE, "Launch in April"), told(QUOTE, description)) == [state]


@every_row(
    ("quote", "expected", "given", "wanted"),
    [
        # Two acts on one sentence.
        ("We hire Dan and close the office", "Hire Dan|Close the office", "Hire Dan|Hire Dan", "match duplicate"),
        ("We hire Dan and close the office", "Hire Dan|Close the office", "Hire Dan|Hire Dan now", "match duplicate"),
        ("We hire Dan and close the office", "Hire Dan|Close the office", "Shut the office|Recruit Dan", "match match"),
        ("We hire Dan", "Hire Dan", "Fire Dan and close the office", "unmatched"),
        ("We hire Dan", "Hire Dan", "Dan is recruited", "match"),
        # Another act of the sentence, also one that shares a word with it.
        ("We hire Dan and open the office in Rome", "Hire Dan", "Open the office in Rome", "unmatched"),
        ("Cancel the audit and book the train to Lyon", "Cancel the audit", "Book the train to Lyon", "unmatched"),
        (
            "We hire Dan and the caterer brings lunch at noon",
            "Hire Dan",
            "The caterer brings lunch at noon",
            "unmatched",
        ),
        ("The roof leaks and the heating is off", "The roof leaks", "The heating is off", "unmatched"),
        ("We hire Dan and Dan moves to Rome", "Hire Dan", "Dan moves to Rome", "unmatched"),
        ("We pay for the paint and sign the lease", "Pay for the paint", "Sign the lease", "unmatched"),
        # One description may be two expected events, each said for itself.
        ("Ann sends the report, Ben sends the notice", "Send the report|Send the notice", "Send the report", "match"),
        (
            "Ann sends the report, Ben sends the notice",
            "Send the report|Send the notice",
            "Send the report|Send the report|Send the report",
            "match duplicate duplicate",
        ),
    ],
)
def test_events_of_one_sentence(quote: str, expected: str, given: str, wanted: str) -> None:
    case = expecting(quote, *expected.split("|"))
    assert states(case, told(quote, *given.split("|"))) == wanted.split()


SAID = ("Launch in April", "Launch in May", "Start in April", "Close the office", "Shut the office", "Hire Dan")


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=5), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_an_event_said_again_finds_nothing_more_in_any_order(given: list[str], chance: random.Random) -> None:
    quote = "Alice decided to launch in April and to close the office"
    case = expecting(quote, "Launch in April", "Close the office")
    before = states(case, told(quote, *given))
    again = chance.sample([*given, given[0], given[-1]], len(given) + 2)
    after = states(case, told(quote, *again))
    assert after.count("match") == before.count("match")
    assert len(after) - after.count("duplicate") >= len(before) - before.count("duplicate")


MEANS = Rules(semantic=SemanticRule("toy"))


def meant(
    case: dict[str, Any], events: list[dict[str, Any]], *groups: list[str], rules: Rules = MEANS
) -> list[tuple[str, str | None]]:
    """The state of each event and what it was matched with or is nearest to; texts of one group are similar."""
    read = EVENTS.read_output({"events": events})
    assert isinstance(read, Parsed)
    vectors = toy_vectors(*(map(normalise, group) for group in groups))
    found = score_by(EVENTS, case_of(EventsCase, case), read.value, rules, vectors)
    return [(match.state, match.expected) for match in found.explanation.items]


def expecting_all(*events: dict[str, Any]) -> dict[str, Any]:
    return expecting("Nothing was quoted", "x") | {"expected_events": [ALICE | event for event in events]}


LAUNCH, LIVE = "Launch the product on April 1st", "The shop goes live on 1 April"


def test_other_words_find_an_event_by_meaning_and_say_so() -> None:
    case, given = expecting_all({"description": LAUNCH}), [ALICE | {"description": LIVE}]
    assert meant(case, given, [LAUNCH, LIVE], rules=Rules())[0][0] == "unmatched"
    read = EVENTS.read_output({"events": given})
    assert isinstance(read, Parsed)
    vectors = toy_vectors([normalise(LAUNCH), normalise(LIVE)])
    found = score_by(EVENTS, case_of(EventsCase, case), read.value, MEANS, vectors)
    (item,), (expected,) = found.explanation.items, found.explanation.expected
    assert (item.state, item.expected, item.notes["how"]) == ("match", LAUNCH, "semantic")
    assert item.score == pytest.approx(0.9)
    assert (expected.found_by, found.metrics["f1"]) == (LIVE, 1.0)


@every_row(
    ("changed", "state"),
    [
        ({"category": "Feedback"}, "wrong-category"),
        ({"actor": "Bob Smith"}, "wrong-actor"),
        ({"category": "Feedback", "actor": "Bob Smith"}, "wrong-both"),
    ],
)
def test_category_and_actor_decide_about_what_the_meaning_proposes(changed: dict[str, str], state: str) -> None:
    case = expecting_all({"description": LAUNCH})
    assert meant(case, [ALICE | {"description": LIVE} | changed], [LAUNCH, LIVE]) == [(state, LAUNCH)]


@every_row(
    ("expected", "given"),
    [
        (LAUNCH, "The shop goes live on 2 April"),
        (LAUNCH, "The shop goes live on 1 May"),
        (LAUNCH, "The shop does not go live on 1 April"),
        (LAUNCH, "Bob puts the shop online"),
        ("Hire Dan", "Dismiss the new colleague"),
        ("Approve the budget", "Reject what finance proposed"),
        ("Buy the depot", "Sell our warehouse"),
        ("Cancel the audit", "Book the train to Lyon"),
        ("Open the northern office", "Start work at the southern branch"),
        ("Install agents everywhere", "Uninstall it on each machine"),
        ("Write to Telvox about it", "Send Norvik a letter"),
        ("Raise prices by 5%", "Things will be 8% more expensive"),
    ],
)
def test_another_act_number_or_name_never_matches_however_similar_its_embedding(expected: str, given: str) -> None:
    states = [state for state, _ in meant(expecting_all({"description": expected}), told("", given), [expected, given])]
    assert states == ["unmatched"]


def test_a_model_to_which_all_is_alike_finds_few_of_the_labelled_contradictions() -> None:
    """Without quotes, so that only the meaning proposes; the quote is still the golden case's."""
    found = 0
    for pair in [pair for name in ("event_pairs", "event_pairs_second") for pair in pairs(name) if not pair["same"]]:
        case = json.loads((DOCUMENTS / f"{pair['document']}.gold.json").read_text("utf-8"))
        (event,) = [event for event in case["expected_events"] if event["description"] == pair["expected"]]
        told = {key: event.get(key) for key in ("category", "actor", "due_date")} | {"description": pair["description"]}
        case["expected_events"] = [event]
        found += meant(case, [told], [event["description"], pair["description"]])[0][0] == "match"
    assert found <= 3


def test_equal_descriptions_go_to_their_actors_in_any_order() -> None:
    case = expecting_all({"description": LAUNCH}, {"description": LAUNCH, "actor": "Bob Smith"})
    given = [ALICE | {"description": LIVE, "actor": name} for name in ("Bob Smith", "Alice Chen")]
    for order in (given, given[::-1]):
        assert [state for state, _ in meant(case, order, [LAUNCH, LIVE])] == ["match", "match"]


@every_row(
    ("given", "states"),
    [
        ([LIVE, LIVE], "match duplicate"),
        ([LIVE, "We go online with the shop"], "match duplicate"),
        ([LAUNCH, LIVE], "match unmatched"),  # as in kind `extraction`, what was found is not found again
    ],
)
def test_an_event_is_found_once_by_meaning(given: list[str], states: str) -> None:
    found = meant(
        expecting_all({"description": LAUNCH}), told("", *given), [LAUNCH, LIVE, "We go online with the shop"]
    )
    assert sorted(state for state, _ in found) == sorted(states.split())


@every_row(("angle", "state"), [(10, "unmatched"), (40, "match")])
def test_what_is_nearer_to_a_found_event_is_no_other_one(angle: float, state: str) -> None:
    other = "Release the second version"
    case = expecting_all({"description": LAUNCH}, {"description": other})
    read = EVENTS.read_output({"events": told("", other, LIVE)})
    assert isinstance(read, Parsed)
    vectors = toy_angles({normalise(LIVE): 0, normalise(LAUNCH): 30, normalise(other): -angle})
    found = score_by(EVENTS, case_of(EventsCase, case), read.value, MEANS, vectors)
    assert [match.state for match in found.explanation.items] == ["match", state]


def test_an_event_of_another_document_is_not_meant() -> None:
    documents = [{"document_id": name, "document": f"Alice Chen wrote {name}."} for name in ("d1", "d2")]
    case = {"case_id": "two", "documents": documents, "expected_events": [ALICE | {"description": LAUNCH} | D2]}
    assert meant(case, [ALICE | {"description": LIVE, "document_id": "d1"}], [LAUNCH, LIVE])[0][0] == "unmatched"
    assert meant(case, [ALICE | {"description": LIVE} | D2], [LAUNCH, LIVE]) == [("match", LAUNCH)]


D2 = {"document_id": "d2"}


@given(st.lists(st.sampled_from((*SAID, LIVE, "Bob was there")), max_size=5))
@settings(max_examples=60, deadline=None)
def test_meaning_changes_nothing_that_words_decide(given: list[str]) -> None:
    case = expecting("Alice decided to launch in April", "Launch in April", "Close the office", LAUNCH)
    without = meant(case, told(QUOTE, *given), rules=Rules())
    everything = [*SAID, LIVE, LAUNCH, "Bob was there"]
    for before, after in zip(without, meant(case, told(QUOTE, *given), everything), strict=True):
        assert before == after or before[0] == "unmatched"
