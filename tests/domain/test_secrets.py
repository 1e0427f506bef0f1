"""Secrets are found and hidden in every form, and nothing else is."""

from __future__ import annotations

import base64
import json
import string
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.secrets import HIDDEN, MOST_EDITED, NO_SECRETS, SHORTEST, Guard, holds_key

KEY = "sk-proj-Ab3_9/x+Q"
# Keys contain no backslash or per cent sign, which could begin an escape.
printable = string.ascii_letters + string.digits + "".join(sorted(set(string.punctuation) - set("\\%")))
keys = st.text(printable, min_size=SHORTEST, max_size=60).filter(lambda key: HIDDEN not in key and key not in HIDDEN)
around = st.text(st.characters(codec="utf-8"), max_size=30)
gaps = st.sampled_from(
    ["\n", "\r\n", " ", "\t", "\u200b", "\ufeff", "\u00ad", "\u2028", "\u2060", "\\n", "\\\n", "\\u200b"]
)

WRITTEN: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64, shifted by one": lambda key: base64.b64encode(f"x{key}yz".encode()).decode(),
    "base64, shifted by two": lambda key: base64.b64encode(f"xy{key}z".encode()).decode(),
    "base64, lines of 76": lambda key: base64.encodebytes(f"some words before {key * 3}".encode()).decode(),
    "base64 for addresses": lambda key: base64.urlsafe_b64encode(f"Bearer {key}".encode()).decode().rstrip("="),
    "hexadecimal": lambda key: key.encode().hex(),
    "hexadecimal, capitals": lambda key: key.encode().hex(" ").upper(),
    "escapes": lambda key: "".join(f"\\u{ord(each):04x}" for each in key),
    "escapes in escapes": lambda key: "".join(f"\\\\u{ord(each):04X}" for each in key),
    "every second one escaped": lambda key: "".join(
        f"\\u{ord(each):04x}" if at % 2 and key[at - 1] != "\\" else each for at, each in enumerate(key)
    ),
    "bytes": lambda key: "".join(f"\\x{ord(each):02x}" for each in key),
    "percent": lambda key: quote(key, safe=""),
    "percent, all": lambda key: "".join(f"%{ord(each):02x}" for each in key),
    "percent, twice": lambda key: quote(quote_plus(key), safe=""),
    "a JSON text": lambda key: json.dumps({"said": key}),
    "a JSON text in another": lambda key: json.dumps([json.dumps(key)]),
    "a JSON text of PHP": lambda key: json.dumps(key).replace("/", "\\/"),
}


def leaks(text: str, key: str) -> bool:
    """Return whether the key can be read from a text in any one of these ways."""
    return any(written(key).strip("=\n") in text for written in WRITTEN.values())


@pytest.mark.parametrize("form", WRITTEN)
@given(key=keys, before=around, after=around)
def test_a_key_is_hidden_in_every_form(form: str, key: str, before: str, after: str) -> None:
    guard, text = Guard({"THE_KEY": key}), f"{before} {WRITTEN[form](key)} {after}"
    assert guard.found(text) == "THE_KEY"
    hidden = guard.clean(text)
    assert HIDDEN in hidden
    assert not guard.found(hidden)
    assert not leaks(hidden, key)


@given(key=st.text(string.ascii_letters + string.digits + "-_", min_size=SHORTEST, max_size=40), data=st.data())
def test_a_key_is_hidden_however_it_is_wrapped(key: str, data: st.DataObject) -> None:
    between = data.draw(st.lists(st.one_of(st.just(""), gaps), min_size=len(key), max_size=len(key)))
    written = "".join(each + gap for each, gap in zip(key, between, strict=True))
    guard = Guard({"THE_KEY": key})
    assert guard.found(f"before: {written}; after")
    hidden = guard.clean(f"before: {written}; after")
    assert hidden.startswith(f"before: {HIDDEN}")
    assert hidden.endswith("; after")
    assert not guard.found(json.dumps(hidden))


@given(key=keys, text=st.text(max_size=300))
def test_a_text_without_a_key_is_unchanged(key: str, text: str) -> None:
    guard = Guard({"THE_KEY": key})
    assert guard.clean(text) == text or guard.found(text)
    assert not guard.found(guard.clean(text))
    assert NO_SECRETS.clean(text + key) == text + key


def test_without_keys_a_value_is_not_even_copied() -> None:
    value = {"concepts": [{"label": "rye"}]}
    assert NO_SECRETS.clean_value(value) is value


def test_only_the_key_is_hidden() -> None:
    told = json.dumps({"concepts": [{"label": f"yeast {KEY}"}, {"label": "rye\nbread"}]})
    assert Guard({"K": KEY}).clean(told) == told.replace(KEY, HIDDEN)
    assert Guard({"K": KEY}).clean(f"a {KEY} b {KEY}, {KEY}{KEY}") == f"a {HIDDEN} b {HIDDEN}, {HIDDEN}{HIDDEN}"


def test_the_longer_of_two_keys_is_hidden_whole_and_each_is_named() -> None:
    guard = Guard({"ONE": "plain-word", "TWO": "plain-word-2"})
    assert guard.clean("a plain-word and plain-word-2") == f"a {HIDDEN} and {HIDDEN}"
    assert Guard({"ONE": "other-word", "TWO": KEY}).found(f"x{KEY}x") == "TWO"


def test_a_short_value_is_not_a_secret() -> None:
    guard = Guard({"K": "x" * (SHORTEST - 1), "EMPTY": ""})
    assert not guard
    assert guard.clean("x" * 20) == "x" * 20


def test_a_key_of_non_ascii_letters() -> None:
    key = 'Zoë/+key"7-9'
    guard = Guard({"K": key})
    for told in (json.dumps(key), json.dumps(key, ensure_ascii=False), quote(key), quote_plus(key)):
        assert guard.found(f"before {told} after"), told
    assert Guard({"K": "\udcff-secret-value"}).found("x \udcff-secret-value y")


def test_a_huge_text_is_hidden_as_a_whole_and_fast() -> None:
    guard, began = Guard({"K": KEY}), time.process_time()
    assert guard.clean("%41\\u0041 " * MOST_EDITED + KEY) == HIDDEN
    assert guard.clean("\\" * MOST_EDITED) == "\\" * MOST_EDITED
    assert guard.clean("s" * MOST_EDITED) == "s" * MOST_EDITED
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    "head",
    ["hf_", "glpat-", "ghp_", "github_pat_", "gsk_", "AIza", "AKIA", "xoxb-", "sk-ant-", "sk_live_", "eyJhbGci"],
)
def test_what_looks_like_a_key(head: str) -> None:
    assert holds_key(f'{{"a": "{head}0123456789ABCDEF"}}')
    assert not holds_key(f"{head}0123")


@pytest.mark.parametrize("text", ["", "sk-learn", "task-0123456789abcdef", "low", "hf-models", "pk_1"])
def test_what_does_not(text: str) -> None:
    assert not holds_key(text)
