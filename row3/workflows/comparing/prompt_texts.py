"""How the texts of a comparison's prompts differ from the base's, and which versions ask the same."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from row3.domain.prompts import Lineup, Prompt, PromptRef, parse_version
from row3.errors import InvalidFile
from row3.store.project import Project
from row3.store.prompts import read_prompt

if TYPE_CHECKING:
    from row3.workflows.comparing.gate import Gate


def diffs_of(gate: Gate, lineup: Lineup) -> dict[str, str]:
    """Return the unified diff of each prompt that the base has in another text, as far as that text is at hand."""
    found = {}
    place = gate.session.project if gate.base is None else gate.base.project
    for prompt in lineup.prompts:
        name = prompt.ref.name
        if gate.side.header.prompt_digests.get(name, prompt.digest) != prompt.digest:
            old = _version(place, name, gate.side.header.prompts[name])
            if old is not None and old.digest == gate.side.header.prompt_digests[name]:
                found[name] = text_diff(old.text, prompt.text, (str(old.ref), str(prompt.ref)))
    return found


def copies_of(project: Project, lineup: Lineup) -> list[str]:
    """Return the versions that await promotion and ask word for word what the promoted one asks."""
    return [str(prompt.ref) for prompt in lineup.prompts if asks_the_same(project, lineup, prompt)]


def asks_the_same(project: Project, lineup: Lineup, prompt: Prompt) -> bool:
    """Return whether a version awaits promotion and asks what the promoted one asks."""
    promoted = lineup.promoted.get(prompt.ref.name)
    if promoted is None or not lineup.awaits_promotion(prompt.ref):
        return False
    current = _version(project, prompt.ref.name, promoted)
    return current is not None and _asked(prompt) == _asked(current)


def text_diff(before: str, after: str, names: tuple[str, str], *, context: int = 2) -> str:
    """Return the unified diff of two prompt texts."""
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="", n=context))


def _version(project: Project, name: str, version: str) -> Prompt | None:
    parsed = parse_version(version)
    try:
        return None if parsed is None else read_prompt(project.tree, PromptRef(name, parsed))
    except InvalidFile:
        return None


def _asked(prompt: Prompt) -> tuple[object, ...]:
    """What of a prompt can affect an answer: all but its version and description."""
    return prompt.body, prompt.output, dict(prompt.parameters)
