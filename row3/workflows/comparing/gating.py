"""`row3 --compare`: run the candidates, compare them with the baseline, judge, note it in the history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial

from row3.domain.verdicts import Reason, Verdict
from row3.errors import UsageError
from row3.reports.hooks.behind import behind_line
from row3.store.cases import read_case
from row3.store.changelog import FILE as CHANGELOG
from row3.store.history import FILE as HISTORY
from row3.store.history import Approval, history_with_new
from row3.store.locks import writing
from row3.store.prompts import read_promoted
from row3.store.saved_runs import SavedRun
from row3.store.suites import Suite, baseline_tier, pick_suite
from row3.store.transaction import commit
from row3.workflows.against.at_ref import Base, Judging, find_ref, judging_by, laid_out, unjudged_reasons
from row3.workflows.against.default_suite import judged_by
from row3.workflows.against.fallen_there import tell_fallen_there
from row3.workflows.against.few_compared import answers_as_there, few_compared_reasons
from row3.workflows.against.lost_answers import lost_reasons
from row3.workflows.against.own_baseline import own_baseline_reasons
from row3.workflows.against.own_cases import after_change, own_case_reasons
from row3.workflows.against.recording_drift import (
    Replaced,
    again_text,
    edited_reasons,
    recorded_at,
    since_base,
    since_baseline,
)
from row3.workflows.against.rules_at_ref import out_of_reach
from row3.workflows.against.runs_there import with_former
from row3.workflows.against.signed_since import hold_to_change, signed_since
from row3.workflows.against.swapped_since import swapped_since_reasons
from row3.workflows.comparing.approval_text import approval_text
from row3.workflows.comparing.baseline import mixed_tiers, read_baseline
from row3.workflows.comparing.baseline_commit import seen_from
from row3.workflows.comparing.compare import Comparer
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.comparing.evidence import own_files, same_requests
from row3.workflows.comparing.older_baseline import OlderBaseline, older_versions
from row3.workflows.comparing.prompt_texts import tell_texts
from row3.workflows.comparing.rescore import Recorded, StoredCases
from row3.workflows.comparing.wrong_cases import wrong_cases
from row3.workflows.flags import NO_FLAGS
from row3.workflows.pipeline.lineup import Lineup
from row3.workflows.pipeline.run_header import RulesSummary, rules_of
from row3.workflows.pipeline.run_suite import Run, with_action
from row3.workflows.running import run_suite
from row3.workflows.session import (
    OUTSIDE_GIT,
    Session,
    adds_nothing,
    check_approval,
    entry_of,
    make_approval,
    repository_state,
    save_log,
)

BROUGHT = "the baseline is new in this change, and judges it"


def compare(
    session: Session,
    *,
    base: Base | None = None,
    lineup: Lineup | None = None,
    lenient: bool = False,
    verify: bool = False,
    brought: bool = False,
    pages: bool = False,
    extra: Sequence[Reason] = (),
) -> Comparison:
    """Run the candidates, compare them with the baseline, judge; by what the caller knows (`extra`) too.

    With a base, baseline, golden cases and thresholds are those of that commit; prompts, recordings and
    history are the working tree's. A suite that the base cannot judge is judged by the baseline that the change
    brings. `lenient` lets the command line judge by a looser rule than the baseline's, which
    is then said and no block: a person looks at one comparison in another way, and nothing is promoted by it. In the
    modes `live` and `record` the comparison is with what the baseline's prompts answer now. With `verify` a baseline
    that does not follow from the recordings that are there blocks, as one that a change brings always does; where
    it is `brought`, by a change that adds the suite, also one that they cannot tell it of. With `pages` the run's
    details are what a page shows of each case, with the baseline's recorded answers.

    Raises `InvalidFile`, `UsageError`, `ProviderStopped`.
    """
    if base is not None and session.options.mode is None:
        session.switch("replay")
    if base is not None and session.mode != "replay":
        raise UsageError("--against judges recorded answers", where="--mode", fix="Use --mode replay")
    if base is not None and session.suite.name not in judged_by(base):
        return _by_its_own(session, base, pages=pages)
    judging = judging_by(session.project, session.suite, base)
    suite = session.gate.applied(judging.suite)
    label = None if base is None else base.ref.label
    baseline = read_baseline(judging.project, suite, against=label)
    recorded = None if base is None else partial(recorded_at, session.project, suite, base)
    cases = StoredCases(judging.project, suite)
    comparer = _comparer(session, suite, baseline, cases, recorded)
    if pages:
        from row3.workflows.comparing.case_pages import CasePages

        session.options = replace(session.options, page=CasePages(session.project, suite, baseline))
    if (after := after_change(session, judging, baseline)) is not None:
        comparer.beside = after.take
    run = run_suite(
        session, suite=suite, files=judging.files, comparer=comparer, lineup=lineup, may_lack=judging.asked_no_more
    )
    if judging.for_all:
        run.suite = replace(suite, policy=replace(suite.policy, informational=False))
    comparer.leave_out(run.left_out)
    comparer.older = _older_baseline(session, suite, judging, comparer)
    replaced = _replaced(session, suite, comparer, run, base)
    since = "the baseline" if label is None else label
    fresh = partial(Comparer, session.project, suite, baseline, cases, recorded)
    as_there = cache(lambda: base is not None and answers_as_there(session, base, run, replaced))
    comparison = comparer.finish(
        run,
        session.history(),
        against=label,
        partial=session.options.partial,
        rules=_rules_today(session, suite, lenient=lenient),
        as_there=as_there,
        own=partial(own_files, session.project, session.suite, beside=judging.brought),
        extra=(
            *extra,
            *judging.reasons,
            *swapped_since_reasons(session.project, judging, baseline, base),
            *(out_of_reach(session.suite, suite, run.header.metrics, judging.label) if judging.label else ()),
            *own_case_reasons(session, judging, run, comparer, after=after, as_there=as_there),
            *unjudged_reasons(run.left_out, judging.label),
            *few_compared_reasons(session, judging, base, run, comparer=comparer, replaced=replaced),
            *_made_current(session, suite, judging, run, fresh),
            *edited_reasons(replaced, since),
            *lost_reasons(session.project, judging, base, run, baseline=baseline, replaced=replaced),
            *own_baseline_reasons(
                session.project,
                suite,
                baseline if judging.new_baseline else None,
                base,
                verify=verify,
                brought=brought,
                uncompared=comparer.incomparable,
            ),
        ),
    )
    comparison.reasons = (*comparison.reasons, *_of_older_versions(comparison, judging))
    if base is not None:
        run.lineup = with_former(run.lineup, base)
        tell_fallen_there(session, judging, base, comparison, now=comparer, fresh=fresh, replaced=replaced)
        hold_to_change(comparison, session, judging, base, replaced)
    comparison.hint, comparison.new_baseline = judging.hint, judging.new_baseline
    comparison.wrong_cases = wrong_cases(session, judging, comparer, cases, since, brought=brought)
    comparison.differs += [*judging.notes, *filter(None, [judging.hint, comparison.wrong_cases])]
    if again := again_text(replaced, since):
        comparison.differs.append(again)
    if base is not None and base.ref.behind:
        comparison.behind = base.ref.behind
        comparison.differs.insert(0, behind_line(base.ref.behind, base.ref.label))
    if mixed := mixed_tiers(suite, baseline.header):
        comparison.differs.insert(0, mixed)
    if lenient and session.gate != NO_FLAGS:
        comparison.differs.append(f"judged as the command line says: {session.gate}")
    if session.mode != "replay":
        from row3.workflows.comparing.live_compare import tell_which_moved

        tell_which_moved(session, comparer, comparison)
    tell_texts(session.project, comparison)
    comparison.since = seen_from(session.project, comparison)
    return comparison


def _by_its_own(session: Session, base: Base, *, pages: bool) -> Comparison:
    """By a baseline that has to follow from recordings: no other holds the suite. An approval is for this change."""
    comparison = compare(session, verify=True, brought=True, pages=pages)
    if comparison.approval is not None:
        comparison.approval = signed_since(base, session.history(), comparison.evidence)
    comparison.brought = True
    comparison.differs.insert(0, BROUGHT)
    return comparison


def _older_baseline(session: Session, suite: Suite, judging: Judging, comparer: Comparer) -> OlderBaseline | None:
    """What the base says of itself; the ids of cases that the change adds are read where one of its cases is weaker."""
    if not judging.label:
        return None
    brought = (
        [read_case(session.project.tree, path, suite.kind).id for path in judging.added] if comparer.weakened else []
    )
    return OlderBaseline(
        judging.label, rules_of(judging.suite), brought, suite.flags("row3 --baseline"), judging.new_baseline
    )


def _of_older_versions(comparison: Comparison, judging: Judging) -> list[Reason]:
    """What is told of a fall that may have come before the change; it is no ground, so no approval hangs on it."""
    if not judging.label or judging.new_baseline or all(reason.cause != "answers" for reason in comparison.reasons):
        return []
    promoted = {name: entry.version for name, entry in read_promoted(judging.project.tree).items()}
    before, ran = comparison.baseline.prompts, comparison.run.header.prompts
    return older_versions(before, ran, promoted, label=judging.label, flag=judging.suite.flags("row3 --baseline"))


def _made_current(
    session: Session, suite: Suite, judging: Judging, run: Run, comparer: Callable[[], Comparer]
) -> list[Reason]:
    """What is wrong with the versions that a change promotes; nothing is promoted where no base judges."""
    if judging.project is session.project or suite.system is not None:
        return []
    from row3.workflows.against.made_current import made_current_reasons

    return made_current_reasons(session, suite, judging, run, comparer)


def _replaced(session: Session, suite: Suite, comparer: Comparer, run: Run, base: Base | None) -> list[Replaced]:
    """Recordings that hold another answer than before: at the base, or when the baseline was made."""
    if session.mode != "replay":
        return []
    if base is not None:
        return since_base(session.project, suite, base)
    before = comparer.baseline.header
    asks = same_requests(before, run.header)
    return since_baseline(session.project, suite, before, comparer.otherwise) if asks else []


def _rules_today(session: Session, suite: Suite, *, lenient: bool) -> RulesSummary | None:
    """What the rules of the baseline are held against; None for those that the run was judged by.

    A baseline of the other tier was made under that tier's rules, so it is these that must not have become looser.
    """
    tier = baseline_tier(session.project, suite)
    if not lenient and tier == suite.tier:
        return None
    own = pick_suite(session.project, suite.name, tier)
    return rules_of(own if lenient else session.gate.applied(own))


def _comparer(
    session: Session, suite: Suite, baseline: SavedRun, cases: StoredCases, recorded: Recorded | None
) -> Comparer:
    """What compares; all that a provider is asked beside it is imported where one is."""
    if session.mode == "replay":
        return Comparer(session.project, suite, baseline, cases, recorded)
    from row3.workflows.comparing.live_compare import comparer_for

    return comparer_for(session, suite, baseline, cases)


def gate(session: Session, *, against: str | None = None, approve: str | None = None) -> Comparison:
    """Compare, note it in the history, keep the run log.

    A run in CI, for a report format, of a part of the cases or with a missing answer is not noted, nor one that says
    what the newest entry of the suite says.
    """
    check_approval(approve, may_write=session.may_write)
    if approve is not None and session.options.partial:
        raise UsageError(
            "a part of the cases is no gate, so there is nothing to approve", where="--approve", fix="Run all of them"
        )
    if approve is not None and session.gate != NO_FLAGS:
        raise UsageError(
            "hook, CI and promotion judge by row3.toml, so an approval of another gate would hold nowhere",
            where=f"--approve with {session.gate}",
            fix="Leave these out, or write them into row3.toml",
        )
    with laid_out(None if against is None else find_ref(session.project, against)) as base:
        # Who approves is to see what hook and CI see of the baseline that judges.
        comparison = compare(session, base=base, lenient=base is None, verify=approve is not None)
    state = repository_state(session.project) if session.may_write else (None, None)
    run = comparison.run = with_action(comparison.run, "compare", commit=state[0], dirty=state[1])
    comparison.in_git = not session.may_write or state != OUTSIDE_GIT
    given = None
    if approve is not None and comparison.verdict is Verdict.BLOCK and run.complete:
        given = make_approval(session.project, approve)
    if given is not None and adds_nothing(given, comparison.approval):
        session.say("approved with this reason already: nothing is written")
    elif session.may_write and run.complete and not run.partial:
        comparison.approval = given or comparison.approval
        _note(session, comparison, given)
    save_log(session, run)
    return comparison


def _note(session: Session, comparison: Comparison, given: Approval | None) -> None:
    """An entry in the history, if it says something new; an approval given now also in the changelog, as one change."""
    project, entry = session.project, entry_of(comparison.run, comparison, comparison.approval)
    with writing(project.local, say=session.say):
        text, added = history_with_new(project.tree, [entry])
        files = {HISTORY: text.encode()} if added else {}
        if given is not None:
            files[CHANGELOG] = approval_text(project, comparison, given).encode()
        if files:
            commit(project.root, project.local, files)
    session.noted += added
