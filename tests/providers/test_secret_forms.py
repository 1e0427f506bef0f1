from __future__ import annotations

import base64
import json
import re
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.providers.redaction import redact
from row3.providers.secret_forms import SHORT, forms_of, holds

KEY = 'Zoë/+ key"7\\9'
secrets = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=SHORT, max_size=80)
around = st.text(st.characters(codec="utf-8"), max_size=20)


@pytest.mark.parametrize(
    "told",
    [
        KEY,
        json.dumps({"said": KEY}),
        json.dumps({"said": KEY}, ensure_ascii=False),
        json.dumps({"said": json.dumps(KEY)}),
        json.dumps(KEY).replace("/", "\\/"),
        f"https://example.org/?{urlencode({'k': KEY})}",
        f"https://example.org/{quote(KEY)}",
        re.sub("%..", lambda found: found[0].lower(), quote(KEY, safe="")),
        base64.b64encode(KEY.encode()).decode(),
        base64.urlsafe_b64encode(f"user:{KEY}".encode()).decode().rstrip("="),
    ],
)
def test_a_key_is_found_however_it_is_written(told: str) -> None:
    assert holds(f"before {told} after", [KEY])
    assert "[hidden]" in redact(f"before {told} after", [KEY])


@given(around, secrets, around)
def test_base64_of_anything_around_it(before: str, secret: str, after: str) -> None:
    whole = f"{before}{secret}{after}".encode()
    assert holds(base64.b64encode(whole).decode(), [secret])
    assert holds(base64.urlsafe_b64encode(whole).decode(), [secret])
    assert holds(base64.encodebytes(whole).decode(), [secret])
    assert holds(json.dumps(base64.encodebytes(whole).decode()), [secret])


@given(around, secrets, around)
def test_a_string_of_json_and_a_part_of_a_url(before: str, secret: str, after: str) -> None:
    whole = f"{before}{secret}{after}"
    assert holds(json.dumps(whole), [secret])
    assert holds(json.dumps([json.dumps(whole, ensure_ascii=False)], ensure_ascii=False), [secret])
    assert holds(quote(whole, safe=""), [secret])
    assert holds(quote_plus(whole), [secret])


@given(st.text(max_size=SHORT - 1))
def test_a_short_value_is_looked_for_as_it_is(secret: str) -> None:
    assert forms_of(secret) == ((secret,) if secret else ())


def test_what_is_no_secret_is_let_through() -> None:
    assert not holds("The key to rye is salt: UnllIGlzIGEgY2VyZWFs", ["given-value-1"])
    assert not holds("anything", [])


def test_bytes_that_are_no_utf_8_do_no_harm() -> None:
    assert holds("x \udcff-secret-value y", ["\udcff-secret-value"])
