"""`row3 score`: score outputs made elsewhere, without provider or prompts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from row3.domain.asks import finish
from row3.domain.judges import NOT_JUDGED, NOT_RECORDED
from row3.domain.prompts import Lineup
from row3.domain.requests import NoAnswer, Request
from row3.domain.runs import ELSEWHERE
from row3.domain.scores import CaseScore, by_other_names
from row3.domain.secrets import NO_SECRETS, Guard
from row3.errors import InvalidFile, UsageError
from row3.gate.results import Run
from row3.kinds.answers import Unusable
from row3.metrics.aggregate import tally_json
from row3.project.cases import StoredCase
from row3.project.chosen_cases import case_hint
from row3.project.outputs import SHAPE, Output, OutputIndex
from row3.project.project import Project, open_project, pick_suite
from row3.project.recordings import RecordingIndex, open_index
from row3.project.suites import Suite
from row3.running.asks import Given, Question, scored
from row3.running.case_results import Packing
from row3.running.collect import collect, header_for
from row3.running.evaluate import Asking
from row3.running.execute import evaluate_all
from row3.running.meanings import Source, vector_source
from row3.running.provider_access import guard_of
from row3.running.run_options import RunOptions, check_cases
from row3.running.shards import known_ids, shard_head

MODEL = "outputs made elsewhere"
BY_SCORE = "`row3 score {}`".format
"""The option that names a suite, for hints."""
MISSING = "no output for this case"


class Scorecard(NamedTuple):
    """The scores of a set of outputs.

    >>> import row3
    >>> card = row3.score("decomposition", "outputs.jsonl")    # doctest: +SKIP
    >>> card.metrics["overall"], card.zones["overall"]         # doctest: +SKIP
    (0.8132, 'pass')
    >>> card.failed                                            # doctest: +SKIP
    ['bank-runs']
    """

    suite: str
    metrics: dict[str, float]
    """Mean over the cases by metric, fractions in [0, 1]; failed cases are left out."""
    pooled: dict[str, float]
    """Summed numerators over summed denominators, by metric."""
    denominators: dict[str, int]
    """Number of cases behind each mean."""
    zones: dict[str, str]
    """`fail`, `marginal`, `pass` or `excellent`, by metric."""
    entity_metrics: dict[str, float]
    """The same means as `entity_precision`, `entity_recall`, `entity_f1`, `relationship_accuracy`, `type_accuracy`,
    `deduplication_accuracy`; empty if no case has types."""
    match_counts: dict[str, Any]
    """Counts of match states and of confused types, as in the JSON."""
    cases: list[dict[str, Any]]
    """One entry per case as in `row3 score --format json`: id, status, metrics, zones, matches."""

    @property
    def failed(self) -> list[str]:
        """Ids of the cases without an output."""
        return [case["id"] for case in self.cases if case["status"] == "failed"]

    @property
    def complete(self) -> bool:
        """Whether every golden case has an output."""
        return not self.failed


@dataclass(slots=True)
class Scoring:
    """Scores the output of one case; worker processes inherit it."""

    suite: Suite
    outputs: Callable[[str], Output | None]
    """Returns the output for a case id, None if it is missing."""
    vectors: Source | None = None
    """Embeddings, for a suite that matches by meaning."""
    judgements: RecordingIndex | None = None
    """Recordings of the suite's judge."""
    guard: Guard = NO_SECRETS
    """Hides keys (secrets) in an output before any of it is saved or shown."""

    def __call__(self, stored: StoredCase) -> CaseScore:
        """Score one case. Raises `InvalidFile` if the line of its output is broken."""
        kind, rules = self.suite.kind, self.suite.rules
        output = self.outputs(stored.id)
        if output is None:
            return CaseScore(stored.id, "failed", {}, problem=MISSING)
        if output.error:
            return CaseScore(stored.id, "failed", {}, problem=self.guard.clean(output.error))
        value = self.guard.clean_value(output.value)
        hidden = () if value is output.value or value == output.value else ("a key in the output is hidden",)
        parsed = kind.read_output(value, rules.fields)
        if isinstance(parsed, Unusable):
            raw = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            return kind.bad_answer(stored.case, "; ".join((f"{output.where}: {parsed.reason}", *hidden)), raw, rules)
        score = finish(scored(self.suite, stored, parsed.value), self._answer)
        notes = (*hidden, *parsed.repairs)
        return score._replace(notes=notes) if notes else score

    def _answer(self, question: Question) -> Given:
        if isinstance(question, Request):
            judged = None if self.judgements is None else self.judgements.answer(question)
            return judged or NoAnswer(NOT_RECORDED)
        assert self.vectors is not None
        return self.vectors(question)


def output_results(
    project: Project, suite: Suite, outputs: Path, options: RunOptions, *, may_be_empty: bool = False
) -> Iterator[CaseScore]:
    """Yield the result of every golden case, in the order of the files.

    Raises `InvalidFile` for a broken line, a repeated or unknown id, and an empty file unless it may be.
    """
    index = OutputIndex(outputs, where=_shown(outputs, project.root))
    if not (len(index) or may_be_empty):
        raise InvalidFile("the file has no output", where=index.where, fix=SHAPE)
    project.cases.scored(suite.golden)
    used = 0
    mode = options.mode or project.config.mode
    embeds = suite.rules.semantic is not None and mode != "replay"
    with vector_source(project, suite, mode) as vectors:
        judgements = None if suite.rules.judge is None else open_index(project.tree, suite.name)
        scoring = Scoring(suite, index.get, vectors, judgements, guard_of(project))
        pack, cases, shard = Packing(suite, options.explain, shared=options.shared), project.cases, options.shard
        # A model of embeddings is asked by this process alone.
        jobs, ray = (1, None) if embeds else (options.jobs or project.config.jobs, options.ray)
        for result in evaluate_all(cases, scoring, pack, options.wants, jobs=jobs, shard=shard, ray=ray):
            used += result.problem != MISSING
            yield result
    if not options.partial and used < len(index):
        # The file of a shard may hold the outputs of the others.
        seen = cases.entries(suite.golden) if shard is None else known_ids(cases, suite.golden, index.case_ids())
        correct = "Correct the id, or remove the line"
        index.refuse_unknown_cases(seen, partial(case_hint, project, suite.name, otherwise=correct, how=BY_SCORE))


def score_outputs(
    project: Project, suite: Suite, outputs: Path, options: RunOptions, *, may_be_empty: bool = False
) -> Run:
    """Score a file of outputs: a case without an output fails, and an unreadable output scores 0.

    Raises `InvalidFile`, `EnvironmentFault`, `UsageError`.
    """
    if options.repeats != 1:
        raise UsageError("outputs made elsewhere are scored once", where="--repeats", fix="Leave it out")
    check_cases(project, suite, options)
    lineup = Lineup((), {})
    head = header_for(suite, Asking(suite, lineup, {}), mode=ELSEWHERE) | {"model": MODEL}
    head |= shard_head(project, suite, options)
    options = options.begun(suite, head["run_id"])
    results = output_results(project, suite, outputs, options, may_be_empty=may_be_empty)
    shared = options.shared
    return collect(results, suite, lineup, head, partial=options.partial, tolerated=NOT_JUDGED, shared=shared)


def score(suite: str, outputs: Path | str | Iterable[Mapping[str, Any]], *, project: str | Path = ".") -> Scorecard:
    """Score outputs against the golden cases of a suite.

    Args:
        suite: the suite's name.
        outputs: a JSON Lines file, or mappings, each with `caseId` and `output` (or `error`).
        project: the project's folder, or a folder inside it.

    >>> import row3
    >>> outputs = [{"caseId": "bank-runs", "output": {"concepts": [], "relationships": []}}]
    >>> row3.score("decomposition", outputs).metrics["recall"]  # doctest: +SKIP
    0.0

    Raises `InvalidFile` for outputs or project files that cannot be used, `UsageError` for an unknown suite.
    """
    opened = open_project(Path(project))
    chosen = pick_suite(opened, suite)
    options = RunOptions(explain=True)
    if isinstance(outputs, str | os.PathLike):
        return _card(score_outputs(opened, chosen, Path(outputs), options))
    with TemporaryDirectory(prefix="row3-score-") as folder:
        path = Path(folder) / "outputs"
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(_as_line(number, value) for number, value in enumerate(outputs, 1))
        return _card(score_outputs(opened, chosen, path, options, may_be_empty=True))


def _as_line(number: int, value: Mapping[str, Any]) -> str:
    where = f"outputs:{number}"
    if not isinstance(value, Mapping):
        raise UsageError(f"{type(value).__name__} is not a mapping", where=where, fix="Give `caseId` and `output`")
    try:
        return json.dumps(dict(value), allow_nan=False) + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidFile(f"cannot be written as JSON: {error}", where=where, fix="Give plain values") from None


def _card(run: Run) -> Scorecard:
    header = run.header
    return Scorecard(
        suite=header.suite,
        metrics=dict(header.metrics),
        pooled=dict(header.pooled),
        denominators=dict(header.denominators),
        zones=dict(header.zones),
        entity_metrics=by_other_names(run.suite.kind.metrics, header.metrics),
        match_counts=tally_json(run.tally, run.suite.rules.predicates),
        cases=[json.loads(line) for line in run.details],
    )


def _shown(path: Path, root: Path) -> str:
    """Return the path as messages show it: relative to the project if inside it, else as given."""
    if path.parent.name.startswith("row3-score-"):
        return path.name
    resolved = path.resolve()
    return resolved.relative_to(root).as_posix() if resolved.is_relative_to(root) else str(path)
