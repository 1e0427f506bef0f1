from __future__ import annotations

import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.misfits import describe
from row3.kinds.answers import MAX_ANSWER, Parsed, Unusable, read_json
from row3.kinds.events.score import KIND as EVENTS
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.kinds.outputs import MOST_ITEMS
from tests.rows import every_row
from tests.strategies import json_values

FENCED = "code fence removed"
PROSE = "prose around the JSON removed"
THOUGHT = "reasoning block removed"
COMMAS = "trailing commas removed"


def value(text: str) -> object:
    found = read_json(text)
    assert isinstance(found, Parsed), found
    return found.value


def repairs(text: str) -> tuple[str, ...]:
    found = read_json(text)
    assert isinstance(found, Parsed), found
    return found.repairs


def reason(text: str) -> str:
    found = read_json(text)
    assert isinstance(found, Unusable), found
    return found.reason


class TestClean:
    @every_row("text", ['{"a": 1}', ' \n{"a": 1}\r\n', '\ufeff{"a": 1}', '{\n  "a": 1\n}'])
    def test_needs_no_repair(self, text: str) -> None:
        assert read_json(text) == Parsed({"a": 1}, ())

    @every_row("text", ["[1, 2]", '"text"', "12", "true", "null"])
    def test_any_json_value_is_read(self, text: str) -> None:
        assert read_json(text) == Parsed(json.loads(text), ())


class TestRepairs:
    @every_row(
        "text",
        [
            '```json\n{"a": 1}\n```',
            '```\n{"a": 1}\n```',
            '```JSON\r\n{"a": 1}\r\n```',
            '```json  \n{"a": 1}```',
            'Here it is:\n\n```json\n{"a": 1}\n```\nI hope it helps.',
            'Run `x`:\n```python\nprint()\n```\nand\n```json\n{"a": 1}\n```',
        ],
    )
    def test_code_fences(self, text: str) -> None:
        assert read_json(text) == Parsed({"a": 1}, (FENCED,))

    def test_the_first_fence_that_is_json_wins(self) -> None:
        assert value('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```') == {"a": 1}

    def test_a_fence_that_was_never_closed(self) -> None:
        assert read_json('```json\n{"a": [1]}') == Parsed({"a": [1]}, (FENCED,))

    @every_row("inside", ["```", "```python\\nprint()\\n```", "``` and ```json\\n{}\\n```"])
    def test_a_fence_whose_values_contain_a_fence(self, inside: str) -> None:
        wanted = {"code": json.loads(f'"{inside}"'), "b": 1}
        for text in (json.dumps(wanted), f'{{"code": "{inside}", "b": 1,}}'):
            assert value(f"So:\n```json\n{text}\n```\nDone.") == wanted
        assert read_json(f"```\n{json.dumps(wanted)}\n```", repair=False) == Parsed(wanted, (FENCED,))

    @every_row(
        "text",
        [
            'Sure! {"a": 1}', '{"a": 1} is the answer.', 'Sure! {"a": 1} Anything else?',
            'The set {x | x > 1}: {"a": 1}', 'See [1]. {"a": 1}',
        ],
    )  # fmt: skip
    def test_prose_around(self, text: str) -> None:
        assert read_json(text) == Parsed({"a": 1}, (PROSE,))

    def test_a_bare_list_in_prose(self) -> None:
        assert value('The concepts: [{"label": "x"}]') == [{"label": "x"}]
        assert value('The concepts: ["x", "y"] and no more') == ["x", "y"]

    @every_row("tag", ["think", "thinking", "reasoning"])
    def test_a_reasoning_block_in_front(self, tag: str) -> None:
        assert read_json(f'<{tag}>Perhaps {{"a": 0}}?\nNo.</{tag}>\n{{"a": 1}}') == Parsed({"a": 1}, (THOUGHT,))

    def test_several_reasoning_blocks(self) -> None:
        text = '<think>{"a": 0}?</think>\n<think>{"a": 2}!</think>\n{"a": 1}'
        assert read_json(text) == Parsed({"a": 1}, (THOUGHT,))

    def test_a_reasoning_block_and_a_fence(self) -> None:
        assert read_json('<think>hm</think>```json\n{"a": 1}\n```') == Parsed({"a": 1}, (THOUGHT, FENCED))

    def test_reasoning_and_prose(self) -> None:
        assert read_json('<think>{"a": 0}</think> So: {"a": 1}') == Parsed({"a": 1}, (THOUGHT, PROSE))

    @every_row(
        ("text", "wanted"),
        [
            ('{"a": 1,}', {"a": 1}),
            ("[1, 2,]", [1, 2]),
            ('{"a": [1, 2 ,\n],\n}', {"a": [1, 2]}),
        ],
    )
    def test_trailing_commas(self, text: str, wanted: object) -> None:
        assert read_json(text) == Parsed(wanted, (COMMAS,))

    def test_trailing_commas_in_a_fence(self) -> None:
        assert read_json('```json\n{"a": 1,}\n```') == Parsed({"a": 1}, (FENCED, COMMAS))

    def test_trailing_commas_in_prose(self) -> None:
        assert read_json('Sure: {"a": 1,}') == Parsed({"a": 1}, (PROSE, COMMAS))

    @every_row("inside", [",]", ", }", 'a \\",] b', ",\\n]", "\\\\"])
    def test_commas_inside_strings_are_untouched(self, inside: str) -> None:
        wanted = json.loads(f'"{inside}"')
        assert value(f'{{"a": "{inside}", "b": 1,}}') == {"a": wanted, "b": 1}

    def test_a_lone_comma_is_not_repaired(self) -> None:
        assert isinstance(read_json("[1,,2]"), Unusable)


class TestUnusable:
    @every_row("text", ["", " ", "\n\t\r\n"])
    def test_an_empty_answer(self, text: str) -> None:
        assert reason(text) == "empty: the reply has no text"

    @every_row(
        "text",
        ["I cannot help with that.", "{concepts: none}", "<html><body>502</body></html>", "\ufeff", "```json\n```"],
    )
    def test_prose_only(self, text: str) -> None:
        assert reason(text).startswith("the answer is not JSON")

    @every_row(
        ("text", "why"),
        [
            ("I cannot\n help with that.", "it begins “I cannot help with that.”"),
            ("Certainly! " + "x" * 90, f"it begins “Certainly! {'x' * 29}…”"),
            ("7 concepts", "it begins “7 concepts”"),
            ('{"a": [1, 2', 'it breaks off after “{"a": [1, 2”'),
            ('Sure: {"a": 1, "b', 'it breaks off after “{"a": 1, "b”'),
            ('```json\n{"a": 1 "b": 2}\n```', "Expecting ',' delimiter after “{\"a\": 1”"),
            ('{"a": [1, 2], b: 3}', 'Expecting property name enclosed in double quotes after “{"a": [1, 2],”'),
            ('{"a": tru}', 'Expecting value after “{"a":”'),
            ('{"a" 1}', "Expecting ':' delimiter after “{\"a\"”"),
            ('{"a": "b\nc"}', 'Invalid control character after “{"a": "b”'),
            ('{"a": "\\q"}', 'Invalid \\escape after “{"a": "”'),
            ('{"a": "' + "x" * 90, f"it breaks off after “…{'x' * 40}”"),
        ],
    )
    def test_the_reason_is_in_plain_words(self, text: str, why: str) -> None:
        assert reason(text) == f"the answer is not JSON: {why}"

    @every_row(
        "text", ['{"a": NaN}', '{"a": Infinity}', '{"a": [-Infinity]}', '```json\n{"a": NaN}\n```', 'So: {"a": NaN}']
    )
    def test_constants_that_json_lacks(self, text: str) -> None:
        assert reason(text).endswith("is not a JSON number")

    @every_row(
        "text",
        ['{"a": 1', '{"a": "b', '{"a": tru', '{"a":', "{", '{"a', "[1, 2", '```json\n{"a": 1', 'Sure: {"a": 1, "b'],
    )
    def test_a_truncated_answer_is_not_completed(self, text: str) -> None:
        assert reason(text).startswith("the answer is not JSON")

    @every_row("opening", ["[", '{"a":', '[{"a":', "[["])
    def test_nesting_without_end(self, opening: str) -> None:
        assert isinstance(read_json(opening * 50_000), Unusable)
        assert isinstance(read_json(f"So: {opening * 50_000}"), Unusable)

    def test_deep_but_closed_nesting_is_read_or_refused(self) -> None:
        for depth in (10, 100, 100_000):
            assert isinstance(read_json("[" * depth + "]" * depth), Unusable if depth > 1000 else Parsed)

    def test_an_oversized_answer(self) -> None:
        assert "more than 4,000,000" in reason("x" * (MAX_ANSWER + 1))
        for kind, answer in ((EXTRACTION, '{"concepts": []}'), (EVENTS, '{"events": []}')):
            assert isinstance(kind.read_output(answer + " " * 1000), Parsed)
            long = kind.read_output(answer + " " * MAX_ANSWER)
            assert isinstance(long, Unusable)
            assert "more than 4,000,000" in long.reason

    def test_too_many_items_are_refused_in_any_form(self) -> None:
        most, more = [["salt"] * count for count in (MOST_ITEMS, MOST_ITEMS + 1)]
        concepts = [{"label": label} for label in more]
        for flood in ({"concepts": more}, {"concepts": concepts}, json.dumps({"concepts": concepts}), more):
            read = EXTRACTION.read_output(flood)
            assert isinstance(read, Unusable)
            assert read.reason == "the answer lists 5,001 concepts, more than 5,000"
        assert isinstance(EXTRACTION.read_output({"concepts": most}), Parsed)

    def test_an_integer_of_five_thousand_digits(self) -> None:
        assert "a number has too many digits" in reason("9" * 5000)

    def test_large_numbers_that_python_can_read(self) -> None:
        assert value('{"a": 123456789012345678901234567890}') == {"a": 123456789012345678901234567890}


@given(st.text(max_size=200))
@settings(deadline=None)
def test_no_text_raises(text: str) -> None:
    assert isinstance(read_json(text), Parsed | Unusable)


PIECES = st.lists(
    st.sampled_from(
        [
            "{", "}", "[", "]", '"', ",", ":", "\\", "```", "```json\n", "\n", " ", "<think>", "</think>", "NaN",
            "-Infinity", "1e999", "null", '"a"', "1", "'", "//", "\ufeff", "\ud800", "\x00", '{"a":',
            '{"concepts": [', "…",
        ]
    ),
    max_size=30,
)  # fmt: skip


@given(PIECES)
@settings(max_examples=250, deadline=None)
def test_no_broken_json_raises(pieces: list[str]) -> None:
    found = read_json("".join(pieces))
    if isinstance(found, Unusable):
        assert found.reason
    else:
        assert all(isinstance(repair, str) for repair in found.repairs)


@given(json_values())
@settings(deadline=None)
def test_clean_json_is_read_as_json_reads_it(wanted: object) -> None:
    for text in (json.dumps(wanted), json.dumps(wanted, ensure_ascii=False, indent=1)):
        assert read_json(text) == Parsed(wanted, ())


@given(json_values().filter(lambda wanted: isinstance(wanted, dict) and bool(wanted)))
@settings(deadline=None)
def test_an_object_survives_fence_prose_and_reasoning(wanted: object) -> None:
    text = json.dumps(wanted)
    assert value(f"Here you are:\n```json\n{text}\n```\nDone.") == wanted
    assert value(f"Here you are: {text} Done.") == wanted
    assert value(f"<think>hm, {text[:5]}</think>{text}") == wanted


@every_row(
    ("thing", "words"),
    [
        ({}, "an object"),
        ([], "an empty array"),
        ("", "a string"),
        (True, "a boolean"),
        (None, "null"),
        (1, "a number"),
        (1.5, "a number"),
        (math.pi, "a number"),
    ],
)
def test_values_are_described_in_terms_of_json(thing: object, words: str) -> None:
    assert describe(thing) == words
