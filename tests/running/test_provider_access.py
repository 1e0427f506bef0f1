"""Which provider answers."""

from __future__ import annotations

import asyncio

import pytest

from row3.domain.endpoints import PRESETS, Header
from row3.errors import UsageError
from row3.project.project import open_project, pick_suite
from row3.providers.base import endpoint_for
from row3.providers.local import LocalModel
from row3.providers.openai_api import OpenAIChat
from row3.running.provider_access import (
    embedding_endpoint,
    endpoint_of,
    guard_of,
    judge_endpoint,
    open_embedder,
    provider_at,
)
from tests.projects import Box


def test_every_preset_has_a_provider_that_opens_nothing(small: Box) -> None:
    project = open_project(small.root)
    for preset in PRESETS:
        url = "https://bread.openai.azure.com" if preset == "azure" else None
        provider = provider_at(project, endpoint_for(preset, base_url=url))
        assert provider.name == preset
        assert isinstance(provider, LocalModel if preset == "local" else OpenAIChat)
        asyncio.run(provider.close())


HEADERS = '[provider.headers]\nX-Gate = { env = "GATE" }\n'


def test_headers_go_to_the_provider_and_a_judge_there_and_nowhere_else(small: Box) -> None:
    settings = 'model = "e"\nbase_url = "http://127.0.0.1:9/v1"'
    small.write("row3.toml", f"{small.read('row3.toml')}\n[suites.bread.matching.semantic]\n{settings}\n{HEADERS}")
    project = open_project(small.root)
    suite = pick_suite(project, None)
    sent = (Header("X-Gate", variable="GATE"),)
    assert endpoint_of(project, suite).headers == judge_endpoint(project, suite).headers == sent
    embeddings = embedding_endpoint(project, suite)
    assert embeddings is not None
    assert embeddings.headers == ()
    small.write("row3.toml", small.read("row3.toml") + '[judge]\nbase_url = "http://127.0.0.1:9/v1"\n')
    assert judge_endpoint(open_project(small.root), suite).headers == ()


def test_a_secret_header_s_value_is_guarded(small: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE", "open-sesame-0123456789")
    small.write("row3.toml", small.read("row3.toml") + HEADERS)
    assert guard_of(open_project(small.root)).found("it says open-sesame-0123456789") == "GATE"


def test_a_text_to_embed_with_a_key_names_its_case(small: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-row3-secret-0123456789"
    monkeypatch.setenv("EMBED_KEY", key)
    settings = 'model = "e"\nbase_url = "http://127.0.0.1:9/v1"\nkey_variable = "EMBED_KEY"'
    small.write("row3.toml", f"{small.read('row3.toml')}\n[suites.bread.matching.semantic]\n{settings}\n")
    small.replace("golden/bread/rye.gold.json", '"label": "salt"', f'"label": "salt {key}"')
    project = open_project(small.root)
    embedder = open_embedder(project, pick_suite(project, None), "e")
    with pytest.raises(
        UsageError, match=r"^golden/bread/rye.gold.json: a text to embed contains the value of EMBED_KEY"
    ):
        asyncio.run(embedder.embed(["rye", f"salt {key}"]))
