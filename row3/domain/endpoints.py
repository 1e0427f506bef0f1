"""Endpoints of OpenAI-compatible services, and presets for known ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from types import MappingProxyType
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

LimitField = Literal["max_tokens", "max_completion_tokens"]


class Header(NamedTuple):
    """A header of one's own."""

    name: str
    value: str = ""
    variable: str = ""
    """The environment variable with the value, if it is a secret."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address and limits of an OpenAI-compatible service, and the fields it accepts."""

    preset: str
    base_url: str
    """Address without `/chat/completions`; of the resource for `azure`; empty for `local`."""
    key_variable: str | None
    """Environment variable with the key; None if no key is sent."""
    timeout_s: float = 120.0
    """Seconds per attempt, from the first byte sent to the last byte read."""
    max_retries: int = 4
    omits: frozenset[str] = frozenset()
    """Fields that are not sent, as the service ignores or refuses them."""
    limit_field: LimitField = "max_tokens"
    """Name of the field that limits the answer's tokens."""
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    """Tokens of requests and answers; None for no limit."""
    headers: tuple[Header, ...] = ()
    """Sent with every request, and part of no digest."""

    @property
    def host(self) -> str:
        """Host and port for messages, or the preset's name."""
        return urlsplit(self.base_url).netloc or self.preset


def is_here(url: str) -> bool:
    """Return whether an address is one of this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


SEED = frozenset({"seed"})
ANTHROPIC_IGNORES = frozenset(
    ("response_format", "seed", "reasoning_effort", "presence_penalty", "frequency_penalty", "service_tier")
)
"""Ignored, as its page on compatibility with OpenAI's SDK says."""
LITELLM: Mapping[str, str] = {"bedrock": "bedrock", "vertex": "vertex_ai"}
"""Presets that need `row3[litellm]`, with the prefix of their models there."""
PRESETS: Mapping[str, Endpoint] = MappingProxyType(
    {
        endpoint.preset: endpoint
        for endpoint in (
            # `max_tokens` is deprecated, and reasoning models reject it.
            Endpoint("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", limit_field="max_completion_tokens"),
            # Gemini answers unknown fields, `seed` included, with 400.
            Endpoint("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", omits=SEED),
            Endpoint("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", omits=ANTHROPIC_IGNORES),
            # Every customer has an address of their own.
            Endpoint("azure", "", "AZURE_OPENAI_API_KEY", limit_field="max_completion_tokens"),
            Endpoint("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
            Endpoint("ollama", "http://localhost:11434/v1", None),
            Endpoint("vllm", "http://localhost:8000/v1", None),
            Endpoint("sglang", "http://localhost:30000/v1", None),
            Endpoint("llama.cpp", "http://localhost:8080/v1", None),
            # litellm finds address and credentials as the cloud's own tools do.
            *(Endpoint(preset, "", None) for preset in LITELLM),
            # No network can hang, but a slow machine needs minutes for a long prompt.
            Endpoint("local", "", None, timeout_s=600.0, max_retries=0),
        )
    }
)
