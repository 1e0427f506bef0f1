from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.providers.wordpiece import WordPiece

PIECES = ["[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "cafe", "c", "+", "東", "heart", "##s", "-", "σ", "##σ"]
NUMBERS = {piece: number for number, piece in enumerate(PIECES)}


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("unaffable", ["un", "##aff", "##able"]),
        ("Heart-hearts", ["heart", "-", "heart", "##s"]),
        (" café\tCAFÉ\n", ["cafe", "cafe"]),
        ("C++", ["c", "+", "+"]),
        ("東東", ["東", "東"]),
        ("ΣΣ", ["σ", "##σ"]),
        ("heart\u200b\x0bs", ["heart", "##s"]),
        ("heartx", ["[UNK]"]),
        ("h" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_the_longest_pieces(text: str, pieces: list[str]) -> None:
    numbers = WordPiece(NUMBERS, limit=16)(text)
    assert [PIECES[number] for number in numbers] == ["[CLS]", *pieces, "[SEP]"]


def test_a_long_text_is_cut_off() -> None:
    assert len(WordPiece(NUMBERS, limit=16)("heart " * 100)) == 16


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    numbers = WordPiece(NUMBERS, limit=16)(text)
    assert (numbers[0], numbers[-1]) == (1, 2)
    assert 2 <= len(numbers) <= 16
