"""Answers that the repair rules once mishandled."""

from __future__ import annotations

from row3.kinds.answers import Parsed, Unusable, read_json
from row3.kinds.extraction.score import KIND as X
from tests.rows import every_row

TWO = (
    '{"concepts": [{"label": "a"}, {"label": "b"},], '
    '"relationships": [{"source": "a", "predicate": "IS_A", "target": "b"}]}'
)


@every_row("text", [TWO, f"```json\n{TWO}\n```", f"Sure: {TWO}"])
def test_trailing_comma_with_two_concepts(text):
    got = X.outputs["extraction"].read(text)
    assert isinstance(got, Parsed)
    assert len(got.value.concepts) == 2
    assert len(got.value.relationships) == 1


def test_trailing_comma_at_the_end():
    got = X.outputs["extraction"].read(TWO.replace(",]", "]")[:-1] + ",}")
    assert isinstance(got, Parsed)
    assert len(got.value.concepts) == 2
    assert len(got.value.relationships) == 1


WHOLE = TWO.replace(",]", "]")


@every_row("cut", range(1, len(WHOLE)))
@every_row("lead", ["", "Sure: ", "```json\n"])
def test_every_truncation_is_unusable(cut, lead):
    assert isinstance(X.outputs["extraction"].read(lead + WHOLE[:cut]), Unusable)


def test_nan_fast_path_and_fence_agree():
    text = '{"concepts": [{"label": "a", "confidence": NaN}]}'
    assert isinstance(X.outputs["concepts"].read(text), Unusable)
    assert isinstance(X.outputs["concepts"].read(f"```\n{text}\n```"), Unusable)


def test_nan_in_prose():
    assert isinstance(read_json('NaN is not used. {"a": 1}'), Parsed)


def test_brackets_in_prose():
    assert read_json('I write [] for none. {"concepts": ["a"]}').value == {"concepts": ["a"]}


def test_a_long_unterminated_string_is_read_in_linear_time():
    assert isinstance(read_json('{"a": ["' + '\\"' * 200_000), Unusable)


def test_prose_that_closes_a_reasoning_block_is_not_an_answer():
    assert read_json('I think so.</think>{"concepts": []}').value == {"concepts": []}
