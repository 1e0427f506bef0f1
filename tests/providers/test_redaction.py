"""No key, token or account name is shown, encoded or not."""

from __future__ import annotations

import base64
import json
import re
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.providers.redaction import LONGEST, SHORT, forms_of, holds, public_model_name, redact


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Incorrect API key provided: sk-abcd****wxyz. Find yours at …", "wxyz"),
        ("key sk-ant-api03-AbC_d-9 is wrong", "AbC_d"),
        ("sent 'Authorization: Bearer eyJhbGciOi.x.y'", "eyJhbGciOi"),
        ("Rate limit reached for gpt-5 in organization org-AbCdEf123456 on tokens", "AbCdEf"),
        ("Rate limit reached for gpt-5 in organization acme on tokens per min", "acme"),
        ("Project `acme-prod` has no access", "acme-prod"),
        ("project proj_AbC123def456 has no access", "AbC123"),
        ("Gemini API disabled in project 123456789 before", "123456789"),
        ("consumer 'project_number:123456789' over limit", "123456789"),
        ("for projects/my-project-1/models/x", "my-project-1"),
        ("API key: AIzaSyA-1234567890abcdef is bad", "1234567890abcdef"),
        ("x-api-key=hunter2hunter2", "hunter2"),
        ("account owner ann.smith@example.co.uk", "ann.smith"),
        ("user-AbCdEfGhIjKlMnOp exceeded", "AbCdEfGhIjKl"),
    ],
)
def test_hidden(text: str, hidden: str) -> None:
    assert hidden in text
    assert hidden not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "The model `gpt-5-nano` does not exist or you do not have access to it",
        "This model's maximum context length is 8192 tokens, however you requested 10000 tokens",
        "Your organization must be verified to use this model",
        "max_tokens is too large: 100000",
        "The risk-free user-defined task-based org-wide rule",
    ],
)
def test_left_alone(text: str) -> None:
    assert redact(text) == text


def test_a_secret_is_hidden_whatever_it_looks_like_and_longest_first() -> None:
    assert redact("a plain-word and plain-word-2", ["plain-word", "plain-word-2"]) == "a [hidden] and [hidden]"
    assert redact("nothing", [""]) == "nothing"


def test_a_secret_across_the_cut_is_hidden_before_cutting() -> None:
    assert "hunter" not in redact("y" * (LONGEST - 10) + "hunter-hunter-hunter", ["hunter-hunter-hunter"])


@given(st.text(max_size=2000))
def test_always_one_short_line(text: str) -> None:
    line = redact(text)
    assert len(line) <= LONGEST
    assert not set(line) & set("\r\n\t\x00\x1b\x85\u2028")


def test_a_megabyte_is_quick() -> None:
    assert len(redact("a" * 1_000_000)) == LONGEST
    assert len(redact("org-" * 250_000)) <= LONGEST
    assert len(redact("x.y@" * 250_000)) <= LONGEST


@pytest.mark.parametrize(
    ("served", "shown"),
    [
        ("gpt-5-mini-2026-01-01", "gpt-5-mini-2026-01-01"),
        ("ft:gpt-4o-mini-2024-07-18:acme:custom:AbC", "ft:gpt-4o-mini-2024-07-18"),
        ("/models/ann/qwen.gguf", "qwen.gguf"),
        ("C:\\Users\\ann\\qwen.gguf", "qwen.gguf"),
        ("meta-llama/Llama-3.3-70B-Instruct", "meta-llama/Llama-3.3-70B-Instruct"),
        ("models/gemini-3-flash", "models/gemini-3-flash"),
    ],
)
def test_served_model_names(served: str, shown: str) -> None:
    assert public_model_name(served) == shown


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
