"""x"""

from __future__ import annotations

import pytest

from row3.domain.endpoints import PRESETS
from row3.errors import UsageError
from row3.providers.base import endpoint_for, is_exposed
from tests.rows import every_row


@every_row(
    ("preset", "url", "variable"),
    [
        ("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
        ("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        ("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        ("ollama", "http://localhost:11434/v1", None),
        ("vllm", "http://localhost:8000/v1", None),
        ("sglang", "http://localhost:30000/v1", None),
        ("llama.cpp", "http://localhost:8080/v1", None),
        ("bedrock", "", None),
        ("vertex", "", None),
        ("local", "", None),
    ],
)
def test_where_each_preset_points(preset: str, url: str, variable: str | None) -> None:
    endpoint = endpoint_for(preset)
    assert (endpoint.preset, endpoint.base_url, endpoint.key_variable) == (preset, url, variable)


def test_every_preset_is_covered_here_and_bounded() -> None:
    assert len(PRESETS) == 12
    assert all(0 < endpoint.timeout_s <= 600 and endpoint.max_retries <= 4 for endpoint in PRESETS.values())


def test_quirks() -> None:
    assert endpoint_for("openai").limit_field == "max_completion_tokens"
    assert endpoint_for("gemini").omits == {"seed"}
    assert endpoint_for("anthropic").omits > {"response_format", "reasoning_effort"}
    assert not endpoint_for("openai").omits


def test_what_is_given_wins() -> None:
    endpoint = endpoint_for(
        "openai", base_url=" http://[::1]:81/x/v1// ", key_variable="MY_KEY", timeout_s=7, max_retries=0
    )
    assert (endpoint.base_url, endpoint.key_variable) == ("http://[::1]:81/x/v1", "MY_KEY")
    assert (endpoint.timeout_s, endpoint.max_retries) == (7.0, 0)
    assert endpoint.limit_field == "max_tokens", "a lookalike may ignore the newer name"
    assert endpoint_for("openai", base_url="https://api.openai.com/v2").limit_field == "max_completion_tokens"
    assert endpoint_for("openai").key_variable == "OPENAI_API_KEY", "presets are not changed"


@every_row(
    "url",
    [
        "", "api.openai.com/v1", "ftp://x/v1", "http://", "http:///v1", "http://h:99999/v1", "http://h:0/",
        "http://[x/v1", "http://a b/v1", "http://h/v1?key=1", "http://h/v1#x", "file:///etc/passwd",
        "http://h/v1/chat/completions/",
    ],
)  # fmt: skip
def test_invalid_addresses_are_refused(url: str) -> None:
    with pytest.raises(UsageError):
        endpoint_for("openai", base_url=url)


@every_row("url", ["http://me:s3cret@host/v1", "https://host/v1?key=s3cret", "https://host/v1#s3cret"])
def test_a_password_in_the_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        endpoint_for("vllm", base_url=url)
    assert "s3cret" not in str(caught.value)


def test_a_key_in_place_of_its_variable_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError, match="never the key itself") as caught:
        endpoint_for("openai", key_variable="sk-proj-12345")
    assert "12345" not in str(caught.value)


@every_row("url", ["http://models.example/v1", "http://192.168.0.7:8000/v1", "http://localhost.evil.example/v1"])
def test_plain_http_to_another_machine_has_to_be_allowed(url: str) -> None:
    with pytest.raises(UsageError, match="is plain http to another machine") as caught:
        endpoint_for("vllm", base_url=url)
    assert (caught.value.where, "`allow_http = true`" in caught.value.fix) == ("base_url", True)
    assert endpoint_for("vllm", base_url=url, allow_http=True).base_url == url
    assert is_exposed(url)


@every_row(
    "url",
    ["http://127.0.0.1:1/v1", "http://127.8.9.1/v1", "http://[::1]/v1", "http://LocalHost/v1", "https://h.example/v1"],
)
def test_https_and_this_machine_are_private(url: str) -> None:
    assert endpoint_for("vllm", base_url=url)
    assert not is_exposed(url)


@every_row("more", ["", "/", "/openai", "/openai/v1/"])
def test_azure_has_the_address_of_a_resource(more: str) -> None:
    endpoint = endpoint_for("azure", base_url=f"https://openai-bread.openai.azure.com{more}")
    assert (endpoint.base_url, endpoint.key_variable) == (
        "https://openai-bread.openai.azure.com",
        "AZURE_OPENAI_API_KEY",
    )


def test_azure_without_an_address_names_the_field() -> None:
    with pytest.raises(UsageError, match="the azure preset needs a base_url") as caught:
        endpoint_for("azure")
    assert (caught.value.where, "https://NAME.openai.azure.com" in caught.value.fix) == ("base_url", True)


def test_local_has_no_address() -> None:
    with pytest.raises(UsageError, match="no base_url"):
        endpoint_for("local", base_url="http://localhost:1/v1")
