"""Choose the prompt and rubric versions that run: promoted, candidate, or named ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from row3.domain.prompts import Lineup, Prompt, PromptRef, Version, parse_reference, parse_version
from row3.domain.words import did_you_mean, nearest
from row3.errors import InvalidFile, UsageError
from row3.kinds import of_another_kind
from row3.kinds.outputs import Found
from row3.project.project import Project
from row3.project.suites import Suite
from row3.running.stages import call_name, call_stage, no_prompts

Role = Literal["promoted", "candidate"]


def line_up(
    project: Project,
    suite: Suite,
    *,
    role: Role,
    named: Sequence[str] = (),
    pinned: Mapping[str, str] = {},
    where: str = "--prompt",
) -> Lineup:
    """Return the lineup: promoted versions (the highest if none is), or as candidates the highest.

    `named` references and `pinned` versions replace their prompt's; errors blame `where` for the named ones. Raises
    `InvalidFile`, also for a promoted version edited in place, and `UsageError`.
    """
    if suite.system is not None:
        if named:
            raise no_prompts(suite, where)
        return _answering(suite, _system_lineup(project, suite, pinned))
    existing = project.versions
    promoted = project.promoted
    wanted = _named(named, existing, where)
    of_arms = (name for arm in (suite.arms or {}).values() for name in arm.pipeline)
    pipeline = tuple(dict.fromkeys((*(suite.pipeline or _default_pipeline(project, suite, existing)), *of_arms)))
    for name in wanted:
        if name not in pipeline:
            what = f"prompt `{name}` is not in the pipeline of suite `{suite.name}`"
            others = [f"--suite {other}" for other, its in project.config.suites.items() if name in its.pipeline]
            elsewhere = f"; the prompt belongs to {' and '.join(others)}" if others else ""
            raise UsageError(what, where=where, fix=f"The pipeline is {' → '.join(pipeline)}{elsewhere}")
    project.check_locked()
    chosen = []
    for name in pipeline:
        if name not in existing:
            near = nearest(name, existing)
            fix = f"Did you mean `{near}`, in the pipeline in row3.toml?" if near else ""
            fix = fix or "Write it, or correct the pipeline in row3.toml"
            raise InvalidFile(f"prompt `{name}` has no version", where=f"prompts/{name}-v1.0.md", fix=fix)
        version = existing[name][-1]
        if role == "promoted" and name in promoted:
            version = _parsed(promoted[name].version)
        if name in pinned:
            version = _parsed(pinned[name])
        prompt = project.suite_prompt(PromptRef(name, wanted.get(name, version)), suite.name)
        if prompt.output not in suite.kind.outputs:
            what = f"field `output`: `{prompt.output}` is not an output of kind `{suite.kind.name}`"
            raise InvalidFile(what, where=prompt.path, fix=f"Outputs: {', '.join(suite.kind.outputs)}")
        chosen.append(prompt)
    lineup = Lineup(
        tuple(chosen),
        {name: entry.version for name, entry in promoted.items() if name in pipeline},
        {name: frozenset(entry.locked) - {entry.version} for name, entry in promoted.items() if name in pipeline},
    )
    return _answering(suite, _arms_lineup(project, suite, lineup, pinned) if suite.arms else lineup)


def _answering(suite: Suite, lineup: Lineup) -> Lineup:
    """Return a lineup if nothing ends with what a system found, which no metric scores. Raises `InvalidFile`."""
    for last in dict(lineup.steps).values():
        if suite.kind.outputs.get(last.output) is Found:
            what = f"nothing answers from what `{last.ref.name}` found (`output: {last.output}`)"
            fix = f"Add a prompt with `output: {suite.kind.whole}` to `pipeline` in row3.toml"
            raise InvalidFile(what, where=last.path, fix=fix)
    return lineup


def _system_lineup(project: Project, suite: Suite, pinned: Mapping[str, str]) -> Lineup:
    """Return the lineup of a system: its call, in the version that `row3.toml` sets, which counts as promoted."""
    stage = call_stage(project, suite)
    if stage.ref.name in pinned:
        stage = call_stage(project, suite, _parsed(pinned[stage.ref.name]))
    return Lineup((stage,), {stage.ref.name: str(stage.ref.version)})


def _arms_lineup(project: Project, suite: Suite, lineup: Lineup, pinned: Mapping[str, str]) -> Lineup:
    """Return the lineup of a suite with arms: each arm's call, if any, and its prompts, which `lineup` has chosen."""
    chosen = {prompt.ref.name: prompt for prompt in lineup.prompts}
    stages: dict[str, Prompt] = {}
    promoted = dict(lineup.promoted)
    arms: dict[str, tuple[str, ...]] = {}
    for name, arm in (suite.arms or {}).items():
        own = {each: chosen[each] for each in arm.pipeline or chosen}
        if arm.system is not None:
            call = _system_lineup(project, arm, pinned)
            own = {call.prompts[0].ref.name: call.prompts[0], **own}
            promoted |= call.promoted
        stages |= own
        arms[name] = tuple(own)
    return Lineup(tuple(stages.values()), promoted, lineup.formerly, arms)


def arm_steps(suite: Suite, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the names of each arm's stages in order, limited to those in a baseline's `names`."""
    arms, known = suite.arms or {}, dict.fromkeys(names)
    calls = {name: (call_name(arm.system),) for name, arm in arms.items() if arm.system is not None}
    prompts = [each for each in known if (each,) not in calls.values()]
    return {
        name: tuple(each for each in (*calls.get(name, ()), *(arm.pipeline or prompts)) if each in known)
        for name, arm in arms.items()
    }


def _parsed(text: str) -> Version:
    version = parse_version(text)
    if version is None:
        fix = "Versions are v<major>.<minor>, such as v1.0"
        raise InvalidFile(f"`{text}` is not a version", where="prompts", fix=fix)
    return version


def _named(named: Sequence[str], existing: Mapping[str, Sequence[Version]], where: str) -> dict[str, Version]:
    wanted: dict[str, Version] = {}
    for text in named:
        ref = parse_reference(text.removeprefix("prompts/"))
        if ref is None:
            fix = f"Write it like {_example(text, existing)}"
            raise UsageError(f"`{text}` is not a prompt version", where=where, fix=fix)
        if ref.name not in existing:
            fix = did_you_mean(ref.name, existing, f"Prompts: {', '.join(existing) or 'none'}")
            raise UsageError(f"prompt `{ref.name}` does not exist", where=where, fix=fix)
        if ref.version not in existing[ref.name]:
            fix = f"Versions: {', '.join(map(str, existing[ref.name]))}"
            raise UsageError(f"`{ref}` does not exist", where=where, fix=fix)
        if wanted.get(ref.name, ref.version) != ref.version:
            raise UsageError(f"two versions of `{ref.name}`", where=where, fix="Name only one")
        wanted[ref.name] = ref.version
    return wanted


def _example(text: str, existing: Mapping[str, Sequence[Version]]) -> str:
    """Return an example of a reference: to a prompt that the text begins with, else to any of the project's."""
    for name in (*(name for name in existing if text.startswith(name)), *existing):
        return f"{name}-{existing[name][-1]}"
    return "decompose-concepts-v1.1"


def _default_pipeline(project: Project, suite: Suite, existing: Mapping[str, Sequence[Version]]) -> tuple[str, ...]:
    """Return the pipeline if none is configured: all prompts but other kinds', in the order of the kind's outputs."""
    if not existing:
        fix = f"Write prompts/<name>-v1.0.md with `output: {suite.kind.whole}` (see `row3 docs prompts`)"
        raise InvalidFile("the project has no prompts", where="prompts/", fix=fix)
    order = list(suite.kind.outputs)
    ranked = []
    for name, versions in existing.items():
        output = project.prompt(PromptRef(name, versions[-1])).output
        if not of_another_kind(output, suite.kind):
            ranked.append((order.index(output) if output in order else len(order), name))
    if not ranked:
        what = f"no prompt has an output of kind `{suite.kind.name}` ({' or '.join(order)})"
        fix = f"Write one, or score outputs made elsewhere: `row3 score {suite.name} --outputs FILE.jsonl`"
        raise InvalidFile(what, where=f"prompts/ for suite `{suite.name}`", fix=fix)
    return tuple(name for _, name in sorted(ranked))


def resolve_version(project: Project, suite: Suite, text: str) -> list[PromptRef]:
    """Return the version that a reference names; for a bare `v1.1`, that of each prompt in the pipeline that has it.

    Raises `UsageError`.
    """
    if suite.system is not None:
        raise no_prompts(suite, "VERSION")
    existing = project.versions
    ref = parse_reference(text.removeprefix("prompts/"))
    if ref is not None:
        _named([str(ref)], existing, "VERSION")
        return [ref]
    version = parse_version(text)
    if version is None:
        fix = f"Write it like v1.1 or {_example(text, existing)}"
        raise UsageError(f"`{text}` is not a version", where="VERSION", fix=fix)
    pipeline = suite.pipeline or _default_pipeline(project, suite, existing)
    if found := [PromptRef(name, version) for name in pipeline if version in existing.get(name, ())]:
        return found
    known = ", ".join(f"{name} {v}" for name in pipeline for v in existing.get(name, ()))
    raise UsageError(f"no prompt has version {version}", where="VERSION", fix=f"Versions: {known}")


def named_rubric(project: Project, text: str) -> Prompt | None:
    """Return the rubric of a reference such as `helpfulness-v1.1`; None if it is no rubric. Raises `InvalidFile`."""
    ref = parse_reference(text.removeprefix("prompts/"))
    if ref is None or ref.version not in project.versions.get(ref.name, ()):
        return None
    prompt = project.prompt(ref)
    return prompt if prompt.is_rubric else None


def with_rubrics(suite: Suite, rubrics: Mapping[str, Prompt]) -> Suite:
    """Return the suite with these versions of its rubrics, by name."""
    judge = suite.rules.judge
    if judge is None or not rubrics:
        return suite
    return replace(suite, rules=replace(suite.rules, judge=replace(judge, rubrics={**judge.rubrics, **rubrics})))
