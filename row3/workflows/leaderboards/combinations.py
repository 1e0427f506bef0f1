"""Models × prompt versions: every way in which a suite's cases can be asked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from row3.domain.counts import did_you_mean
from row3.domain.prompts import PromptRef, parse_version
from row3.errors import UsageError
from row3.store import prompts as prompt_store
from row3.store.project import Project
from row3.store.suites import Suite
from row3.workflows.diffing.sides import recorded_models
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.run_suite import RunOptions, make_asking

MOST = 200
"""Combinations of one leaderboard."""


def combinations(
    project: Project, suite: Suite, options: RunOptions, *, prompts: Sequence[str] = (), models: Sequence[str] = ()
) -> list[Asking]:
    """Every combination of a model with a version of each prompt of the pipeline, each once.

    Args:
        options: of each run; their model is put in place.
        prompts: versions (`v1.0`: of every prompt of the pipeline that has it) and references
            (`decompose-concepts-v1.1`). A prompt of which none is named takes part in its highest version; none at all:
            every version of every prompt.
        models: the names; none: all that are recorded, and those that the project names.
    Raises `UsageError` for what does not exist and for more than `MOST` combinations, `InvalidFile`.
    """
    chosen = _versions(project, suite, prompts)
    wanted: list[str | None] = [*dict.fromkeys(models)] or [None, *recorded_models(project, suite)]
    number = len(wanted) * math.prod(map(len, chosen))
    if number > MOST:
        raise UsageError(
            f"{number:,} combinations are more than {MOST}", where="row3 leaderboard", fix="Name some with --prompts"
        )
    found: dict[tuple[object, ...], Asking] = {}
    for picked in itertools.product(*chosen):
        lineup = line_up(project, suite, role="candidate", named=[str(ref) for ref in picked])
        for model in wanted:
            own = options if model is None else replace(options, overrides=replace(options.overrides, model=model))
            try:
                asking = make_asking(suite, lineup, own)
            except UsageError:
                if model is None and len(wanted) > 1:
                    continue  # neither flags, `row3.toml` nor the prompts name a model; others are recorded
                raise
            found.setdefault((picked, *asking.parameters.values()), asking)
    return list(found.values())


def _versions(project: Project, suite: Suite, prompts: Sequence[str]) -> list[list[PromptRef]]:
    """For each prompt of the pipeline, the versions that take part."""
    there = prompt_store.versions(project.tree)
    pipeline = [prompt.ref.name for prompt in line_up(project, suite, role="candidate").prompts]
    pipeline = [name for name in pipeline if name in there]  # a call has no versions to choose from
    known = [PromptRef(name, version) for name in pipeline for version in there[name]]
    chosen: list[PromptRef] = [] if prompts else known
    for text in prompts:
        version = parse_version(text)
        found = [ref for ref in known if ref.version == version or str(ref) == text.removeprefix("prompts/")]
        if not found:
            names = [str(ref) for ref in known]
            hint = did_you_mean(text, names, f"There are {', '.join(names)}")
            raise UsageError(f"no prompt in the pipeline has version `{text}`", where="--prompt or --prompts", fix=hint)
        chosen += [ref for ref in found if ref not in chosen]
    return [[ref for ref in chosen if ref.name == name] or [PromptRef(name, there[name][-1])] for name in pipeline]
