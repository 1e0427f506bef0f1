"""Another version of a rubric in the place of the one that grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from row3.domain.prompts import Prompt, parse_reference
from row3.store.project import Project
from row3.store.prompts import read_prompt, versions
from row3.store.suites import Suite


def named_rubric(project: Project, text: str) -> Prompt | None:
    """Return the rubric that a reference names, `helpfulness-v1.1`; None for what names none. Raises `InvalidFile`."""
    ref = parse_reference(text.removeprefix("prompts/"))
    if ref is None or ref.version not in versions(project.tree).get(ref.name, ()):
        return None
    prompt = read_prompt(project.tree, ref)
    return prompt if prompt.is_rubric else None


def under_rubrics(suite: Suite, rubrics: Mapping[str, Prompt]) -> Suite:
    """Return the suite with other versions of its rubrics, by name."""
    judge = suite.rules.judge
    if judge is None or not rubrics:
        return suite
    return replace(suite, rules=replace(suite.rules, judge=replace(judge, rubrics={**judge.rubrics, **rubrics})))
