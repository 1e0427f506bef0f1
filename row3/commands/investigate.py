"""`row3 investigate`: run cases again and explain their scores."""

from __future__ import annotations

import asyncio
import glob
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace as with_fields
from functools import partial
from typing import NamedTuple

from row3.commands.investigation import Fall, InvestigatedCase, Investigation, Symptom
from row3.comparing.base_side import BaseSide, baseline_side
from row3.domain.asks import EmbeddingRequest, finish
from row3.domain.requests import Answer, NoAnswer, Request
from row3.domain.scores import CaseScore, Metric, Zone, zones_of
from row3.errors import Row3Error, RunIncomplete
from row3.gate.pairs import align_metrics
from row3.gate.policy import GatePolicy, is_ratio
from row3.kinds.checklist import Evidence, checklist
from row3.kinds.mistakes import UNUSABLE, Mistake, Mistakes
from row3.project.cases import StoredCase
from row3.project.chosen_cases import choose_cases
from row3.project.project import Project, has_baseline
from row3.project.recording_lines import merge, to_line
from row3.project.recordings import open_index
from row3.project.saved_runs import SavedRun, latest_runs, read_log
from row3.project.suites import Suite
from row3.project.transaction import writing
from row3.running.asks import Given, Question
from row3.running.collect import now
from row3.running.evaluate import Asking, steps
from row3.running.lineup import line_up
from row3.running.meanings import Source, vector_source
from row3.running.provider_access import open_provider
from row3.running.replay import miss, open_recordings, refuse_replacing
from row3.running.run_options import RunOptions, make_asking

Said = list[tuple[Request, Answer]]
"""Requests with their answers."""


class _Good(NamedTuple):
    """The last good run."""

    text: str
    """What it is, in words."""
    score: Callable[[StoredCase], tuple[CaseScore | None, str]] = lambda stored: (None, "")
    """Returns its score of a case, and a note on that."""


def investigate(
    project: Project, suite: Suite, cases: Sequence[str], options: RunOptions, *, named: Sequence[str] = ()
) -> Investigation:
    """Run these cases, or without any all and keep those that fail; replay unless `options` set a mode.

    Raises `UsageError`, `InvalidFile`, and `RunIncomplete` if a named case, or every case, has no answer.
    """
    only = choose_cases(project, suite, [glob.escape(case_id) for case_id in cases])
    options = with_fields(options, only=only, repeats=1)
    asking = make_asking(suite, line_up(project, suite, role="candidate", named=named), options)
    answers, good = _answers(project, asking, options), _last_good(project, suite)
    found, said, unanswered, total = list[InvestigatedCase](), Said(), dict[str, str](), 0
    with vector_source(project, suite, options.mode or "replay") as vectors:
        for stored in project.cases_of(suite, only):
            total += 1
            score, given = _walk(asking, stored, answers, vectors)
            if score.status == "failed":
                unanswered[stored.id] = score.problem
                continue
            case = _look_into(suite, stored, score, given, good)
            if cases or case.fails:
                found.append(case)
                said += given
    if unanswered and (cases or len(unanswered) == total):
        first, problem = next(iter(unanswered.items()))
        raise RunIncomplete("the case has no answer", where=first, fix=problem)
    mode = " --mode auto" if project.config.mode == "replay" else ""
    sizes: Counter[str] = Counter({"answer": len(found)})
    for case in found:
        sizes.update(case.faults.sizes)
    faults = tuple(fault for case in found for fault in case.faults.items)
    evidence = Evidence(faults, sizes, *checklist(suite.kind.name), asking.lineup.prompts, said)
    result = Investigation(
        suite=suite.name,
        kind=suite.kind.name,
        date=now()[:10],
        prompts=asking.lineup.versions(),
        model=", ".join(dict.fromkeys(request.model for request, _ in said)),
        good=good.text,
        cases=tuple(found),
        of=0 if cases else total,
        unanswered=tuple(unanswered),
        evidence=evidence,
        flags=suite.flags("row3 --compare", *(["mode"] if mode else [])) + mode,
        change="",
        prompted=suite.prompted,
    )
    return with_fields(result, change=_where_to_change(asking, result.fixes))


def _look_into(suite: Suite, stored: StoredCase, score: CaseScore, said: Said, good: _Good) -> InvestigatedCase:
    """Return what is wrong with one case's answer, compared with the last good run's."""
    before, note = good.score(stored)
    symptoms, notes = _symptoms(suite, score, before)
    known = before is not None and before.explanation is not None
    cut = any(answer.finish_reason == "length" for _, answer in said)
    return InvestigatedCase(
        id=stored.id,
        status=score.status,
        problem=score.problem,
        raw=score.raw,
        query=getattr(stored.case, "query", "") or getattr(stored.case, "question", ""),
        symptoms=symptoms,
        faults=_faults(suite, stored, score, cut=cut),
        before=_faults(suite, stored, before) if before is not None and known else None,
        notes=tuple(filter(None, (note, *notes))),
        remarks=(*score.notes, *dict.fromkeys(score.skipped.values())),
    )


def _faults(suite: Suite, stored: StoredCase, score: CaseScore, *, cut: bool = False) -> Mistakes:
    if score.status == "bad_answer":
        pair = "cut off by the token limit" if cut else ""
        return Mistakes((Mistake(UNUSABLE, score.problem, pair=pair, case_id=stored.id),), {})
    faults, sizes = suite.kind.mistakes(stored.case, score, suite.rules)
    return Mistakes(tuple(fault._replace(case_id=stored.id) for fault in faults), sizes)


def _where_to_change(asking: Asking, fixes: Sequence[str]) -> str:
    """Return a sentence that says where to make the change: the first prompt that the fixes name, or the system."""
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
    """Return the function that answers in the options' mode; it records an answer before it returns it."""
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
            with writing(project.root):
                merge(project.root, suite.name, [to_line(request, given, recorded_at=now())])
        return given

    return answer


def _symptoms(suite: Suite, score: CaseScore, before: CaseScore | None) -> tuple[tuple[Symptom, ...], list[str]]:
    """Return each applicable metric beside the good run's, paired as the gate pairs them, and notes on the pairing."""
    metrics, limits = suite.kind.metrics, suite.rules.thresholds
    zones, notes = zones_of(score.metrics, metrics, limits), []
    old, new = {} if before is None else before.metrics, score.metrics
    if before is not None:
        old, new = align_metrics(suite.kind, (before.metrics, score.metrics))
        if old is not before.metrics or new is not score.metrics:
            whose = "The good run's answer" if old is not before.metrics else "This answer"
            notes.append(f"{whose} correctly finds nothing, which counts as perfect against one that invents items.")
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
    """Return how far a case dropped if that is beyond the gate's limit; None otherwise or without both values."""
    if before is None or now is None:
        return None
    if not policy.beyond_limit(metric, before, now):
        return None
    margin = policy.margin(metric, before)
    least = before - margin if metric.higher_is_better else before + margin
    relative = is_ratio(metric, before, policy.unit)
    return Fall(policy.worse_by(metric, before, now), policy.limit(metric.key), least, relative)


def _last_good(project: Project, suite: Suite) -> _Good:
    """Return the baseline; without a usable one, the newest saved run outside every blocking fail zone."""
    nothing = "nothing: no baseline, and no saved run that passed"
    if has_baseline(project, suite):
        try:
            side = baseline_side(project, suite)
            prompts = ", ".join(f"{name} {version}" for name, version in side.header.prompts.items())
            text = f"the baseline of {side.header.at[:10]}: {prompts}, {side.header.model}"
            return _Good(text, partial(_of_baseline, side))
        except Row3Error as error:
            nothing = f"nothing: the baseline cannot be used ({error}), and no saved run passed"
    for path in latest_runs(project.local):
        run = read_log(path)
        if _passed(suite, run):
            return _Good(f"the last saved run that passed, of {run.header.at[:10]}", partial(_saved, run))
    return _Good(nothing)


def _passed(suite: Suite, run: SavedRun) -> bool:
    """Return whether a complete run by the current scorer is outside every blocking fail zone."""
    head, limits = run.header, suite.rules.thresholds
    if head.suite != suite.name or not head.complete or head.scorer != suite.kind.signature(suite.rules):
        return False
    zones = zones_of(head.metrics, suite.kind.metrics, limits)
    return not any(zone is Zone.FAIL and limits[key].blocking for key, zone in zones.items())


def _of_baseline(side: BaseSide, stored: StoredCase) -> tuple[CaseScore | None, str]:
    """Return the current score of the baseline's answer to a case, if it has one, and a note."""
    try:
        answered = side.score(stored)
    except Row3Error as error:
        return None, f"The baseline cannot be used: {error}"
    if answered is None:
        return None, "The baseline does not have this case."
    if answered.status == "failed":
        return None, f"The baseline has no answer to this case: {answered.problem}."
    changed = side.manifest is not None and side.manifest.cases[stored.id].digest != stored.digest
    return answered, "The golden case has changed since the baseline." if changed else ""


def _saved(run: SavedRun, stored: StoredCase) -> tuple[CaseScore | None, str]:
    """Return the metrics of a case in a saved run, if the case is the same, and a note."""
    record = run.cases.get(stored.id)
    if record is None or record.digest != stored.digest:
        return None, "The case is new or changed since that run."
    return CaseScore(stored.id, "scored", record.metrics), ""
