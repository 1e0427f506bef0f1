"""`row3 flaky`: which cases waver by themselves, under the same prompts, model and parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from row3.domain.metrics import Metric
from row3.errors import InvalidFile, UsageError
from row3.gate.flakiness import LEAST, NOISE, Flakiness, Steadiness, flakiness
from row3.gate.suite_findings import FlakyCase, FlakyReport, Source
from row3.workflows.history.case_history import Past, Seen, gather
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.run_suite import make_asking
from row3.workflows.quarantine import in_force
from row3.workflows.recorded.recorded_scores import Setting, setting_of_asking, titles_of
from row3.workflows.session import Session


def find_flaky(session: Session) -> FlakyReport:
    """Look at the setting that runs now, or where nothing was asked twice under it, at the one that most is known of.

    Raises `InvalidFile` where no answer is known at all or a file is broken, `UsageError`.
    """
    project, suite, options = session.project, session.suite, session.options
    history = gather(project, suite, named=session.named, case=options.case)
    if not history.settings:
        raise InvalidFile(
            "no answer is known: nothing is recorded and no run was kept",
            where=f"suite {suite.name}",
            fix=f"Ask every case several times: row3 --repeats 3 --mode record{suite.flag}",
        )
    ranked = sorted(history.settings, key=lambda setting: -_again(history.settings[setting]))
    own = _own(session)
    several = [setting for setting in ranked if _again(history.settings[setting])]
    chosen = own if own in several or (own in history.settings and not several) else ranked[0]
    assert chosen is not None
    titles = dict(zip(ranked, titles_of(ranked), strict=True))
    metric = next(metric for metric in suite.kind.metrics if metric.key == suite.kind.primary)
    limits = suite.rules.thresholds.get(metric.key)
    mark = None if limits is None else limits.minimum
    judged = [
        case
        for case_id, seen in history.settings[chosen].items()
        if (case := _judge(case_id, seen, metric, mark)) is not None
    ]
    judged.sort(key=lambda case: (case.result.verdict != "flaky", -case.result.noise, case.case_id))
    return FlakyReport(
        suite.name,
        metric,
        titles[chosen],
        chosen == own,
        mark,
        tuple(judged),
        tuple([case_id for case_id in history.cases if case_id not in history.settings[chosen]]),
        tuple([titles[setting] for setting in several if setting != chosen]),
        in_force(project, suite),
        suite.flag,
    )


def _own(session: Session) -> Setting | None:
    """The setting that `row3` runs; None where no model is named."""
    lineup = line_up(session.project, session.suite, role="candidate", named=session.named)
    try:
        return setting_of_asking(make_asking(session.suite, lineup, session.options))
    except UsageError:
        return None


def _again(cases: dict[str, Seen]) -> int:
    """How many answers there are beyond the first of each case."""
    return sum(max(0, _most(seen) - 1) for seen in cases.values())


def _most(seen: Seen) -> int:
    """Answers in the richest of the three sources."""
    return max(len(seen.recorded), len(seen.single_runs()), sum(run.repeats for run in seen.live_repeats()))


def _judge(case_id: str, seen: Seen, metric: Metric, mark: float | None) -> FlakyCase | None:
    """The evidence that finds the case flaky; else that with the most answers."""
    found: list[FlakyCase] = []
    known: tuple[tuple[Source, Sequence[float], bool], ...] = (
        ("repeats", seen.values(), False),
        ("runs", seen.single_runs(), True),
    )
    for source, values, ordered in known:
        if values and (result := _flakiness(values, metric, mark, ordered=ordered)) is not None:
            found.append(FlakyCase(case_id, source, result))
    if live := seen.live_repeats():
        found.append(FlakyCase(case_id, "live repeats", _pooled(live), ends_known=False))
    return max(found, key=lambda case: (case.result.verdict == "flaky", case.result.answers), default=None)


def _flakiness(values: Sequence[float], metric: Metric, mark: float | None, *, ordered: bool) -> Flakiness | None:
    if metric.higher_is_better:
        return flakiness(values, pass_mark=mark, ordered=ordered)
    turned = flakiness([-value for value in values], pass_mark=None if mark is None else -mark, ordered=ordered)
    return None if turned is None else replace(turned, lowest=-turned.highest, highest=-turned.lowest)


def _pooled(runs: Sequence[Past]) -> Flakiness:
    """Of runs whose repeats left a spread and no values: the noise of one answer, and nothing about flips."""
    df = sum(run.repeats - 1 for run in runs)
    noise = math.sqrt(math.fsum((run.repeats - 1) * (run.spread or 0.0) ** 2 for run in runs) / df)
    values = [run.value for run in runs]
    answers = sum(run.repeats for run in runs)
    verdict: Steadiness = "unknown" if answers < LEAST else "flaky" if noise >= NOISE else "steady"
    return Flakiness(answers, min(values), max(values), noise, None, verdict, None)
