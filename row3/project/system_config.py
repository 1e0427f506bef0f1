"""`[suites.<name>.provider]` for an MCP server, a command or a Python function."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, Tag, model_validator

from row3.domain.calls import Call, Poll, Seconds
from row3.domain.models import Model, Text, Worded

Variable = Annotated[str, Worded(r"[A-Za-z_][A-Za-z0-9_]{0,127}", "the name of an environment variable")]
Variables = Annotated[list[Variable], Field(description="Names of environment variables passed to it.")]
Version = Annotated[
    str,
    Worded(r"v?(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})", "a version like 1.0"),
    Field(description="Version of the system under test, like 1.0; raise it when the system changes."),
]
StageName = Annotated[
    str,
    Worded(r"[a-z0-9]+(-[a-z0-9]+)*", "at most 64 lowercase letters and digits, with single dashes between them"),
    Field(max_length=64),
    Field(description="Name in runs and recordings."),
]
Arguments = Annotated[dict[str, Any], Field(description="Default: all variables of the case.")]
Retries = Annotated[int, Field(ge=0, le=20)]
Cost = Annotated[Literal["free"] | None, Field(description="`free`: needs no price; default for local systems.")]


class SetupCall(Call):
    """A call made once per session, or once for each file of `for_each`."""

    for_each: str | Annotated[list[str], Field(min_length=1)] | None = None
    """A file pattern, or several."""

    def patterns(self) -> list[str]:
        """Return the patterns of `for_each` as a list."""
        return [self.for_each] if isinstance(self.for_each, str) else self.for_each or []


class _SystemConfig(Model):
    name: StageName | None = None
    version: Version
    output: str | None = None
    """Output of the kind that it returns."""
    cost: Cost = None


class McpConfig(_SystemConfig):
    """An MCP server: a command that speaks over stdio, or an address."""

    type: Literal["mcp"] = "mcp"
    command: Text | None = None
    """Program of a stdio server, with `args`."""
    args: list[str] = []
    env: Variables = []
    url: str | None = None
    """Address of a server over streamable HTTP."""
    key_variable: Variable | None = None
    """Variable with the bearer token for `url`."""
    allow_http: bool = False
    """Allow plain http to another machine."""
    tool: Text
    arguments: dict[str, Any] = {}
    poll: Poll | None = None
    answer: str = ""
    """Path of the answer in the result."""
    before: list[Call] = []
    """Calls before the question, for each case."""
    setup: list[SetupCall] = []
    """Calls made once per session."""
    timeout_s: Seconds = 60.0
    """Seconds per call."""
    start_s: Seconds = 30.0
    """Seconds to start or reach the server."""
    retries: Retries = 1
    """Further attempts after the server or session was lost; each reconnects."""

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("give either `command` or `url`")
        if self.url is not None and (self.args or self.env):
            raise ValueError("`args` and `env` go with `command`")
        if self.url is None and self.key_variable is not None:
            raise ValueError("`key_variable` goes with `url`; for `command`, use `env`")
        return self


class CommandConfig(_SystemConfig):
    """A program that reads JSON on stdin and writes JSON to stdout."""

    type: Literal["command"] = "command"
    command: Text
    args: list[str] = []
    env: Variables = []
    arguments: Arguments | None = None
    answer: str = ""
    timeout_s: Seconds = 60.0
    retries: Retries = 0
    """Further attempts after exit code 75."""


class PythonConfig(_SystemConfig):
    """A Python function, `module:function`, sync or async."""

    type: Literal["python"] = "python"
    callable: Annotated[str, Worded(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", "`module:function`")]
    arguments: Arguments | None = None
    answer: str = ""
    timeout_s: Seconds = 60.0


SystemConfig = (
    Annotated[McpConfig, Tag("mcp")] | Annotated[CommandConfig, Tag("command")] | Annotated[PythonConfig, Tag("python")]
)


def is_started_by_row3(config: SystemConfig) -> bool:
    """Return whether row3 starts the system: a command, a function or a stdio server, not an address."""
    return not isinstance(config, McpConfig) or config.url is None


def tool_of(config: SystemConfig) -> str:
    """Return what is called: the tool, the command line, or the function."""
    if isinstance(config, McpConfig):
        return config.tool
    return config.callable if isinstance(config, PythonConfig) else " ".join((config.command, *config.args))
