from __future__ import annotations

from typing import Any

import pytest

from row3.providers.dialect import chat_body, refused_fields
from row3.providers.presets import endpoint_for


def test_the_limit_has_the_name_that_the_preset_uses(make_request: Any) -> None:
    assert chat_body(make_request(), endpoint_for("openai"))["max_completion_tokens"] == 50
    assert chat_body(make_request(), endpoint_for("ollama"))["max_tokens"] == 50


def test_presets_leave_out_what_is_not_taken(make_request: Any) -> None:
    assert "response_format" not in chat_body(make_request(), endpoint_for("anthropic"))
    assert "seed" not in chat_body(make_request(), endpoint_for("gemini"))


def test_the_schema_name_fits_the_rules(make_request: Any) -> None:
    def name(typed: str) -> str:
        body = chat_body(make_request(schema_name=typed), endpoint_for("openai"))
        return str(body["response_format"]["json_schema"]["name"])

    assert name("städte & more") == "st_dte___more"
    assert name("") == "answer"
    assert len(name("x" * 100)) == 64


@pytest.mark.parametrize(
    ("message", "param", "fields"),
    [
        ("Invalid parameter: 'response_format' of type 'json_schema' is not supported", "", {"response_format"}),
        ("Invalid schema for response_format 'x': additionalProperties is required", "", {"response_format"}),
        ("Unable to generate parser: JSON schema error", "", {"response_format"}),
        ("This model does not support structured outputs", "", {"response_format"}),
        ('Unknown name "seed": Cannot find field.', "", {"seed"}),
        ("Unsupported parameter", "seed", {"seed"}),
        ("'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "max_tokens", {"max_tokens"}),
        ("'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "", {"max_tokens"}),
        ("max_completion_tokens: Extra inputs are not permitted", "", {"max_completion_tokens"}),
        ('Unknown name "seed". Unknown name "max_completion_tokens".', "", {"seed", "max_completion_tokens"}),
        ("max_tokens is too large: 9. Maximum is 8", "max_tokens", set()),
        ("seed must be an integer", "", set()),
        ("maximum context length is 8192 tokens", "messages", set()),
        ("Unsupported value: 'temperature' does not support 0", "temperature", set()),
        ("", "", set()),
    ],
)
def test_complaints(message: str, param: str, fields: set[str]) -> None:
    assert refused_fields(message, param) == fields
