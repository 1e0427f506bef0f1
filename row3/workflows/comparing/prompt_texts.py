"""How the texts of a comparison's prompts differ: from the baseline's, and from the promoted ones."""

from __future__ import annotations

from row3.domain.prompts import Prompt, PromptRef, parse_version
from row3.errors import InvalidFile
from row3.store.project import Project
from row3.store.prompts import read_prompt
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.comparing.differences import text_diff
from row3.workflows.pipeline.lineup import Lineup


def tell_texts(project: Project, comparison: Comparison) -> None:
    """Put the texts' diffs into the comparison, and what asks the same in another version."""
    lineup = comparison.run.lineup
    for prompt in lineup.prompts:
        name = prompt.ref.name
        old = _other(project, prompt, comparison.baseline.prompts.get(name))
        if old is not None:
            comparison.prompt_diffs[name] = text_diff(old.text, prompt.text, (str(old.ref), str(prompt.ref)))
        if same := asks_the_same(project, lineup, prompt):
            comparison.copies.append(str(prompt.ref))
            comparison.differs.insert(0, same)


def asks_the_same(project: Project, lineup: Lineup, prompt: Prompt) -> str:
    """What is told of a version that awaits promotion and asks what the promoted one asks; else empty."""
    if not lineup.awaits_promotion(prompt.ref):
        return ""
    current = _other(project, prompt, lineup.promoted.get(prompt.ref.name))
    if current is None or _asked(prompt) != _asked(current):
        return ""
    return f"{prompt.ref.name} {prompt.ref.version} asks word for word what {current.ref.version} asks"


def _other(project: Project, prompt: Prompt, version: str | None) -> Prompt | None:
    """That version of a prompt; None where it is the prompt's own, or is not to be had."""
    there = None if version is None else parse_version(version)
    if there is None or there == prompt.ref.version:
        return None
    try:
        return read_prompt(project.tree, PromptRef(prompt.ref.name, there))
    except InvalidFile:
        return None


def _asked(prompt: Prompt) -> tuple[object, ...]:
    """What of a prompt can move an answer: all but its version and description."""
    return prompt.body, prompt.output, dict(prompt.parameters)
