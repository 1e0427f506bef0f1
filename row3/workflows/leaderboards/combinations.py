"""Models × prompt versions: every way in which a suite's cases can be asked."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Collection, Sequence
from dataclasses import replace

from row3.domain.prompts import PromptRef, Version, parse_reference, parse_version
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
    project: Project,
    suite: Suite,
    options: RunOptions,
    *,
    prompts: Sequence[str] = (),
    models: Sequence[str] = (),
    named: Collection[str] = (),
) -> list[Asking]:
    """Every combination of a model with a version of each prompt of the pipeline, each once.

    Args:
        options: of each run; their model is put in place.
        prompts: versions (`v1.0`: of every prompt of the pipeline that has it) and references
            (`decompose-concepts-v1.1`). A prompt of which none is named takes part in its highest version; none at all:
            every version of every prompt.
        named: those of `prompts` that --prompt named, for messages.
        models: the names; none: all that are recorded, and those that the project names.
    Raises `UsageError` for what does not exist and for more than `MOST` combinations, `InvalidFile`.
    """
    chosen = _versions(project, suite, prompts, named)
    wanted: list[str | None] = list(dict.fromkeys(models)) or [*_own_model(project, suite, options)]
    if not models:
        wanted += recorded_models(project, suite)
    count = len(wanted)
    for versions in chosen.values():
        count *= len(versions)
    if count > MOST:
        raise UsageError(
            f"{count:,} combinations are more than {MOST}", where="row3 leaderboard", fix="Name some with --prompts"
        )
    found: dict[tuple[object, ...], Asking] = {}
    for picked in itertools.product(*chosen.values()):
        named = tuple(str(PromptRef(name, version)) for name, version in zip(chosen, picked, strict=True))
        lineup = line_up(project, suite, role="candidate", named=named)
        for model in wanted:
            own = options if model is None else replace(options, overrides=replace(options.overrides, model=model))
            asking = make_asking(suite, lineup, own)
            found.setdefault((picked, tuple(asking.parameters.values())), asking)
    return list(found.values())


def _own_model(project: Project, suite: Suite, options: RunOptions) -> list[None]:
    """The model that flags, `row3.toml` or the prompts name; nothing where they name none and others are recorded."""
    try:
        make_asking(suite, line_up(project, suite, role="candidate"), options)
    except UsageError:
        if not recorded_models(project, suite):
            raise
        return []
    return [None]


def _versions(
    project: Project, suite: Suite, prompts: Sequence[str], named: Collection[str]
) -> dict[str, list[Version]]:
    """By prompt name in pipeline order, the versions that take part."""
    there = prompt_store.versions(project.tree)
    pipeline = [prompt.ref.name for prompt in line_up(project, suite, role="candidate").prompts]
    if not prompts:
        return {name: list(there[name]) for name in pipeline}
    chosen: dict[str, list[Version]] = {name: [] for name in pipeline}
    for text in prompts:
        for name, version in _meant(text, pipeline, there, where="--prompt" if text in named else "--prompts"):
            if version not in chosen[name]:
                chosen[name].append(version)
    return {name: versions or [there[name][-1]] for name, versions in chosen.items()}


def _meant(
    text: str, pipeline: Sequence[str], there: dict[str, list[Version]], *, where: str
) -> list[tuple[str, Version]]:
    known = [str(PromptRef(name, version)) for name in pipeline for version in there[name]]
    ref, version = parse_reference(text.removeprefix("prompts/")), parse_version(text)
    if ref is not None and str(ref) in known:
        return [(ref.name, ref.version)]
    if version is not None:
        found = [(name, version) for name in pipeline if version in there[name]]
        if found:
            return found
        raise UsageError(f"no prompt has version {version}", where=where, fix=f"There are {', '.join(known)}")
    near = difflib.get_close_matches(text, known, n=1)
    hint = f"Did you mean `{near[0]}`?" if near else f"There are {', '.join(known)}"
    raise UsageError(f"`{text}` is no version of a prompt in the pipeline", where=where, fix=hint)
