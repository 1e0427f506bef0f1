"""An MCP server for tests that can also do everything wrong: `faulty_server.py [--http PORT]`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer

server = MCPServer("faulty")
memory: dict[str, str] = {}
jobs: dict[str, int] = {}


@server.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text


@server.tool()
def remember(name: str, text: str) -> dict[str, Any]:
    """Keep a text for as long as this process lives; it is found after two looks at its job."""
    jobs[name] = 2
    memory[name] = text
    return {"job": name}


@server.tool()
def status(job: str) -> dict[str, Any]:
    """How far a job is."""
    if job == "broken":
        return {"state": "failed", "job": job}
    jobs[job] -= 1
    return {"state": "running" if jobs[job] > 0 else "done", "job": job}


@server.tool()
def recall(query: str) -> dict[str, Any]:
    """Ids of the texts with the word in them."""
    return {"results": [{"id": name} for name, text in sorted(memory.items()) if query in text]}


@server.tool()
def fail(text: str) -> str:
    """A tool that raises."""
    raise ValueError(f"no luck with {text}, token=abcdef123456")


@server.tool()
def slow(seconds: float) -> str:
    """A tool that takes its time."""
    time.sleep(seconds)
    return "done"


@server.tool()
def die_once(marker: str, text: str) -> str:
    """End the process in the middle of the first call; answer the second."""
    if not Path(marker).exists():
        Path(marker).write_text(str(os.getpid()))
        os._exit(3)
    return text


@server.tool()
def die() -> str:
    """End the process in the middle of every call."""
    print("out of luck", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
def secret() -> str:
    """What the process was given of the environment."""
    return f"{os.environ.get('GIVEN', 'nothing')} {os.environ.get('HIDDEN', 'nothing')}"


@server.tool()
def noise(text: str) -> str:
    """A line on stdout that is no message, then the answer."""
    print("this is no message", flush=True)
    return text


if __name__ == "__main__":
    if sys.argv[1:2] == ["--http"]:
        server.run("streamable-http", port=int(sys.argv[2]))
    elif sys.argv[1:2] == ["--mute"]:
        time.sleep(60)
    elif sys.argv[1:2] == ["--broken"]:
        sys.exit("cannot find the database")
    else:
        if sys.argv[1:2] == ["--pid"]:
            Path(sys.argv[2]).write_text(str(os.getpid()))
        server.run()
