"""The words of a prompt that an optimiser may change: the text of its blocks, and nothing around or between."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from row3.domain.prompts import Prompt, PromptRef
from row3.domain.requests import digest_text
from row3.errors import InvalidFile
from row3.store.prompts import parse_prompt
from row3.workflows.pipeline.templates import used_names
from row3.workflows.promoting.new_version import renumbered

BLOCK = re.compile(
    r"\{%[-+]?\s*block\s+(?P<name>system|user)\b[^%]*%\}\s*(?P<text>.*?)\s*\{%[-+]?\s*endblock\b[^%]*%\}", re.DOTALL
)
COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
DESCRIPTION = re.compile(r"""^["']?description["']?[ \t]*:.*\n(?:[ \t]+.*\n|[ \t]*\n)*""", re.MULTILINE)

Wording = Mapping[str, str]
"""Text by block."""


def wording_of(prompt: Prompt) -> dict[str, str]:
    """Return the text of each block. Raises `InvalidFile` for a template that has no block `user`, or nested ones."""
    used_names(prompt)
    found = {match["name"]: match["text"] for match in BLOCK.finditer(prompt.body)}
    if "user" not in found or any(re.search(r"\{%[-+]?\s*block\b", text) for text in found.values()):
        fix = "Write `{% block user %}…{% endblock %}`, with no block inside another"
        raise InvalidFile("the text of its blocks cannot be told", where=prompt.path, fix=fix)
    return dict(sorted(found.items(), reverse=True))  # the first is tried first


def reworded(prompt: Prompt, wording: Wording) -> Prompt:
    """Return the prompt with other text in its blocks."""

    def other(match: re.Match[str]) -> str:
        start = match.start()
        return match[0][: match.start("text") - start] + wording[match["name"]] + match[0][match.end("text") - start :]

    body = BLOCK.sub(other, prompt.body)
    text = prompt.text.removesuffix(prompt.body) + body
    # Known by another path, so that what is wrong with its template is told from what is wrong elsewhere.
    return replace(prompt, body=body, text=text, digest=digest_text(text), path=f"{prompt.path} reworded")


def flaw_in(old: Wording, new: Wording) -> str:
    """Return which placeholders a wording loses or adds, in a sentence; empty for none."""
    for name, text in old.items():
        before, after = _tags(text), _tags(new[name])
        for word, tags in (("loses", before - after), ("adds", after - before)):
            if tags:
                return f"The text {word} {', '.join(sorted(tags))}."
    return ""


def _tags(text: str) -> set[str]:
    tags = TAG.findall(COMMENT.sub("", text))
    return {f"{tag[:2]} {' '.join(tag[2:-2].strip('-+').split())} {tag[-2:]}" for tag in tags}


def draft_of(prompt: Prompt, ref: PromptRef, description: str) -> str:
    """Return the text of a file with the prompt as another version. Raises `InvalidFile` where that cannot be made."""
    head = prompt.text.removesuffix(prompt.body)
    line = f"description: {json.dumps(description, ensure_ascii=False)}\n"
    head, found = DESCRIPTION.subn(lambda _: line, head, count=1)
    if not found:
        before, ruler, after = head.rpartition("---")
        head = f"{before}{line}{ruler}{after}"
    text = renumbered((head + prompt.body).encode(), prompt.ref, ref).decode()
    parse_prompt(text, ref, path=f"prompts/{ref}.md", where=f"prompts/{ref}.md")
    return text
