"""`row3 diff`: what differs between two runs: saved ones, baselines, prompt versions, git refs or models."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from row3.comparing.base_side import text_diff
from row3.comparing.comparison import Comparer, omitted_change
from row3.comparing.named_sides import Names, Side
from row3.domain.judgements import OMITTED, CaseChange, MetricChange
from row3.gate.comparison import compare_case
from row3.gate.moves import Loss, loss_of
from row3.gate.policy import FigureChange
from row3.project.project import Project
from row3.project.suites import Suite
from row3.running.budget import prices_of
from row3.running.run_options import RunOptions


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences between two runs; deltas are after minus before."""

    suite: str
    before: Side
    after: Side
    notes: Sequence[str]
    """Prompts that differ but whose text at the time of the run is lost."""
    metrics: Sequence[MetricChange]
    """Means over the comparable cases that both runs have."""
    figures: Sequence[FigureChange]
    primary: str
    """Key of the composite."""
    moves: Mapping[str, int]
    cases: Sequence[CaseChange]
    """The cases that moved most, largest move first."""
    compared: int
    settings_differ: bool
    """Whether model or parameters differ; then the loss is tested."""
    loss: Loss
    """Of the primary metric."""
    unit: str
    """Of the gate's limit."""
    prompt_diffs: Mapping[str, str]
    """By prompt name, if the text differs and both texts are available."""

    @property
    def unanswered(self) -> list[Side]:
        """The sides with missing answers."""
        return [side for side in (self.before, self.after) if side.missing]


def diff(
    project: Project,
    suite: Suite,
    before: str,
    after: str,
    options: Callable[[], RunOptions] = RunOptions,
    *,
    named: tuple[str, ...] = (),
    only: Collection[str] | None = None,
) -> Diff:
    """Compare two runs of a suite, `before` and `after`, case by case; of all cases or `only` these.

    Any name but a saved run's is replayed from recordings; see `Names`. Raises `UsageError` for an unknown name,
    `InvalidFile` for a broken file, `RunIncomplete` if a side has no recorded answer at all.
    """
    names = Names(project, suite, options, named)
    left, right = [opener().only(only) for opener in [names.find(before), names.find(after)]]
    comparer = Comparer(suite, cost=prices_of(project, suite, known_models=True).usd)
    known = left.project.cases.entries(suite.golden) | right.project.cases.entries(suite.golden)
    old_cases, new_cases = left.run.cases, right.run.cases
    for case_id in {**old_cases, **new_cases}:
        if case_id not in new_cases:
            comparer.add_removed([case_id])
            continue
        source = known[case_id].source if case_id in known else None
        score, old = new_cases[case_id].score(right.run.header.repeats, source), old_cases.get(case_id)
        if old is not None:
            base = old.score(left.run.header.repeats)
            change = compare_case(base, score, suite.kind, comparable=base.digest == score.digest)
            score = score._replace(before=base, change=change)
        comparer.take(score)
    diffs, without_text = _prompt_diffs(left, right)
    sides, metric = (left.run.header, right.run.header), suite.kind.primary_metric
    notes = [f"the text of {name} as it was run no longer exists" for name in without_text]
    if (omitted := omitted_change(*(side.omitted or () for side in sides))) is not None:
        notes.append(OMITTED.format(before=omitted[0], after=omitted[1]))
    margin = suite.policy.margin(metric, comparer.pairs.means()[0].get(metric.key, 0.0))
    return Diff(
        suite=suite.name,
        before=left,
        after=right,
        notes=notes,
        metrics=list((scores := comparer.scores()).changes),
        figures=scores.figures,
        primary=suite.kind.primary,
        moves=dict(comparer.moves.most_common()),
        cases=comparer.largest(),
        compared=comparer.compared,
        settings_differ=sides[0].parameters != sides[1].parameters,
        loss=loss_of(comparer.pairs.differences(metric), margin) if metric.key in comparer.pairs.counts() else "open",
        unit=suite.policy.unit,
        prompt_diffs=diffs,
    )


def _prompt_diffs(left: Side, right: Side) -> tuple[dict[str, str], list[str]]:
    """Return text diffs of the prompts that differ, and the names of those whose text no longer exists."""
    before, after = left.run.header, right.run.header
    diffs: dict[str, str] = {}
    gone: list[str] = []
    for name, new in after.prompts.items():
        old = before.prompts.get(name)
        if old is None or before.prompt_digests.get(name) == after.prompt_digests.get(name):
            continue
        sides = ((left, old), (right, new))
        missing = [f"{name} {version} of {side.name}" for side, version in sides if name not in side.texts]
        gone += missing
        if not missing:
            titles = [f"{name}-{version} ({side.name})" for side, version in sides]
            diffs[name] = text_diff(left.texts[name], right.texts[name], *titles)
    return diffs, gone
