"""A project of kind `checks` whose prompt names a schema, and a server that keeps the requests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.projects import Box
from tests.support_desk import Desk, desk_box

TICKET: dict[str, Any] = {
    "type": "object",
    "properties": {
        "category": {"type": "string", "enum": ["billing", "bug", "question"]},
        "reply": {"type": "string"},
    },
    "required": ["category", "reply"],
    "additionalProperties": False,
}
FITTING = {"category": "billing", "reply": "We will refund it."}
MODELS = '''
from typing import Literal

from pydantic import BaseModel, ConfigDict


class Ticket(BaseModel):
    model_config = ConfigDict(extra="forbid")

    category: Literal["billing", "bug", "question"]
    """What it is about."""
    reply: str


NUMBER = 3
'''
PROMPT = """---
name: answer
version: "{version}"
output: answer
schema: "{schema}"
---
{{% block user %}}{version}: {{{{ question }}}}{{% endblock %}}
"""
CHECKS = {"capital": [{"equals": "billing", "path": "$.category"}], "refund": [{"no_placeholder": True}]}


def ticket_desk(**answers: str) -> Desk:
    """A model that answers v1.0, and v1.1 likewise, with what fits but for the given answers."""
    said = {"capital": json.dumps(FITTING), "refund": json.dumps(FITTING)} | answers
    return Desk({"1.0": said, "1.1": said}, lambda _: "")


def ticket_box(root: Path, desk: Desk, schema: str = "schemas/ticket.json") -> Box:
    """A project with the prompt v1.0, a schema's file and a module of models; nothing is recorded yet."""
    box = desk_box(root, desk, checks=CHECKS)
    box.write("schemas/ticket.json", json.dumps(TICKET, indent=2))
    box.write("models.py", MODELS)
    ask_with(box, schema)
    return box


def ask_with(box: Box, schema: str, version: str = "1.0") -> None:
    """Write a version of the prompt that names a schema."""
    box.write(f"prompts/answer-v{version}.md", PROMPT.format(version=version, schema=schema))
