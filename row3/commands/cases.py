"""Analyses of recorded answers: unstable cases (`flaky`), informative cases (`cases`), detectable drops (`power`).

Every recorded answer is scored by its current case. A setting is prompts with their text, model and parameters.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from row3.comparing.sources import open_gate
from row3.domain.scores import Metric
from row3.domain.words import part
from row3.errors import InvalidFile, UsageError
from row3.gate.case_worth import CasesReport, FlakyReport, flakiness, redundant, worth
from row3.gate.policy import find_metric
from row3.gate.power import Answered, ErrorRates, PowerReport, sensitivity
from row3.gate.resampling import nearest, resampled
from row3.kinds.demands import demands_of, expected_in
from row3.project.cases import source_of
from row3.project.criteria import in_force
from row3.project.project import Project, has_baseline
from row3.project.saved_runs import latest_runs, read_log
from row3.project.suites import Suite
from row3.running.lineup import line_up
from row3.running.recorded_answers import RecordedAnswers, Replayed, Setting, setting_of, setting_of_asking, titles_of
from row3.running.replay import open_recordings
from row3.running.run_options import make_asking
from row3.running.session import Session

SEED = 1
"""Of what is drawn by chance, so that a plan is the same every time."""
Recorded = dict[int, tuple[Mapping[str, float], str]]
"""One case under one setting: the metrics and the digest of the answers, by repeat."""


class History(NamedTuple):
    """A suite's cases, and what each scored under every recorded setting."""

    cases: list[str]
    settings: dict[Setting, dict[str, Recorded]]


def gather(
    project: Project, suite: Suite, *, named: Sequence[str] = (), only: Collection[str] | None = None
) -> History:
    """Score recorded answers of `named` prompts, or of all, to the chosen cases. Raises `InvalidFile`, `UsageError`.

    A bad answer ends its pipeline, so it counts for every setting that begins with its prompts and parameters.
    """
    settings: dict[Setting, dict[str, Recorded]] = defaultdict(lambda: defaultdict(dict))
    cases: list[str] = []
    primary = suite.kind.primary
    recorded = RecordedAnswers(project, suite, named)
    bad: list[tuple[str, Replayed]] = []
    for stored in project.cases_of(suite, only):
        cases.append(stored.id)
        for answer in recorded.scores(stored):
            if answer.score.status == "bad_answer":
                bad.append((stored.id, answer))
            elif primary in answer.score.metrics:
                settings[answer.setting][stored.id][answer.repeat] = answer.score.metrics, answer.said
    complete = list(settings)
    for case_id, answer in bad:
        prompts, parameters = answer.setting
        n = len(prompts)
        begun = [each for each in complete if each.prompts[:n] == prompts and each.parameters[:n] == parameters]
        for setting in begun or [answer.setting]:
            settings[setting][case_id][answer.repeat] = answer.score.metrics, answer.said
    return History(cases, settings)


def find_flaky(session: Session) -> FlakyReport:
    """Report unstable cases under the setting that runs now, or under the one with most repeats.

    Raises `InvalidFile`, `UsageError`.
    """
    project, suite = session.project, session.suite
    history = gather(project, suite, named=session.options.named, only=session.options.only)
    if not history.settings:
        fix = f"Ask every case several times: row3 --repeats 3 --mode record{suite.flag}"
        raise InvalidFile("no recorded answers", where=f"suite {suite.name}", fix=fix)
    repeats = {
        setting: sum(len(answers) - 1 for answers in cases.values()) for setting, cases in history.settings.items()
    }
    ranked = sorted(repeats, key=lambda setting: -repeats[setting])
    own = _own(session)
    chosen = ranked[0] if own is None or repeats.get(own, -1) < min(1, repeats[ranked[0]]) else own
    titles = dict(zip(ranked, titles_of(ranked), strict=True))
    metric = suite.kind.primary_metric
    limits = suite.rules.thresholds.get(metric.key)
    mark = None if limits is None else limits.minimum
    judged = [
        flakiness(
            case_id, [values[metric.key] for values, _ in each.values()], mark, higher_is_better=metric.higher_is_better
        )
        for case_id, each in history.settings[chosen].items()
    ]
    judged.sort(key=lambda case: (case.verdict != "flaky", -case.noise, case.case_id))
    return FlakyReport(
        suite.name,
        metric,
        titles[chosen],
        chosen == own,
        mark,
        tuple(judged),
        tuple([case_id for case_id in history.cases if case_id not in history.settings[chosen]]),
        tuple([titles[setting] for setting in ranked if repeats[setting] and setting != chosen]),
        in_force(project, suite),
        suite.flag,
    )


def _own(session: Session) -> Setting | None:
    """Return the setting that `row3` runs; None if no model is configured."""
    lineup = line_up(session.project, session.suite, role="candidate", named=session.options.named)
    try:
        return setting_of_asking(make_asking(session.suite, lineup, session.options))
    except UsageError:
        return None


def judge_cases(
    project: Project, suite: Suite, *, only: Collection[str] | None = None, named: Sequence[str] = ()
) -> CasesReport:
    """Report how well each case tells the recorded versions apart. Raises `InvalidFile`, `UsageError`."""
    expectations = {
        stored.id: expected_in(demands_of(stored.case, suite.kind.expected(stored.case)))
        for stored in project.cases_of(suite, only)
    }
    titles, columns = _columns(gather(project, suite, named=named), suite.kind.primary)
    if not columns:
        what = "no version has answers to half of the cases"
        raise InvalidFile(what, where=f"suite {suite.name}", fix=f"Record a run with `row3 --mode record{suite.flag}`")
    metric = suite.kind.primary_metric
    quarantined = {entry.case_id for entry in in_force(project, suite).active}
    judged = worth(columns, metric, suite.rules.thresholds.get(metric.key), quarantined)
    known = {one.case_id for one in judged}
    return CasesReport(
        suite.name,
        metric,
        tuple(titles),
        tuple([one for one in judged if one.case_id in expectations]),
        tuple([case_id for case_id in expectations if case_id not in known]),
        tuple(redundant(expectations)),
    )


def _columns(history: History, primary: str) -> tuple[list[str], list[dict[str, float]]]:
    """Return titles and case values of the settings with half of the cases or more, those with equal answers once."""
    shown: dict[tuple[tuple[str, ...], ...], Setting] = {}
    for setting, seen in history.settings.items():
        if 2 * len(seen) >= len(history.cases):
            said = [(case_id, *sorted({digest for _, digest in one.values()})) for case_id, one in seen.items()]
            shown.setdefault(tuple(sorted(said)), setting)
    columns = [
        {case_id: math.fsum(values[primary] for values, _ in one.values()) / len(one) for case_id, one in seen.items()}
        for seen in map(history.settings.__getitem__, shown.values())
    ]
    return titles_of([*shown.values()]), columns


def plan(
    session: Session, *, detect: float | None = None, metric: str | None = None, repeats: int | None = None
) -> PowerReport:
    """Plan the size of a suite from its baseline and the recorded candidates, with as many repeats as all cases have.

    Args:
        detect: the drop to detect, a fraction; default: twice the gate's limit.
        metric: the only metric to plan for.

    Raises `UsageError` for an unknown metric, `InvalidFile` without a baseline or recorded candidates.
    """
    project, suite = session.project, session.suite
    metrics = _metrics(suite, metric)
    if not has_baseline(project, suite):
        fix = f"Save one with `row3 --baseline{suite.flags('row3 --baseline')}`, and record a candidate"
        raise InvalidFile("nothing to plan from: there is no baseline", where=f"suite {suite.name}", fix=fix)
    most = repeats
    if most is None:
        first = str(line_up(project, suite, role="candidate", named=session.options.named).prompts[0].ref)
        recorded = [each.repeat for each in open_recordings(project, suite).all() if each.prompt == first]
        most = 1 + max(recorded, default=0)
    for number in dict.fromkeys((most, repeats or 1)):
        options = replace(session.options, mode="replay", repeats=number, explain=False)
        gate = open_gate(replace(session, options=options), None)
        scored, side = gate.score(gate.session), gate.side
        run = scored.run
        if run.complete:
            break
    else:
        failed = part(len(run.failed), run.cases, "case", "has", "have")
        what = f"nothing to plan from: {failed} no recorded answer from the candidate"
        raise InvalidFile(what, where=f"suite {suite.name}", fix=f"Record them with `row3 --mode record{suite.flag}`")
    pairs, primary = scored.comparer.pairs, suite.kind.primary
    plans = tuple((one, sensitivity(pairs, one, suite.policy, primary=primary, detect=detect)) for one in metrics)
    rates: tuple[ErrorRates, ...] = ()
    nearby = ""
    if cases := _answered(session):
        variance = pairs.variance(primary)
        if min(len(case.answers) for case in cases) > 1:
            rates = resampled(cases, suite, repeats=run.header.repeats, uniform=Random(SEED).random)  # noqa: S311 - no secret
        elif suite.policy.policy == "evidence":  # by which those suites are judged
            nearby, rates = nearest(cases, math.sqrt(variance.total) if variance else 0.0, primary)
    return PowerReport(
        suite.name,
        (setting_of(side.header).title, setting_of(run.header).title),
        (side.header.repeats, run.header.repeats),
        suite.policy,
        plans,
        suite.flag,
        {key: "; ".join(why) for key, why in run.skipped.items() if sum(why.values()) >= run.cases},
        rates,
        nearby,
    )


def _answered(session: Session) -> list[Answered]:
    """Return the cases outside quarantine with their answers under the setting that asked most often.

    Answers are recorded, or of live runs whose logs still exist. Empty if no case has the primary metric.
    """
    project, suite, options = session.project, session.suite, session.options
    settings = gather(project, suite, named=options.named, only=options.only).settings
    resting = {entry.case_id for entry in in_force(project, suite).active}
    stored = {each.id: each for each in project.cases_of(suite, options.only) if each.id not in resting}
    for place, path in enumerate(latest_runs(project.local)):
        run, wanted = read_log(path), (suite.name, "live", suite.kind.signature(suite.rules), 1)
        if (run.header.suite, run.header.mode, run.header.scorer, run.header.repeats) != wanted:
            continue
        for each in run.cases.values():
            if each.id in stored and each.digest == stored[each.id].digest and suite.kind.primary in each.metrics:
                settings[setting_of(run.header)][each.id][-1 - place] = each.metrics, each.said
    asked = [case_id for case_id in stored if any(case_id in cases for cases in settings.values())]
    best = max(settings.values(), key=lambda cases: min(len(cases.get(each, ())) for each in asked), default={})
    return [
        Answered(
            [values for values, _ in best[each].values()],
            source_of(stored[each].case),
            bool(getattr(stored[each].case, "critical", False)),
        )
        for each in asked
        if each in best
    ]


def _metrics(suite: Suite, wanted: str | None) -> list[Metric]:
    """Return the headline metrics, composite first, or the one that was named."""
    kind = suite.kind
    if wanted is None:
        headline = [metric for metric in kind.metrics if not metric.companion]
        return sorted(headline, key=lambda metric: metric.key != kind.primary)
    also = {metric.also: metric.key for metric in kind.metrics if metric.also}
    key = find_metric(also.get(wanted.casefold(), wanted), [metric.key for metric in kind.metrics], "--metric")
    return [metric for metric in kind.metrics if metric.key == key]
