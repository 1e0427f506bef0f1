"""Few-shot and chat prompts, from a stub that speaks chat completions to every place that shows a request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, FakeReply
from tests.projects import Box

HEAD = """---
name: colour
version: "1.0"
output: answer
temperature: 0
---
"""
SHOTS = """{% message "system" %}You name colours.{% endmessage %}
{% for shot in shots %}
{% message "user" %}{{ shot[0] }}{% endmessage %}
{% message "assistant" %}{{ shot[1] }}{% endmessage %}
{% endfor %}
{% message "user" %}{{ thing }}{% endmessage %}
"""
SENT = [
    {"role": "system", "content": "You name colours."},
    {"role": "user", "content": "coal"},
    {"role": "assistant", "content": "black"},
    {"role": "user", "content": "snow"},
]


class Stub(ChatServer):
    """Answers `white`, and keeps the bodies that it is sent."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        super().__init__()

    def reply_to(self, body: Any) -> FakeReply:
        self.bodies.append(body)
        return FakeReply("white")


@pytest.fixture
def stub() -> Iterator[Stub]:
    stub = Stub()
    yield stub
    stub.stop()


@pytest.fixture
def box(tmp_path: Path, stub: Stub) -> Box:
    box = Box(tmp_path / "project")
    case = {"id": "snow", "input": {"thing": "snow", "shots": [["coal", "black"]]}, "checks": [{"equals": "white"}]}
    box.write("golden/colours/snow.gold.json", json.dumps(case))
    box.write("prompts/colour-v1.0.md", HEAD + SHOTS)
    box.write(
        "row3.toml",
        f'[provider]\npreset = "ollama"\nbase_url = "{stub.url}"\nmodel = "m"\n\n[suites.colours]\nkind = "checks"\n',
    )
    return box


def test_messages_are_sent_recorded_and_shown(box: Box, stub: Stub) -> None:
    plan = json.loads(box.row3("--dry-run", "--mode", "record", "--format", "json", code=0).out)
    assert [(each["role"], each["text"]) for each in plan["list"][0]["messages"]] == [
        (each["role"], each["content"]) for each in SENT
    ]
    shown = box.row3("--dry-run", "--mode", "record", "--verbose", code=0).out
    assert [line.strip() for line in shown.splitlines() if line.strip().startswith("---")] == [
        f"--- {each['role']}" for each in SENT
    ]
    box.row3("--mode", "record", code=0)
    assert [body["messages"] for body in stub.bodies] == [SENT]
    box.row3("--baseline", "--mode", "replay", code=0)
    box.row3("promote", "v1.0", code=0)
    box.row3("--mode", "replay", "--compare", code=0)
    box.row3("investigate", "snow", "--mode", "replay", code=0)
    assert "prompts/colour" not in box.row3("lint").out
    assert len(stub.bodies) == 1


def test_blocks_of_the_same_text_are_answered_by_the_same_recording(box: Box) -> None:
    one = '{% message "system" %}a{% endmessage %}{% message "user" %}{{ thing }}{% endmessage %}'
    box.write("prompts/colour-v1.0.md", HEAD + one)
    box.row3("--mode", "record", code=0)
    same = "{% block system %}a{% endblock %}{% block user %}{{ thing }}{% endblock %}"
    box.write("prompts/colour-v1.0.md", HEAD + same)
    box.row3("--mode", "replay", code=0)
    box.write("prompts/colour-v1.0.md", HEAD + one.replace("user", "assistant").replace("system", "user"))
    box.row3("--mode", "replay", code=3)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            '{% message "assistant" %}Hi{% endmessage %}{% message "user" %}{{ thing }}{% endmessage %}',
            "assistant message f",
        ),
        ('{% message "system" %}{{ thing }}{% endmessage %}', "no user message"),
        ('{% message "tool" %}{{ thing }}{% endmessage %}', '"system", "user", "assistant", in quotes'),
        ('{% message "user" %}a{% endmessage %}{% block user %}{{ thing }}{% endblock %}', "messages and blocks"),
    ],
)
def test_messages_that_no_model_takes_are_one_error(box: Box, body: str, says: str) -> None:
    box.write("prompts/colour-v1.0.md", HEAD + body)
    (error,) = box.row3("--mode", "replay", code=2).errors
    assert "prompts/colour-v1.0.md" in error and says in error
    lint = box.row3("lint", code=2).out
    assert says in lint and "prompts/colour-v1.0.md" in lint
