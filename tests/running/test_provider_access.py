"""Which provider answers."""

from __future__ import annotations

import asyncio

import pytest

from row3.domain.endpoints import PRESETS
from row3.errors import UsageError
from row3.project.project import open_project, pick_suite
from row3.providers.base import endpoint_for
from row3.providers.local import LocalModel
from row3.providers.openai_api import OpenAIChat
from row3.running.provider_access import open_embedder, provider_at
from tests.projects import Box


def test_every_preset_has_a_provider_that_opens_nothing(small: Box) -> None:
    project = open_project(small.root)
    for preset in PRESETS:
        url = "https://bread.openai.azure.com" if preset == "azure" else None
        provider = provider_at(project, endpoint_for(preset, base_url=url))
        assert provider.name == preset
        assert isinstance(provider, LocalModel if preset == "local" else OpenAIChat)
        asyncio.run(provider.close())


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
