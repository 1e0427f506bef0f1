"""Cases whose text is another than the baseline's, and that what runs at the base answers worse as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from row3.domain.verdicts import Reason, Verdict
from row3.gate.zones import SLACK
from row3.workflows.against.at_ref import Base, Judging
from row3.workflows.against.few_compared import settings_as_there
from row3.workflows.against.recording_drift import Replaced
from row3.workflows.against.runs_there import lineup_there
from row3.workflows.comparing.compare import Comparer
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.pipeline.run_suite import RunOptions
from row3.workflows.running import run_suite
from row3.workflows.session import Session


def tell_fallen_there(
    session: Session,
    judging: Judging,
    base: Base,
    comparison: Comparison,
    *,
    now: Comparer,
    fresh: Callable[[], Comparer],
    replaced: Sequence[Replaced],
) -> None:
    """Say how what runs at the base answers the texts that a change is blocked for, and what leads out.

    Who comes after texts that were approved without a baseline is held to the figures of the old ones. As far as what
    runs here is no worse than what runs there, it is the baseline that is to be mended, and no prompt. The words of the
    grounds stay as they are, so no approval hangs on this.
    """
    before = {reason.text for reason in now.held.reasons(now.pairs, comparison.run.header.scorer)}
    held = [
        reason
        for reason in comparison.reasons
        if reason.verdict is Verdict.BLOCK
        and reason.cause == "answers"
        and (reason.text in before or reason.case_id in now.held.critical)
    ]
    if not held or session.options.partial or not settings_as_there(session, base, replaced):
        return
    if session.suite.system is not None:  # it is not told from here what answers there
        return
    there = _compared_there(session, judging, base, fresh())
    if there is None:
        return
    stands = {reason.text: found for reason in held if (found := _stands_there(reason, now, there)) is not None}
    if not stands:
        return
    approved = ", approved there once," if any(each.blocks for each in stands.values()) else ""
    renew = judging.suite.flags("row3 --baseline")
    text = (
        f"at {judging.label} what runs answers these texts worse than the baseline says, too "
        f"({', '.join(each.told for each in stands.values())}): `row3 --baseline{renew}` in a change of "
        f"its own{approved} is the way out"
    )
    innocent = {text for text, each in stands.items() if each.no_better}
    comparison.reasons = (
        *(replace(each, cause="stale") if each.text in innocent else each for each in comparison.reasons),
        Reason(Verdict.INVESTIGATE, text, cause="stale"),
    )


class Standing(NamedTuple):
    """How a ground of a change stands at the base."""

    told: str
    blocks: bool
    no_better: bool
    """What runs there is no better than what runs here."""


def _stands_there(reason: Reason, now: Comparer, there: Comparer) -> Standing | None:
    """A ground as it is told of the base; None where what runs there did not fall in that."""
    case_id, key = reason.case_id, reason.metric
    if case_id in there.held.critical:
        no_better = there.held.critical[case_id] <= now.held.critical[case_id] + SLACK
        return Standing(f"{case_id} broke", blocks=True, no_better=no_better)
    fall = there.held.falls(there.pairs).get(key or "")
    if fall is None or fall.verdict is Verdict.PROCEED:
        return None
    title = next(metric.title for metric in now.suite.kind.metrics if metric.key == key)
    no_better = now.held.falls(now.pairs)[key or ""].worse <= fall.worse + SLACK
    return Standing(f"{title} {fall.after:.1%}", blocks=fall.verdict is Verdict.BLOCK, no_better=no_better)


def _compared_there(session: Session, judging: Judging, base: Base, comparer: Comparer) -> Comparer | None:
    """What runs at the base, compared with the baseline there; None where it lacks answers, or nobody can say."""
    lineup = lineup_there(base, session.suite)
    if lineup is None:
        return None
    run = run_suite(
        replace(session, options=RunOptions("replay", jobs=session.options.jobs)),
        suite=comparer.suite,
        files=judging.files,
        comparer=comparer,
        lineup=lineup,
    )
    return None if run.collected.failed else comparer
