"""How the texts of a comparison's prompts differ: from the baseline's, and from the promoted ones."""

from __future__ import annotations

from row3.domain.prompts import Prompt, PromptRef, parse_version
from row3.errors import InvalidFile
from row3.store.project import Project
from row3.store.prompts import read_prompt
from row3.workflows.comparing.compare import Comparison
from row3.workflows.comparing.differences import text_diff


def tell_texts(project: Project, comparison: Comparison) -> None:
    """Put the texts' diffs into the comparison, and what asks the same in another version."""
    lineup = comparison.run.lineup
    for prompt in lineup.prompts:
        name = prompt.ref.name
        before, promoted = comparison.baseline.prompts.get(name), lineup.promoted.get(name)
        old = _other(project, prompt, before)
        if old is not None:
            comparison.prompt_diffs[name] = text_diff(old.text, prompt.text, (str(old.ref), str(prompt.ref)))
        current = old if before == promoted else _other(project, prompt, promoted)
        if current is not None and lineup.awaits_promotion(prompt.ref) and _asked(prompt) == _asked(current):
            comparison.copies.append(str(prompt.ref))
            same = f"{name} {prompt.ref.version} asks word for word what {current.ref.version} asks"
            comparison.differs.insert(0, same)


def _other(project: Project, prompt: Prompt, version: str | None) -> Prompt | None:
    """That version of a prompt; None where it is the prompt's own, or is not to be had."""
    there = None if version is None else parse_version(version)
    if there is None or there == prompt.ref.version:
        return None
    try:
        return read_prompt(project.root, PromptRef(prompt.ref.name, there))
    except InvalidFile:
        return None


def _asked(prompt: Prompt) -> tuple[object, ...]:
    """What of a prompt can move an answer: all but its version and description."""
    return prompt.body, prompt.output, dict(prompt.parameters)
