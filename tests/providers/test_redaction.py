"""No key, token or account name is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.secrets import HIDDEN, Guard
from row3.providers.redaction import LONGEST, public_model_name, redact
from tests.rows import every_row


@every_row(
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
        ("the token ghp_0123456789abcdefghij expired", "ghp_0123456789"),
        ("glpat-0123456789abcdefghij is revoked", "glpat-0123456789"),
        ("user-AbCdEfGhIjKlMnOp exceeded", "AbCdEfGhIjKl"),
    ],
)
def test_hidden(text: str, hidden: str) -> None:
    assert hidden in text
    assert hidden not in redact(text)


@every_row(
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


def test_a_known_secret_is_hidden_before_anything_is_cut() -> None:
    guard = Guard({"KEY": "hunter-hunter-hunter"})
    assert redact("a hunter-hunter-hunter b", guard) == f"a {HIDDEN} b"
    assert "hunter" not in redact("y" * (LONGEST - 10) + "hunter-hunter-hunter", guard)
    assert "hunter" not in redact(" " * (LONGEST * 20 - 10) + "hunter-hunter-hunter", guard)


@given(st.text(max_size=2000))
def test_always_one_short_line(text: str) -> None:
    line = redact(text)
    assert len(line) <= LONGEST
    assert not set(line) & set("\r\n\t\x00\x1b\x85\u2028")


def test_a_megabyte_is_quick() -> None:
    assert len(redact("a" * 1_000_000)) == LONGEST
    assert len(redact("org-" * 250_000)) <= LONGEST
    assert len(redact("x.y@" * 250_000)) <= LONGEST


@every_row(
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
