"""`row3 investigate`: one case run again, and everything that can be said about why it scored as it did."""

from __future__ import annotations

import asyncio
import glob
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from row3.domain.asks import finish
from row3.domain.embeddings import EmbeddingRequest
from row3.domain.matches import Items
from row3.domain.metrics import Metric
from row3.domain.requests import Answer, NoAnswer, Request
from row3.domain.scores import CaseScore
from row3.errors import Row3Error, RunIncomplete
from row3.gate.comparison import POINT, worse_by
from row3.gate.pairs import both_sides
from row3.gate.policy import GatePolicy
from row3.gate.zones import SLACK, zones_of
from row3.reports.investigations.checklist import checklist, truncated
from row3.reports.investigations.extraction import ExtractionFindings, prompt_for
from row3.reports.investigations.model import Fall, Investigation, Symptom, item_findings
from row3.store.cases import StoredCase
from row3.store.chosen_cases import cases_of, choose_cases
from row3.store.project import Project
from row3.store.recording_lines import merge, to_line
from row3.store.recordings import open_index
from row3.store.suites import Suite, baseline_tier
from row3.store.transaction import writing
from row3.workflows.comparing.sides import baseline_side
from row3.workflows.pipeline.asks import Given, Question
from row3.workflows.pipeline.collecting import now
from row3.workflows.pipeline.evaluate import Asking, steps
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.meanings import Source, vector_source
from row3.workflows.pipeline.providers import open_provider
from row3.workflows.pipeline.replaying import miss, open_recordings, refuse_replacing
from row3.workflows.pipeline.run_suite import RunOptions, make_asking

Said = list[tuple[Request, Answer]]
"""What was asked of the case, with the answers."""


def investigate(
    project: Project, suite: Suite, case_id: str, options: RunOptions | None = None, *, named: Sequence[str] = ()
) -> Investigation:
    """Run one case, by replay unless said otherwise. Raises `UsageError`, `RunIncomplete`, `InvalidFile`."""
    only = choose_cases(project, suite, [glob.escape(case_id)])
    options = replace(options or RunOptions(), only=only, repeats=1)
    stored = next(cases_of(project, suite, only))
    asking = make_asking(suite, line_up(project, suite, role="candidate", named=named), options)
    with vector_source(project, suite, options.mode or "replay") as vectors:
        score, said = _walk(asking, stored, _answers(project, asking, options), vectors)
    if score.status == "failed":
        raise RunIncomplete("the case has no answer", where=case_id, fix=score.problem)
    symptoms, notes = _symptoms(project, suite, stored, score)
    shown = {symptom.metric.key: symptom.metric.title for symptom in symptoms if symptom.value is None}
    skipped = (f"{shown[key]} does not apply: {reason}" for key, reason in score.skipped.items() if key in shown)
    mode = " --mode auto" if project.config.mode == "replay" else ""
    found = Investigation(
        case_id=stored.id,
        suite=suite.name,
        kind=suite.kind.name,
        date=now()[:10],
        prompts=asking.lineup.versions(),
        model=", ".join(dict.fromkeys(request.model for request, _ in said)),
        status=score.status,
        problem=score.problem,
        raw=score.raw,
        notes=(*score.notes, *skipped, *notes),
        symptoms=symptoms,
        findings=item_findings(score.explanation) if isinstance(score.explanation, Items) else (),
        flags=suite.flags("row3 --compare", *(["mode"] if mode else [])) + mode,
        change="",
        query=getattr(stored.case, "query", ""),
    )
    if not isinstance(score.explanation, Items):
        found = _of_extraction(found, asking, stored.case, score, said)
    return replace(found, change=_where_to_change(asking, found.fixes))


def _of_extraction(found: Investigation, asking: Asking, case: Any, score: CaseScore, said: Said) -> Investigation:
    """Return the investigation with what only an extraction has: places in the text, checklist and fixes."""
    prompts, predicates = asking.lineup.prompts, tuple(score.tally.get("unknownPredicates", ()))
    quotes = [concept.quote for concept in score.output.concepts] if score.output is not None else []
    looked_up = ExtractionFindings(case, score.explanation, quotes, asking.suite.rules.names)
    cut = [f"Raise `max_tokens` of {prompt}: its answer was cut off." for prompt in truncated(said)]
    if score.status == "bad_answer":
        prompt = score.problem.partition(":")[0]
        fix = f"`{prompt}`: ask for JSON and nothing else, and check that the model keeps to the output schema."
        return replace(found, findings=looked_up.lists(()), fixes=(*cut, fix))
    fixes = looked_up.fixes(prompt_for(prompts, "concepts"), prompt_for(prompts, "relationships"), predicates)
    return replace(
        found,
        findings=looked_up.lists(predicates),
        checklist=checklist(looked_up, prompts, said),
        fixes=(*cut, *fixes),
    )


def _where_to_change(asking: Asking, fixes: Sequence[str]) -> str:
    """Return in which file the change goes: the prompt that the fixes name first, or the system's own code."""
    lineup = asking.lineup
    if asking.suite.system is not None:
        return "Make the change in the system that answers."
    named = [prompt.ref for prompt in lineup.prompts if any(str(prompt.ref) in fix for fix in fixes)]
    ref = (named or [prompt.ref for prompt in lineup.prompts])[0]
    if lineup.promoted.get(ref.name) == str(ref.version):
        return f"Make the change in a new version: `row3 new-version {ref.name}`."
    return f"Make the change in `prompts/{ref}.md`, which is not promoted."


def _walk(
    asking: Asking, stored: StoredCase, answer: Callable[[Request], Answer | NoAnswer], vectors: Source | None
) -> tuple[CaseScore, Said]:
    said = Said()

    def given(question: Question) -> Given:
        if isinstance(question, EmbeddingRequest):
            assert vectors is not None
            return vectors(question)
        if isinstance(found := answer(question), Answer):
            said.append((question, found))
        return found

    return finish(steps(asking, stored), given), said


def _answers(project: Project, asking: Asking, options: RunOptions) -> Callable[[Request], Answer | NoAnswer]:
    """Return what answers in the options' mode; an answer to be recorded is on disk as soon as it is given."""
    suite, mode = asking.suite, options.mode or "replay"
    index = open_recordings(project, suite) if mode in ("replay", "auto") else None
    replaced = open_index(project.tree, suite.name) if mode == "record" else None

    async def ask(request: Request) -> Answer | NoAnswer:
        provider = open_provider(project, suite)
        try:
            return await provider.ask(request)
        finally:
            await provider.close()

    def answer(request: Request) -> Answer | NoAnswer:
        if index is not None and ((recorded := index.answer(request)) is not None or mode == "replay"):
            return recorded or miss(index, request, asking.lineup)
        if replaced is not None:
            refuse_replacing(project, replaced, request)
        given = asyncio.run(ask(request))
        if isinstance(given, Answer) and mode in ("auto", "record"):
            with writing(project.local):
                merge(project.root, suite.name, [to_line(request, given, recorded_at=now())])
        return given

    return answer


def _symptoms(
    project: Project, suite: Suite, stored: StoredCase, score: CaseScore
) -> tuple[tuple[Symptom, ...], list[str]]:
    """Return the metrics that apply, paired with the baseline's as the gate pairs them, and notes on the baseline."""
    metrics, limits = suite.kind.metrics, suite.rules.thresholds
    before, notes = _baseline(project, suite, stored)
    zones = zones_of(score.metrics, metrics, limits)
    old, new = (before.metrics, score.metrics) if before is not None else ({}, score.metrics)
    if before is not None:
        old, new = both_sides(suite.kind, before.metrics, score.metrics)
        if old is not before.metrics or new is not score.metrics:
            who = "The baseline's answer" if old is not before.metrics else "This answer"
            notes.append(f"{who} is silent where nothing is to be found, which is flawless beside one that invents.")
    return tuple(
        Symptom(
            m,
            new.get(m.key),
            zones.get(m.key),
            limits.get(m.key),
            old.get(m.key),
            fall_of(m, old.get(m.key), new.get(m.key), suite.policy),
        )
        for m in metrics
        if m.key in new or not m.optional
    ), notes


def fall_of(metric: Metric, before: float | None, now: float | None, policy: GatePolicy) -> Fall | None:
    """Return how far one case fell beyond the gate's limit for means; None if it did not or lacks a value."""
    if before is None or now is None:
        return None
    limit, up = policy.limit(metric.key), metric.higher_is_better
    worse = worse_by(before, now, higher_is_better=up, unit=policy.unit)
    if worse <= limit + POINT * SLACK:
        return None
    relative = policy.unit == "relative" and abs(before) > SLACK  # else `worse_by` takes points
    room = limit / POINT * (abs(before) if relative else 1.0)
    return Fall(worse, limit, before - room if up else before + room, relative)


def _baseline(project: Project, suite: Suite, stored: StoredCase) -> tuple[CaseScore | None, list[str]]:
    """Return how the baseline's answer to a case scores now, if it has one, and what to know about it."""
    if not project.tree.exists(project.baseline(suite.name, baseline_tier(project, suite))):
        return None, ["There is no baseline to compare with."]
    try:
        side = baseline_side(project, suite)
        answered = side.score(stored)
    except Row3Error as error:
        return None, [f"The baseline cannot be used: {error}"]
    if answered is None:
        return None, ["The case is not in the baseline."]
    score, header = answered[0], side.header
    if score.status == "failed":
        return None, [f"The baseline has no answer to this case: {score.problem}."]
    prompts = ", ".join(f"{name} {version}" for name, version in header.prompts.items())
    changed = side.manifest is not None and side.manifest.cases[stored.id].digest != stored.digest
    note = "; the golden case has changed since" if changed else ""
    return score, [f"Baseline: {header.at[:10]}, {prompts}, {header.model}{note}."]
