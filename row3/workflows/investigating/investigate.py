"""`row3 investigate`: one case run again, and everything that can be said about why it scored as it did."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from row3.domain.embeddings import EmbeddingRequest
from row3.domain.matches import Items
from row3.domain.requests import Answer, NoAnswer, Request
from row3.domain.scores import CaseScore
from row3.errors import InvalidFile, RunIncomplete, UsageError
from row3.reports.investigations.model import Investigation, ItemsInvestigation
from row3.store.cases import StoredCase, case_files, read_case
from row3.store.golden import name_of
from row3.store.locks import writing
from row3.store.other_suites import case_hint
from row3.store.project import Project
from row3.store.recording_lines import to_line
from row3.store.recordings import merge, open_index
from row3.store.suites import Suite
from row3.workflows.investigating.inquiry import Inquiry, symptoms_of
from row3.workflows.pipeline.evaluate import Asking, steps
from row3.workflows.pipeline.lineup import Role, line_up
from row3.workflows.pipeline.meanings import Source, vector_source
from row3.workflows.pipeline.providers import open_provider
from row3.workflows.pipeline.replaying import OwnRequests, miss
from row3.workflows.pipeline.run_header import now
from row3.workflows.pipeline.run_suite import RunOptions, make_asking
from row3.workflows.recorded.others_answers import ask_for_own

NEAR = 0.4
"""How alike an id has to be to be taken for a slip of the one that was asked for."""


def investigate(
    project: Project,
    suite: Suite,
    case_id: str,
    options: RunOptions | None = None,
    *,
    role: Role = "candidate",
    named: Sequence[str] = (),
) -> Investigation | ItemsInvestigation:
    """Run one case (in replay where the options say nothing else) and look into it.

    Raises `UsageError` for an unknown case, `RunIncomplete` where there is no answer, `InvalidFile` for a file that
    cannot be used.
    """
    options = replace(options or RunOptions(), case=None, only=frozenset({case_id}), repeats=1)
    stored = find_case(project, suite, case_id)
    lineup = line_up(project, suite, role=role, named=named)
    asking = make_asking(suite, lineup, options)
    with vector_source(project, suite, options.mode or "replay") as vectors:
        score, said = _walk(asking, stored, _answers(project, asking, options), vectors)
    if score.status == "failed":
        raise RunIncomplete("the case has no answer", where=case_id, fix=score.problem)
    if isinstance(score.explanation, Items):
        return _of_items(project, asking, stored, score, said)
    return Inquiry(project, asking, stored, score, said).result()


def _of_items(
    project: Project, asking: Asking, stored: StoredCase, score: CaseScore, said: list[tuple[Request, Answer]]
) -> ItemsInvestigation:
    suite = asking.suite
    symptoms, notes = symptoms_of(project, suite, stored, score)
    shown = {symptom.metric.key: symptom.metric.title for symptom in symptoms if symptom.value is None}
    skipped = (f"{shown[key]} does not apply: {reason}" for key, reason in score.skipped.items() if key in shown)
    return ItemsInvestigation(
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
        items=score.explanation,
        query=getattr(stored.case, "query", ""),
    )


def find_case(project: Project, suite: Suite, case_id: str) -> StoredCase:
    """The case of that id; raises `UsageError` that says where it is, `InvalidFile` where its own file is broken."""
    tree = project.tree
    paths = case_files(tree, suite.golden)
    likely = [path for path in paths if name_of(path) == f"{case_id}.gold.json"]
    ids: list[str] = []
    for path in [*likely, *(path for path in paths if path not in likely)]:
        try:
            stored = read_case(tree, path, suite.kind)
        except InvalidFile:
            if path in likely:
                raise
            continue  # another case's file: `row3 lint` is for that
        if stored.id == case_id:
            return stored
        ids.append(stored.id)
    hint = case_hint(project, suite.name, case_id, ids, alike=NEAR, otherwise=f"Cases: {', '.join(sorted(ids)[:20])}")
    raise UsageError(f"case `{case_id}` does not exist", where=f"{suite.golden}/", fix=hint)


def _walk(
    asking: Asking, stored: StoredCase, answer: Callable[[Request], Answer | NoAnswer], vectors: Source | None
) -> tuple[CaseScore, list[tuple[Request, Answer]]]:
    said: list[tuple[Request, Answer]] = []
    walk = steps(asking, stored)
    try:
        request = next(walk)
        while True:
            if isinstance(request, EmbeddingRequest):
                assert vectors is not None
                request = walk.send(vectors(request))
                continue
            given = answer(request)
            if isinstance(given, Answer):
                said.append((request, given))
            request = walk.send(given)
    except StopIteration as end:
        score: CaseScore = end.value
        return score, said


def _answers(project: Project, asking: Asking, options: RunOptions) -> Callable[[Request], Answer | NoAnswer]:
    """Who answers, by the options' mode; what is to be recorded is on disk as soon as it is said."""
    suite, mode = asking.suite, options.mode or "replay"
    index = open_index(project.tree if mode in ("replay", "auto") else None, suite.name, options.journals)
    index.asks_otherwise = OwnRequests(project, suite, index).ask_otherwise
    replaced = open_index(project.tree, suite.name) if mode == "record" else None

    def answer(request: Request) -> Answer | NoAnswer:
        recorded = index.answer(request)
        if recorded is not None:
            return recorded
        if mode == "replay":
            return miss(index, request, asking.lineup)
        if replaced is not None:
            ask_for_own(project, replaced, request)
        given = asyncio.run(_ask(project, suite, request))
        if isinstance(given, Answer) and mode in ("auto", "record"):
            with writing(project.local):
                merge(project.root, suite.name, [to_line(request, given, recorded_at=now())])
        return given

    return answer


async def _ask(project: Project, suite: Suite, request: Request) -> Answer | NoAnswer:
    provider = open_provider(project, suite)
    try:
        return await provider.ask(request)
    finally:
        await provider.close()
