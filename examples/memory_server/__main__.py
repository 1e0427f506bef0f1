"""`python -m examples.memory_server [--store sqlite|postgres|chroma] [--path WHERE] [--http PORT]`."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from row3.errors import MissingExtra

from .memory import MOST_WORDS, ExpandTo, Memory, count_words
from .stores import STORES


def serve(memory: Memory) -> Any:
    """The memory's tools over MCP."""
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    server = MCPServer("memory", log_level="WARNING")

    @server.tool()
    def remember(document_id: str, text: str) -> dict[str, Any]:
        """Keep a text. Events and entities are looked for in the background; ask `status`."""
        memory.remember(document_id, text)
        return {"document_id": document_id, "state": "working"}

    @server.tool()
    def status() -> dict[str, Any]:
        """`done` when every text that was remembered has been looked into."""
        return memory.state()

    @server.tool()
    def recall(
        *,
        query: str = "",
        document_id: str = "",
        limit: int = 10,
        expand: bool = False,
        expand_to: ExpandTo = "connected",
        include_events: bool = False,
        include_entities: bool = False,
        include_text: bool = False,
    ) -> dict[str, Any]:
        """Texts that fit a query, or one text by its id. `expand` adds sentences of other texts, or the connections."""
        if bool(query) is bool(document_id):
            raise ToolError("give a query or a document_id, not both" if query else "give a query or a document_id")
        if limit < 1:
            raise ToolError(f"limit is {limit}; it is 1 or more")
        if document_id and not memory.knows(document_id):
            raise ToolError(f"nothing is remembered as {document_id}")
        hits = [(document_id, 1.0)] if document_id else memory.recall(query, limit)
        answer: dict[str, Any] = {"results": []}
        for name, score in hits:
            one: dict[str, Any] = {"id": name, "score": score}
            one |= {"text": memory.text(name)} if include_text else {}
            one |= {"events": memory.events(name)} if include_events else {}
            answer["results"].append(one | ({"entities": memory.entities(name)} if include_entities else {}))
        if document_id and expand:
            answer["connections"] = memory.connections(document_id)
        elif expand:
            sentences = memory.expanded(query, [name for name, _ in hits], expand_to)
            answer |= {"sentences": sentences, "words": {"limit": MOST_WORDS, "used": count_words(sentences)}}
        results = answer["results"]
        if document_id and results:
            answer |= {key: results[0][key] for key in ("events", "entities") if key in results[0]}
        return answer

    return server


def main() -> None:
    """Serve over the standard streams, or over streamable HTTP on this machine."""
    parser = argparse.ArgumentParser(prog="python -m examples.memory_server", description=__doc__)
    parser.add_argument("--store", choices=sorted(STORES), default="sqlite")
    parser.add_argument("--path", default=None, help="file of sqlite, folder of chroma, connection string of postgres")
    parser.add_argument("--http", type=int, metavar="PORT", help="serve at http://127.0.0.1:PORT/mcp")
    given = parser.parse_args()
    try:
        store = STORES[given.store](*(() if given.path is None else (given.path,)))
        memory = Memory(store)
    except MissingExtra as error:
        sys.exit(f"the memory reads with a small model that is not installed: {error.fix}")
    except ImportError as error:
        sys.exit(f"the {given.store} store needs a package that is not installed: {error.name}")
    except Exception as error:  # a back end that does not answer has its own errors
        # On one line: a driver speaks in paragraphs, and row3 shows the last line a server wrote.
        sys.exit(f"the {given.store} store cannot be opened: {' '.join(str(error).split())}")
    server = serve(memory)
    if given.http:
        server.run("streamable-http", port=given.http)
    else:
        server.run()


if __name__ == "__main__":
    main()
