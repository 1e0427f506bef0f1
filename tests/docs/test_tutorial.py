"""The tutorial's commands, in order, in empty folders; they print what the page shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, FakeReply
from tests.projects import HOME, Box, clean_env, run

PAGE = (HOME / "docs/tutorial.md").read_text(encoding="utf-8")
PARTS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")}
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
GIT = {f"GIT_{who}_{what}": "you" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


class Chat(ChatServer):
    """Sorts tickets and finds concepts; keeps to what the prompt says of the category and of how many there are."""

    def reply_to(self, body: Any) -> FakeReply:
        return FakeReply(answer_to(body["messages"][-1]["content"]))


def answer_to(said: str) -> str:
    """Return what a chat writes when the request is pasted."""
    if "Ticket:" in said:
        category = ("bug" if "bug" in said else "technical problem") if "Safari" in said else "question"
        return json.dumps({"category": category, "reply": "Thank you for writing, we look into it."})
    rows = [line.split(",") for line in PAGE.splitlines() if line.count(";") > 2]
    text, names = next((row[-2], row[-1].split("; ")) for row in rows if row[1][:30] in said)
    wanted = names[:1] if "most important concept" in said else names
    concepts = [{"label": name, "sourceQuote": text} for name in wanted]
    return json.dumps({"concepts": concepts, "relationships": []})


def follow(part: str, box: Box) -> None:
    """Do what a part of the page says, block by block; each command prints the lines that are shown, in order."""
    place = "row3.toml"
    end = 0
    for block in BLOCK.finditer(part):
        named = re.findall(r"`([\w./-]+\.(?:csv|toml|md))`", part[end : block.start()])
        place, end = named[-1] if named else place, block.end()
        kind, text = block[1], block[2]
        if kind == "csv":
            box.write(place, text)
        elif kind == "toml":
            box.write(place, f"{box.read(place)}\n{text}")
        elif kind == "diff":
            for old, new in re.findall(r"^-(.*)\n\+(.*)$", text, re.MULTILINE):
                assert old in box.read(place)
                box.replace(place, old, new)
        else:
            type_in(text, box)


def type_in(session: str, box: Box) -> None:
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE):
        if variable := re.fullmatch(r"export (\w+)=(.*)", command):
            box.env[variable[1]] = "sk-0123456789"
            continue
        if paste := re.fullmatch(r"row3 recordings import (\w+)", command):
            chat(box, paste[1])
        done = box.row3(*command.split()[1:]) if command.startswith("row3 ") else shell(command, box)
        refused = "BLOCK" in shown or "stops this commit" in shown
        assert done.code == int(refused), f"{command}\n{done}"
        printed = (done.out + done.err).splitlines()
        for line in filter(lambda each: each not in ("", "…"), shown.splitlines()):
            at = next((at for at, each in enumerate(printed) if each.rstrip() == line), None)
            assert at is not None, f"{command} does not print: {line}\n{done}"
            printed = printed[at:]


def shell(command: str, box: Box) -> Any:
    return run("sh", "-c", command, cwd=box.root, env=box.env)


def chat(box: Box, folder: str) -> None:
    """Paste every request into a chat, and save what it replies."""
    for each in box.row3("--dry-run", "--format", "json", code=0).json["list"]:
        box.write(f"{folder}/{each['caseId']}.txt", answer_to(each["user"]))


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """An empty folder."""
    (tmp_path / "empty").mkdir()
    return Box(tmp_path / "empty", clean_env(tmp_path, **GIT))


def test_it_is_read_in_ten_minutes() -> None:
    assert len(PAGE.split()) <= 700


def test_it_is_installed_as_the_readme_says() -> None:
    """tests/docs/test_installed.py does it."""
    readme = (HOME / "README.md").read_text(encoding="utf-8")
    assert "\npip install PATH/TO/THIS/CLONE\n" in PAGE
    assert "\npip install PATH/TO/THIS/CLONE\n" in readme


def test_tickets_with_a_key(box: Box) -> None:
    server = Chat()
    box.env["OPENAI_BASE_URL"] = server.url
    try:
        follow(PARTS["Support tickets, with a key"], box)
    finally:
        server.stop()
    assert set(server.keys) == {"Bearer sk-0123456789"}


def test_news_with_answers_from_elsewhere(box: Box) -> None:
    follow(PARTS["News, with answers from elsewhere"], box)


@pytest.mark.slow
@pytest.mark.local_model
def test_tickets_without_a_key(box: Box) -> None:
    """The tickets again, with the local model: it is asked, and what it answers is what the page shows."""
    pytest.importorskip("xllamacpp", reason="the extra row3[local] is not installed")
    tickets = PARTS["Support tickets, with a key"]
    init, rest = tickets.split("Replace the example cases", 1)
    follow(init, box)
    follow(PARTS["Without key and chat"], box)
    follow(rest.replace("$ export OPENAI_API_KEY=sk-…\n", ""), box)
