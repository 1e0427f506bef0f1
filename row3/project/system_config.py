"""`[suites.<name>.provider]` for an MCP server, a command or a Python function."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from row3.domain.calls import Call, Poll, Seconds, Word
from row3.domain.structs import worded

Variable = Annotated[str, worded(r"[A-Za-z_][A-Za-z0-9_]{0,127}", "the name of an environment variable")]
Variables = Annotated[list[Variable], Meta(description="Names of environment variables passed to it.")]
Version = Annotated[
    str,
    worded(r"v?(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})", "a version like 1.0"),
    Meta(description="Version of the system under test, like 1.0; raise it when the system changes."),
]
StageName = Annotated[
    str,
    worded(r"[a-z0-9]+(-[a-z0-9]+)*", "at most 64 lowercase letters and digits, with single dashes between them"),
    Meta(max_length=64, description="Name in runs and recordings."),
]
Arguments = Annotated[dict[str, Any], Meta(description="Default: all variables of the case.")]
Retries = Annotated[int, Meta(ge=0, le=20)]
Cost = Annotated[Literal["free"] | None, Meta(description="`free`: needs no price; default for local systems.")]


class SetupCall(Call, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A call made once per session, or once for each file of `for_each`."""

    for_each: Annotated[
        str | Annotated[list[str], Meta(min_length=1)] | None, Meta(description="A file pattern, or several.")
    ] = None

    def patterns(self) -> list[str]:
        """Return the patterns of `for_each` as a list."""
        return [self.for_each] if isinstance(self.for_each, str) else self.for_each or []


class _SystemConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: StageName | None = None
    version: Version
    output: Annotated[str | None, Meta(description="Output of the kind that it returns.")] = None
    cost: Cost = None
    type: ClassVar[Literal["mcp", "command", "python"]]


class McpConfig(_SystemConfig, frozen=True, kw_only=True, tag_field="type", tag="mcp"):
    """An MCP server: a command that speaks over stdio, or an address."""

    type: ClassVar[Literal["mcp"]] = "mcp"
    command: Annotated[Word | None, Meta(description="Program of a stdio server, with `args`.")] = None
    args: list[str] = []
    env: Variables = []
    url: Annotated[str | None, Meta(description="Address of a server over streamable HTTP.")] = None
    key_variable: Annotated[Variable | None, Meta(description="Variable with the bearer token for `url`.")] = None
    allow_http: Annotated[bool, Meta(description="Allow plain http to another machine.")] = False
    tool: Word
    arguments: dict[str, Any] = {}
    poll: Poll | None = None
    answer: Annotated[str, Meta(description="Path of the answer in the result.")] = ""
    before: Annotated[list[Call], Meta(description="Calls before the question, for each case.")] = []
    setup: Annotated[list[SetupCall], Meta(description="Calls made once per session.")] = []
    timeout_s: Annotated[Seconds, Meta(description="Seconds per call.")] = 60.0
    start_s: Annotated[Seconds, Meta(description="Seconds to start or reach the server.")] = 30.0
    retries: Annotated[
        Retries, Meta(description="Further attempts after the server or session was lost; each reconnects.")
    ] = 1

    def __post_init__(self) -> None:
        if (self.command is None) == (self.url is None):
            raise ValueError("give either `command` or `url`")
        if self.url is not None and (self.args or self.env):
            raise ValueError("`args` and `env` go with `command`")
        if self.url is None and self.key_variable is not None:
            raise ValueError("`key_variable` goes with `url`; for `command`, use `env`")


class CommandConfig(_SystemConfig, frozen=True, kw_only=True, tag_field="type", tag="command"):
    """A program that reads JSON on stdin and writes JSON to stdout."""

    type: ClassVar[Literal["command"]] = "command"
    command: Word
    args: list[str] = []
    env: Variables = []
    arguments: Arguments | None = None
    answer: str = ""
    timeout_s: Seconds = 60.0
    retries: Annotated[Retries, Meta(description="Further attempts after exit code 75.")] = 0


class PythonConfig(_SystemConfig, frozen=True, kw_only=True, tag_field="type", tag="python"):
    """A Python function, `module:function`, sync or async."""

    type: ClassVar[Literal["python"]] = "python"
    callable: Annotated[str, worded(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", "`module:function`")]
    arguments: Arguments | None = None
    answer: str = ""
    timeout_s: Seconds = 60.0


SystemConfig = McpConfig | CommandConfig | PythonConfig


def runs_here(config: SystemConfig) -> bool:
    """Return whether row3 starts the system: a command, a function or a stdio server, not an address."""
    return not isinstance(config, McpConfig) or config.url is None


def tool_of(config: SystemConfig) -> str:
    """Return what is called: the tool, the command line, or the function."""
    if isinstance(config, McpConfig):
        return config.tool
    return config.callable if isinstance(config, PythonConfig) else " ".join((config.command, *config.args))
