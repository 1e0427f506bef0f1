"""A retrieval suite whose system searches and whose prompt ranks what was found, by the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, FakeReply
from tests.projects import Box
from tests.rows import every_row

SERVER = """
from typing import Any
from mcp.server.mcpserver import MCPServer

server = MCPServer("memory", log_level="ERROR")

@server.tool()
def recall(query: str, limit: int) -> dict[str, Any]:
    return {"hits": [{"id": name, "text": f"{name} on {query}"} for name in ("d3", "d2", "d1")][:limit]}

server.run()
"""
PROVIDER = """type = "mcp"
name = "memory-search"
version = "1.0"
command = "python"
args = ["server.py"]
tool = "recall"
answer = "hits"
arguments = { query = "{query}", limit = "{limit}" }
"""
RANK = """---
name: rank-results
version: "1.0"
output: results
---
{% block user %}RANK {{ query }} FIRST {{ limit }}{% for one in found %} <{{ one.id }}: {{ one.text }}>{% endfor %}
{% endblock %}
"""
QUERIES = {"q1": "When do we ship?", "q2": "Who tests?"}


class Ranker(ChatServer):
    """Ranks by name, if asked to rank, and in the order found otherwise."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        said = body["messages"][-1]["content"]
        with self.lock:
            self.asked.append(said)
        names = [part.split(":")[0] for part in said.split("<")[1:]]
        ranked = sorted(names) if said.startswith("RANK") else names
        return FakeReply(json.dumps({"results": [{"id": name} for name in ranked]}))


@pytest.fixture
def ranker() -> Iterator[Ranker]:
    made = Ranker()
    yield made
    made.stop()


def search_box(root: Path, ranker: Ranker, output: str = 'output = "found"', pipeline: str = '["rank-results"]') -> Box:
    box = Box(root)
    box.write(
        "row3.toml",
        f'suite = "search"\nmode = "replay"\n[provider]\npreset = "vllm"\nbase_url = "{ranker.url}"\nmodel = "small"\n'
        f'max_retries = 0\n[suites.search]\nkind = "retrieval"\npipeline = {pipeline}\n'
        f"[suites.search.provider]\n{PROVIDER}{output}\n",
    )
    for name, query in QUERIES.items():
        case = {"id": name, "query": query, "relevant_documents": [{"id": "d1", "relevance": 3}]}
        box.write(f"golden/search/{name}.gold.json", json.dumps(case))
    box.write("server.py", SERVER)
    box.write("prompts/rank-results-v1.0.md", RANK)
    box.init()
    return box


def test_what_a_system_finds_is_ranked_by_a_prompt(tmp_path: Path, ranker: Ranker) -> None:
    box = search_box(tmp_path / "project", ranker)
    assert "nothing found" in box.row3("lint", code=0).out
    assert box.row3(code=3).errors == ["error: the run is incomplete: 2 of 2 cases have no answer."]
    assert "memory-search v1.0 → rank-results v1.0" in box.row3("--mode", "record", "--dry-run", code=0).out
    box.row3("--baseline", "--mode", "record", code=0)
    assert sorted(ranker.asked) == [
        f"RANK {query} FIRST 10" + "".join(f" <{name}: {name} on {query}>" for name in ("d3", "d2", "d1"))
        for query in QUERIES.values()
    ]
    box.path("server.py").unlink()
    box.commit("baseline")
    same = box.row3("--compare", "--against", "HEAD", "--format", "json", code=0).json
    assert (same["verdict"], same["metrics"]["mrr"]) == ("proceed", 1.0)
    assert same["prompts"] == {"memory-search": "v1.0", "rank-results": "v1.0"}
    assert same["usage"]["replayed"] == 4
    assert "recordings are in order" in box.row3("recordings", "verify", code=0).out
    assert "0 removed, 4 kept" in box.row3("recordings", "prune", code=0).out
    assert "When do we ship?" in box.row3("investigate", "q1", code=0).out
    box.row3("promote", "v1.0", code=0)
    assert json.loads(box.read("prompts/promoted.json"))["prompts"].keys() == {"rank-results"}
    assert "Prompt: rank-results\n" in box.read("CHANGELOG.md")
    assert "nothing found" in box.row3("lint", code=0).out


def test_a_worse_ranking_blocks_with_the_search_recorded_once(tmp_path: Path, ranker: Ranker) -> None:
    box = search_box(tmp_path / "project", ranker)
    box.row3("--baseline", "--mode", "record", code=0)
    box.commit("baseline")
    box.path("server.py").unlink()
    box.write("prompts/rank-results-v1.1.md", RANK.replace('"1.0"', '"1.1"').replace("RANK", "KEEP"))
    worse = box.row3("--compare", "--mode", "auto", "--format", "json", code=1).json
    assert worse["prompts"]["rank-results"] == "v1.1"
    assert worse["metrics"]["mrr"] == pytest.approx(1 / 3)
    assert worse["usage"]["replayed"] == 2  # of the search, which is the same
    assert "block" in box.row3("promote", "v1.1", code=1).out.lower()


def test_parameters_belong_to_the_prompt(tmp_path: Path, ranker: Ranker) -> None:
    box = search_box(tmp_path / "project", ranker)
    result = box.row3("--mode", "record", "--model", "large", "--format", "json", code=0).json
    assert result["metrics"]["mrr"] == 1.0
    assert "large" in result["model"]


@every_row(
    ("output", "pipeline", "said"),
    [
        ("", '["rank-results"]', "has no prompts. Remove it, or set `output` of the provider to found."),
        ('output = "results"', '["rank-results"]', "a suite answered by `mcp` has no prompts"),
        ('output = "found"', "[]", "nothing answers from what `memory-search` found"),
        ('output = "find"', '["rank-results"]', "`find` is not an output of kind `retrieval`"),
        ('output = "found"', '["rank"]', "prompt `rank` has no version"),
    ],
)
def test_settings_that_cannot_answer(tmp_path: Path, ranker: Ranker, output: str, pipeline: str, said: str) -> None:
    box = search_box(tmp_path / f"project-{len(output)}-{len(pipeline)}", ranker, output, pipeline)
    assert said in box.row3(code=2).errors[0]


def test_a_prompt_alone_does_not_answer_with_what_it_found(tmp_path: Path, ranker: Ranker) -> None:
    box = search_box(tmp_path / "project", ranker)
    box.replace("prompts/rank-results-v1.0.md", "output: results", "output: found")
    assert "nothing answers from what `rank-results` found" in box.row3(code=2).errors[0]
