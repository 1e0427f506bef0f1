"""A LangFuse on loopback, and the small project that knows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from langfuse import Langfuse
from langfuse._client.resource_manager import LangfuseResourceManager
from opentelemetry.sdk.trace import TracerProvider

from tests.langfuse_server import PUBLIC, SECRET, LangFuse
from tests.projects import Box, tiny


@pytest.fixture
def fuse() -> Iterator[LangFuse]:
    """A running server."""
    server = LangFuse()
    yield server
    server.stop()


@pytest.fixture
def sdk(fuse: LangFuse) -> Iterator[Langfuse]:
    """The SDK's client, which keeps one for each public key: the last test's is forgotten."""
    LangfuseResourceManager.reset()
    yield Langfuse(
        public_key=PUBLIC,
        secret_key=SECRET,
        base_url=fuse.address,
        tracer_provider=TracerProvider(),
        environment="test",
    )
    LangfuseResourceManager.reset()


@pytest.fixture(scope="session")
def tiny_once(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """The small project."""
    return tiny(tmp_path_factory.mktemp("langfuse") / "project")


@pytest.fixture
def box(tiny_once: Box, tmp_path: Path, fuse: LangFuse) -> Box:
    """A copy of the small project, with the server's address and keys in its environment."""
    box = tiny_once.copy(tmp_path / "project")
    box.env |= fuse.env
    return box
