"""`[suites.<name>.provider]` of a suite that an MCP server, a command or a Python function answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from row3.domain.calls import Call, Poll

Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Word = Annotated[str, Field(pattern=r"\S")]
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
Version = Annotated[str, Field(pattern=r"^v?(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$")]
StageName = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]


class _Section(BaseModel):
    # Built where they are used, as parts of the whole: on its own each would be built twice. Strict, since TOML has
    # types of its own: a limit of `true` or "5" is a slip, and to read it as a number would hide it.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)


class PollConfig(_Section):
    """A tool that is asked again until what the call before it began is done."""

    tool: Word
    arguments: dict[str, Any] = Field(default={}, description="May use {result.…}, what the call before it said.")
    until: dict[str, Any] = Field(min_length=1, description="Path into the result = the value, or values, of done.")
    failed: dict[str, Any] = Field(default={}, description="Likewise: the values that mean it never will be.")
    interval_s: Seconds = 1.0
    limit_s: Seconds = 120.0

    def as_poll(self) -> Poll:
        """As the provider takes it."""
        return Poll(self.tool, self.arguments, self.until, self.failed, self.interval_s, self.limit_s)


class CallConfig(_Section):
    """A call before the question."""

    tool: Word
    arguments: dict[str, Any] = {}
    poll: PollConfig | None = None

    def as_call(self) -> Call:
        """As the provider takes it."""
        return Call(self.tool, self.arguments, None if self.poll is None else self.poll.as_poll())


class SetupConfig(CallConfig):
    """A call made once a session, or once for each of many files."""

    for_each: str | Annotated[list[str], Field(min_length=1)] | None = Field(
        default=None, description="Files of the project: a pattern, or several."
    )

    def patterns(self) -> list[str]:
        """Of the files that the call is made for."""
        return [self.for_each] if isinstance(self.for_each, str) else self.for_each or []


class _SystemConfig(_Section):
    name: StageName | None = Field(default=None, description="What runs and recordings call it.")
    version: Version = Field(description="Of the system under test, 1.0; raise it when the system changes.")
    output: str | None = Field(default=None, description="Which output of the kind it answers with.")


class McpConfig(_SystemConfig):
    """An MCP server: a command that speaks over its standard streams, or an address."""

    type: Literal["mcp"]
    command: Word | None = Field(default=None, description="Program of a stdio server, with `args`.")
    args: list[str] = []
    env: list[Variable] = Field(default=[], description="Names of environment variables that it is given.")
    url: str | None = Field(default=None, description="Address of a server over streamable HTTP.")
    key_variable: Variable | None = Field(default=None, description="Variable with the bearer token for `url`.")
    tool: Word
    arguments: dict[str, Any] = {}
    poll: PollConfig | None = None
    answer: str = Field(default="", description="Path to the part of the result that is the answer.")
    before: list[CallConfig] = Field(default=[], description="Calls made for each case ahead of the question.")
    setup: list[SetupConfig] = Field(default=[], description="Calls made once a session.")
    timeout_s: Seconds = Field(default=60.0, description="For one call.")
    start_s: Seconds = Field(default=30.0, description="For starting or reaching the server.")
    retries: Annotated[int, Field(ge=0, le=20)] = Field(
        default=1, description="Further tries of a call whose server or session was lost; each connects anew."
    )

    @model_validator(mode="after")
    def _one_way(self) -> McpConfig:
        if (self.command is None) == (self.url is None):
            raise PydanticCustomError("one_way", "give either `command` or `url`")
        if self.url is not None and (self.args or self.env):
            raise PydanticCustomError("one_way", "`args` and `env` go with `command`")
        if self.url is None and self.key_variable is not None:
            raise PydanticCustomError("one_way", "`key_variable` goes with `url`, as `env` does with `command`")
        return self


class CommandConfig(_SystemConfig):
    """A program that reads JSON on stdin and writes JSON to stdout."""

    type: Literal["command"]
    command: Word
    args: list[str] = []
    env: list[Variable] = Field(default=[], description="Names of environment variables that it is given.")
    arguments: dict[str, Any] | None = Field(default=None, description="Default: everything the case shows.")
    answer: str = ""
    timeout_s: Seconds = 60.0
    retries: Annotated[int, Field(ge=0, le=20)] = Field(default=0, description="Further tries after exit code 75.")


class PythonConfig(_SystemConfig):
    """A Python function, `module:function`, sync or async."""

    type: Literal["python"]
    callable: Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")]
    arguments: dict[str, Any] | None = Field(default=None, description="Default: everything the case shows.")
    answer: str = ""
    timeout_s: Seconds = 60.0


SystemConfig = McpConfig | CommandConfig | PythonConfig


def tool_of(config: SystemConfig) -> str:
    """What is called: the tool, the command line, or the function."""
    if isinstance(config, McpConfig):
        return config.tool
    return config.callable if isinstance(config, PythonConfig) else " ".join((config.command, *config.args))
