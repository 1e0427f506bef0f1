from __future__ import annotations

import base64
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.asks import MOST_NUMBERS, cosine, embedding_digest, pack, unpack
from row3.errors import InvalidFile
from tests.rows import every_row

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False, width=32)
VECTORS = st.lists(NUMBERS, min_size=2, max_size=40).filter(lambda v: max(map(abs, v)) > 1e-3)


def test_a_vector_is_stored_at_length_one_and_half_precision() -> None:
    kept = unpack(pack([3.0, -4.0]))
    assert kept == pytest.approx((0.6, -0.8), abs=1e-3)
    assert len(base64.b64decode(pack([1.0] * 384))) == 768


@given(VECTORS, VECTORS)
def test_the_cosine_of_stored_vectors_is_accurate_and_symmetric(one: list[float], other: list[float]) -> None:
    size = min(len(one), len(other))
    one, other = one[:size], other[:size]
    if not any(one) or not any(other):
        return
    exact = math.fsum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))
    kept = cosine(unpack(pack(one)), unpack(pack(other)))
    assert kept == pytest.approx(min(1.0, max(0.0, exact)), abs=2e-3)
    assert kept == cosine(unpack(pack(other)), unpack(pack(one)))
    assert 0.0 <= kept <= 1.0


@every_row("vector", [[], [0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [1.0] * (MOST_NUMBERS + 1)])
def test_an_invalid_vector_is_not_packed(vector: list[float]) -> None:
    with pytest.raises(ValueError, match="not a vector"):
        pack(vector)


@every_row(
    "text",
    ["", "ä", "AAA", "not base64!", base64.b64encode(b"abc").decode(), base64.b64encode(bytes(8)).decode()]
    + [base64.b64encode(struct.pack("<2e", 1.0, bad)).decode() for bad in (math.nan, math.inf)],
)
def test_an_invalid_packed_vector_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        unpack(text)


def test_vectors_of_different_lengths_have_no_cosine() -> None:
    with pytest.raises(InvalidFile, match="2 and 3 numbers"):
        cosine((1.0, 0.0), (1.0, 0.0, 0.0))


def test_the_digest_covers_only_model_and_text() -> None:
    assert embedding_digest("m", "a b") == embedding_digest("m", "a b")
    assert len({embedding_digest(*pair) for pair in (("m", "ab"), ("ma", "b"), ("m", "a b"), ("n", "ab"))}) == 4
    assert embedding_digest("m", "\ud800")  # half a character, as a model can write it
