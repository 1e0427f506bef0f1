"""`row3 flaky`: which cases waver by themselves, under the same prompts, model and parameters."""

from __future__ import annotations

from dataclasses import replace

from row3.domain.metrics import Metric
from row3.errors import InvalidFile, UsageError
from row3.gate.flakiness import flakiness
from row3.gate.suite_findings import FlakyCase, FlakyReport
from row3.workflows.history.case_history import Recorded, gather
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
            "no answer is recorded",
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
    judged = [_judge(case_id, answers, metric, mark) for case_id, answers in history.settings[chosen].items()]
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


def _again(cases: dict[str, Recorded]) -> int:
    """How many answers there are beyond the first of each case."""
    return sum(len(answers) - 1 for answers in cases.values())


def _judge(case_id: str, answers: Recorded, metric: Metric, mark: float | None) -> FlakyCase:
    values = [value for value, _ in answers.values()]
    if metric.higher_is_better:
        found = flakiness(values, pass_mark=mark)
        assert found is not None
        return FlakyCase(case_id, found)
    turned = flakiness([-value for value in values], pass_mark=None if mark is None else -mark)
    assert turned is not None
    return FlakyCase(case_id, replace(turned, lowest=-turned.highest, highest=-turned.lowest))
