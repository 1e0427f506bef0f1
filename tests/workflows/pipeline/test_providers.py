"""Which provider answers."""

from __future__ import annotations

import asyncio

from row3.providers.base import PRESETS, endpoint_for
from row3.providers.local import LocalModel
from row3.providers.openai_api import OpenAIChat
from row3.workflows.pipeline.providers import provider_at


def test_every_preset_has_a_provider_that_opens_nothing() -> None:
    for preset in PRESETS:
        provider = provider_at(endpoint_for(preset), {})
        assert provider.name == preset
        assert isinstance(provider, LocalModel if preset == "local" else OpenAIChat)
        asyncio.run(provider.close())
