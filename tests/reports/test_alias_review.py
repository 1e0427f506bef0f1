from __future__ import annotations

import json
from dataclasses import replace

from row3.domain.printable import cells
from row3.gate.alias_review import AliasReview, Candidate, Decision, Unmatched
from row3.matching.text.places import SearchableText
from row3.reports import alias_review
from row3.reports.alias_review import list_document, list_json
from row3.reports.terminal import Style, terminal_text
from tests.rows import every_row
from tests.terminal import COLOURS

TEXT = "The «old» method (see below) is slow. A cold  final\nproofing (retarding) makes the crumb open. The end."
ITEM = Unmatched(
    case_id="rye",
    file="golden/bread/rye.gold.json",
    label="final proofing (retarding)",
    count=3,
    answers=4,
    prompts={"extract": ("v1.0", "v1.1")},
    candidates=(
        Candidate(3, "proofing", 0.9, 3, same_sentence=True),
        Candidate(1, "crumb structure", 0.6, 2, same_sentence=False),
        Candidate(0, "Endgärung 発酵", 0.8, 0, same_sentence=False),
    ),
    stands="item",
    place=SearchableText(TEXT).find(["final proofing (retarding)"]),
    quote="",
)
REVIEW = AliasReview("bread", (ITEM,), cases=1, answers=4, unanswered=("oat",))
PLAIN = Style(False)


def item_screen(item: Unmatched, number: int, total: int, style: Style) -> str:
    return terminal_text(alias_review.item_document(item, number, total), style)


def summary(review: AliasReview, decisions: list[Decision], left: int, style: Style) -> str:
    return terminal_text(alias_review.summary_document(review, decisions, left), style)


def test_the_screen_says_what_where_and_which_keys() -> None:
    assert item_screen(ITEM, 3, 17, PLAIN).split("\n") == [
        "── 3 of 17 · rye " + "─" * 63,
        "final proofing (retarding)",
        "in 3 of 4 answers: extract v1.0, v1.1",
        "",
        "In the text, paragraph 1, line 1:",
        "  A cold »final proofing (retarding)« makes the crumb open.",
        "",
        "another name of     alike",
        "────────────────────────────────────────────────",
        "1  proofing          0.90  missed, same sentence",
        "2  crumb structure   0.60  missed in 2 of 3",
        "3  Endgärung 発酵    0.80  found as well",
        "",
        "a alias of 1 · 2-3 alias of that · m wrong, a real miss · h hallucination",
        "s skip · u undo · q quit",
        "",
    ]


ODD = ("long label of a concept " * 5, "漢字" * 50, "x" * 120, "短い 名前 " * 20, "é\u0301" * 90)


@every_row("label", ODD)
@every_row("colour", [False, True])
def test_nothing_is_wider_than_the_screen_whatever_the_names_are(label: str, colour: bool) -> None:
    style = Style(colour)
    beside = Candidate(0, label, 1.0, 123, same_sentence=True)
    one = replace(
        ITEM,
        case_id=label,
        label=label,
        count=456,
        prompts={label: ("v1.0", "v12.34")},
        candidates=(beside, beside._replace(missed=0), beside._replace(label="short")),
        place=SearchableText(f"{label} is {label}. The end.").find([label]),
    )
    review = replace(REVIEW, items=(one,))
    made = [
        Decision("alias", one, label, label, "golden/bread/rye.gold.json"),
        Decision("canary", one, label, "", "golden/bread/rye.gold.json"),
        *[Decision("wrong", one, label, "", "golden/bread/reviewed.jsonl")] * 1_000,
    ]
    texts = [
        item_screen(one, 1_234, 5_678, style),
        item_screen(replace(one, place=None, quote=label), 1, 2, style),
        summary(review, made, 12_345, style),
        terminal_text(list_document(replace(review, items=(replace(one, case_id="rye"),))), style),
    ]
    lines = [COLOURS.sub("", line) for text in texts for line in text.split("\n")]
    assert [line for line in lines if cells(line) > 80] == []


def test_a_long_label_leaves_room_for_how_it_fared() -> None:
    one = replace(ITEM, candidates=(Candidate(0, "label " * 20, 0.9, 2, same_sentence=True),))
    line = next(line for line in item_screen(one, 1, 1, PLAIN).split("\n") if line.startswith("1  "))
    assert line.endswith("…   0.90  missed in 2 of 3, same sentence")
    assert 70 < cells(line) <= 80


def test_signs_of_the_text_itself_are_not_taken_for_marks() -> None:
    one = replace(ITEM, place=SearchableText(TEXT).find(["method"]))
    assert "  The «old» »method« (see below) is slow." in item_screen(one, 1, 1, PLAIN)


def test_words_that_go_over_a_line_stay_marked() -> None:
    sentence = f"{'word ' * 14}cold proofing of rye dough is slow."
    one = replace(ITEM, place=SearchableText(sentence).find(["cold proofing of rye dough"]))
    screen = item_screen(one, 1, 1, Style(True))
    assert "\x1b[1m»cold\x1b[0m\n  \x1b[1mproofing of rye dough«\x1b[0m" in screen
    assert "»cold\n  proofing of rye dough« is slow." in COLOURS.sub("", screen)


def test_of_a_very_long_sentence_the_part_around_the_words_is_shown() -> None:
    sentence = "word " * 500 + "proofing " + "word " * 500
    screen = item_screen(replace(ITEM, place=SearchableText(sentence).find(["proofing"])), 1, 1, PLAIN)
    assert "»proofing«" in screen
    assert len(screen.split("\n")) < 24


@every_row("quote", ["", "A quote that was made up. " * 30])
def test_what_is_nowhere_in_the_text(quote: str) -> None:
    screen = item_screen(replace(ITEM, place=None, stands="nowhere", quote=quote, candidates=()), 1, 1, PLAIN)
    assert "Not in the text" in screen
    assert ("A quote" in screen) == bool(quote)
    assert "a alias" not in screen


def test_the_summary_tells_by_file_what_was_written() -> None:
    decisions = [
        Decision("alias", ITEM, "final proofing", "proofing", ITEM.file),
        Decision("wrong", ITEM, "oat", "", "golden/bread/reviewed.jsonl"),
    ]
    assert summary(REVIEW, decisions, 1, PLAIN) == (
        "1 alias, 1 real miss; 1 left, in 4 recorded answers of 1 case.\n"
        "  golden/bread/reviewed.jsonl\n"
        "    + rye: real miss `oat`\n"
        "  golden/bread/rye.gold.json\n"
        "    + alias `final proofing` of `proofing`\n"
        "\n"
        "Next: row3 lint, then row3 --compare; commit the golden cases together.\n"
    )


def test_the_summary_of_nothing() -> None:
    assert summary(replace(REVIEW, items=()), [], 0, PLAIN).startswith("Nothing to review:")
    assert summary(REVIEW, [], 1, PLAIN) == "Nothing decided; 1 left, in 4 recorded answers of 1 case.\n"


def test_the_list_has_a_table_for_each_case() -> None:
    other = replace(ITEM, case_id="oat", file="golden/bread/oat.gold.json", candidates=())
    assert terminal_text(list_document(replace(REVIEW, items=(ITEM, other))), PLAIN).split("\n")[1:4:2] == [
        "item                        answers  nearest expected  alike  in text",
        "final proofing (retarding)   3 of 4  proofing           0.90  yes",
    ]
    assert terminal_text(list_document(replace(REVIEW, items=())), PLAIN).startswith("Nothing to review:")


def test_json_has_all_of_it() -> None:
    value = json.loads(json.dumps(list_json(REVIEW)))
    assert value["schemaVersion"] == 1
    assert value["unanswered"] == ["oat"]
    (item,) = value["unmatched"]
    assert item["prompts"] == ["extract-v1.0", "extract-v1.1"]
    assert item["candidates"][0] == {"label": "proofing", "score": 0.9, "missed": 3, "sameSentence": True}
    assert item["place"] == {
        "paragraph": 1,
        "line": 1,
        "sentence": "A cold  final\nproofing (retarding) makes the crumb open.",
    }
