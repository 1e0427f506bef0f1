"""MCP servers that others wrote, in another language and with another SDK, from npm."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from row3.domain.calls import Call, Stage
from row3.domain.requests import Answer, NoAnswer
from row3.errors import ProviderStopped
from row3.providers.base import Access
from row3.providers.mcp_server import McpServer
from tests.systems.calls import ask, ask_all, request, stage
from tests.systems.http_servers import free_port, served
from tests.systems.wanted import npm_bin

pytestmark = pytest.mark.slow

FACTS = {
    "entities": [
        {"name": "Rye", "entityType": "cereal", "observations": ["grows on poor soil"]},
        {"name": "Oats", "entityType": "cereal", "observations": ["feeds horses"]},
    ]
}
PEOPLE = {"relations": [{"from": "Rye", "to": "Oats", "relationType": "grows beside"}]}


def server(
    name: str, asked: Stage, *, setup: Sequence[Call] = (), env: Mapping[str, str] = {}, **more: Any
) -> McpServer:
    environ = {"PATH": os.environ["PATH"], **env}
    access = Access((str(npm_bin() / f"mcp-server-{name}"),), variables=tuple(env), **{"retries": 1} | more)
    return McpServer(access, asked, setup, root=Path.cwd(), environ=environ)


def everything(asked: Stage, url: str, **more: Any) -> McpServer:
    return McpServer(Access(url=url, **{"retries": 1} | more), asked, (), root=Path.cwd(), environ={})


class TestMemory:
    def test_remembers_and_recalls_within_a_session(self, tmp_path: Path) -> None:
        file = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
        setup = [Call(tool="create_entities", arguments=FACTS), Call(tool="create_relations", arguments=PEOPLE)]
        asked = [stage("mcp", "search_nodes", {"query": word}) for word in ("horses", "poor soil", "nothing of it")]
        given = ask_all(server("memory", asked[0], setup=setup, env=file), [request(each) for each in asked])
        names = [
            [one["name"] for one in json.loads(each.text)["entities"]] for each in given if isinstance(each, Answer)
        ]
        assert names == [["Oats"], ["Rye"], []]

    def test_a_part_of_its_result_is_the_answer(self, tmp_path: Path) -> None:
        file = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
        asked = stage("mcp", "open_nodes", {"names": ["Rye"]}, answer="entities.0.observations")
        given = ask(server("memory", asked, setup=[Call(tool="create_entities", arguments=FACTS)], env=file), asked)
        assert isinstance(given, Answer)
        assert given.text == '["grows on poor soil"]'

    def test_its_own_refusal_fails_the_case(self, tmp_path: Path) -> None:
        file = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
        asked = stage("mcp", "search_nodes", {"query": 5})
        given = ask(server("memory", asked, env=file), asked)
        assert isinstance(given, NoAnswer)
        assert given.error.startswith("`search_nodes`")

    def test_a_tool_it_does_not_have_stops_the_run(self, tmp_path: Path) -> None:
        file = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
        asked = stage("mcp", "search_node", {"query": "x"})
        with pytest.raises(ProviderStopped, match=r"Did you mean `search_nodes`\?"):
            ask(server("memory", asked, env=file), asked)


class TestEverything:
    def test_over_its_standard_streams(self) -> None:
        asked = [stage("mcp", "echo", {"message": "hello"}), stage("mcp", "get-sum", {"a": 2, "b": 40})]
        asked += [stage("mcp", "get-structured-content", {"location": "Chicago"}, answer="temperature")]
        given = ask_all(server("everything", asked[0]), [request(each) for each in asked])
        texts = [each.text for each in given if isinstance(each, Answer)]
        assert texts[0] == "Echo: hello"
        assert "42" in texts[1]
        assert float(texts[2]) == pytest.approx(float(texts[2]))

    def test_a_long_operation_is_given_up_and_the_session_goes_on(self) -> None:
        slow = stage("mcp", "trigger-long-running-operation", {"duration": 30, "steps": 3})
        provider = server("everything", slow, timeout_s=2.0)

        async def one_after_the_other() -> list[Answer | NoAnswer]:
            try:
                return [await provider.ask(request(each)) for each in (slow, stage("mcp", "echo", {"message": "on"}))]
            finally:
                await provider.close()

        given = asyncio.run(one_after_the_other())
        assert isinstance(given[0], NoAnswer)
        assert given[0].error == "`trigger-long-running-operation` gave no result within 2 s"
        assert isinstance(given[1], Answer)
        assert given[1].text == "Echo: on"

    def test_over_streamable_http_and_after_a_restart(self) -> None:
        port = free_port()
        url, program = f"http://127.0.0.1:{port}/mcp", [str(npm_bin() / "mcp-server-everything"), "streamableHttp"]
        environ = {"PATH": os.environ["PATH"], "PORT": str(port)}
        asked = stage("mcp", "echo", {"message": "over http"})
        provider = everything(asked, url)

        async def before_and_after() -> list[Answer | NoAnswer]:
            try:
                with served(program, port, env=environ):
                    given = await asyncio.gather(*(provider.ask(request(asked)) for _ in range(5)))
                # Another process at the same address: it has never heard of the session.
                with served(program, port, env=environ):
                    given += await asyncio.gather(*(provider.ask(request(asked)) for _ in range(5)))
                    return given
            finally:
                await provider.close()

        given = asyncio.run(before_and_after())
        assert [each.text for each in given if isinstance(each, Answer)] == ["Echo: over http"] * 10, given
