from __future__ import annotations

from typing import Any

import pytest

from row3.errors import InvalidFile
from row3.project.config import Config, ProviderConfig
from row3.project.documents import validate
from row3.project.system_config import CommandConfig, McpConfig, PythonConfig, tool_of
from tests.rows import every_row

MCP = {"type": "mcp", "version": "1.0", "tool": "t", "command": "c"}


def read(provider: dict[str, Any]) -> Any:
    config = validate(Config, {"suites": {"s": {"provider": {"type": "chat"} | provider}}}, where="row3.toml")
    return config.suites["s"].provider


def test_the_type_selects_the_provider() -> None:
    assert isinstance(read({}), ProviderConfig)
    assert isinstance(read({"type": "chat", "model": "m"}), ProviderConfig)
    mcp = read(MCP | {"poll": {"tool": "p", "until": {"state": ["done", "gone"]}}})
    assert isinstance(mcp, McpConfig)
    assert mcp.poll is not None
    assert mcp.poll.until == {"state": ["done", "gone"]}
    command = read({"type": "command", "version": "1.0", "command": "c", "args": ["-x"]})
    assert isinstance(command, CommandConfig)
    assert (tool_of(mcp), tool_of(command)) == ("t", "c -x")
    assert isinstance(read({"type": "python", "version": "1.0", "callable": "a.b:C.d"}), PythonConfig)


@every_row(
    ("provider", "words"),
    [
        (MCP | {"tol": 1}, "`suites.s.provider.tol` is unknown; did you mean `tool`?"),
        ({"modl": "m"}, "`suites.s.provider.modl` is unknown; did you mean `model`?"),
        ({"type": "mpc"}, "`suites.s.provider.type`: should be one of chat, mcp, command, python"),
        ({"type": "command", "command": "c"}, "`suites.s.provider.version` is missing"),
        (MCP | {"version": 1.0}, "`suites.s.provider.version`"),
        (MCP | {"version": "1.0.1"}, "`suites.s.provider.version`"),
        (MCP | {"url": "http://h/mcp"}, "give either `command` or `url`"),
        ({"type": "mcp", "version": "1.0", "tool": "t"}, "give either `command` or `url`"),
        (MCP | {"key_variable": "TOKEN"}, "`key_variable` goes with `url`"),
        ({**MCP, "command": None, "url": "http://h/mcp", "args": ["x"]}, "`args` and `env` go with `command`"),
        (MCP | {"env": ["TOKEN=secret"]}, "`suites.s.provider.env.0`"),
        (MCP | {"setup": [{"tool": "x", "for_eech": "y"}]}, "`suites.s.provider.setup.0.for_eech` is unknown; did you"),
        (MCP | {"poll": {"tool": "x", "until": {}}}, "`suites.s.provider.poll.until`"),
        (MCP | {"timeout_s": 0}, "`suites.s.provider.timeout_s`"),
        (MCP | {"retries": 21}, "`suites.s.provider.retries`"),
        ({"type": "python", "version": "1.0", "callable": "no_colon"}, "`suites.s.provider.callable`"),
    ],
)
def test_faults_are_named_without_union_tags(provider: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidFile) as refused:
        read(provider)
    assert words in str(refused.value)
