"""JSON that is the same value and shows nothing that cannot be seen."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.printable import visible_json

TEXTS = st.text(st.characters()) | st.text(st.sampled_from("a::##[]\n\x85\x9b\u202e\u2066\U000e0041\ud800"))


@given(st.recursive(TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)))
def test_any_value_is_the_same_and_nothing_in_it_acts_on_a_terminal(value: object) -> None:
    text = b"".join(visible_json(json.dumps(value, ensure_ascii=False, indent=1))).decode()
    assert json.loads(text) == value
    assert "##[" not in text
    joiners = {"\u200c", "\u200d"}
    odd = {c for c in text if unicodedata.category(c) in ("Cc", "Cs") or unicodedata.bidirectional(c) in BIDI}
    assert odd - joiners <= {"\n"}


BIDI = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}


def test_pieces_are_read_one_by_one() -> None:
    assert b"".join(visible_json([b'["\xe2\x80\xae', b'"]'])) == b'["\\u202e"]'
