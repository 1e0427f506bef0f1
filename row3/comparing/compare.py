"""`row3 --compare`: judge candidates against the base, by the base's criteria and the head's (docs/gate.md)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from row3.comparing.approvals import new_approvals
from row3.comparing.base_side import prompt_diffs
from row3.comparing.comparison import Comparer, effect_of
from row3.comparing.context import context_of
from row3.comparing.sources import Gate, Scored, open_gate
from row3.domain.prompts import Lineup
from row3.domain.requests import RECORDED_ONLY
from row3.domain.runs import BaseHeader, RunHeader
from row3.domain.verdicts import Verdict
from row3.gate.figures import check_known
from row3.gate.judging import Scores, judge
from row3.gate.policy import PolicyName
from row3.gate.results import Comparison, Run
from row3.project.project import Project
from row3.project.recordings import open_index
from row3.project.suites import Suite
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions, make_asking
from row3.running.session import Session

GOLDEN = ("edited", "removed", "new")


def compare(
    session: Session,
    *,
    base: Project | None = None,
    lineup: Lineup | None = None,
    policy: PolicyName | None = None,
    pages: bool = False,
) -> Comparison:
    """Run the candidates, or `lineup`, compare them with the base's answers, and judge, by `policy` if given.

    A base judges by recorded answers. Without one, or if it has no baseline of the suite, the work tree's own baseline
    judges. `pages` collects the details that the HTML report shows. Raises `InvalidFile`, `UsageError`,
    `ProviderStopped`.
    """
    name, added = session.suite.name, ""
    if base is not None and not base.judges(name):
        added = "baseline" if base.has_cases(name) else f"suite {name}"
    if base is not None and not added:
        session = session.replaying()
    if pages:
        from row3.comparing.case_pages import CasePages

        session = replace(session, options=replace(session.options, page=CasePages(session.suite)))
    gate = open_gate(session, None if added else base)
    suite = gate.suite
    scored = gate.score(session, lineup)
    run, comparer, after = scored
    if gate.interleaving is not None:
        comparer.add_failed(gate.interleaving.unfinished)
    if not session.options.partial and gate.manifest is not None and gate.base is None:
        seen = {*comparer.requests, *comparer.failed}
        comparer.add_removed([case_id for case_id in gate.manifest.cases if case_id not in seen])
    context = context_of(gate, run, comparer, after, added)
    judged, own_policy = (replace(each.policy, policy=policy or each.policy.policy) for each in (suite, session.suite))
    again = bool(context.recorded_again)
    unchanged = not again and _unchanged(gate, run, comparer)
    scores = [replace(each, unchanged=unchanged) for each in scored.scores(judged, own_policy)]
    scores[0] = candidate = _after_rounds(gate, comparer, scores[0])
    if comparer.compared:
        where = "--fail" if "%" in (session.command.gate.fail or "") else f"row3.toml field suites.{name}.gate.fail"
        for each in scores:
            check_known(each.figures, each.policy.figures, where=where)
    comparers = [comparer, after]
    if (promoted := _promoted(gate, run, again=again)) is not None:
        run = replace(run, problems=[*promoted.run.problems, *run.problems])
        scores += promoted.scores(judged, own_policy)
        comparers += [promoted.comparer, promoted.after]
    judgement = judge(
        suite.name,
        gate.changes,
        scores,
        context,
        effect=partial(effect_of, comparer, after),
        answers=[answer for each in comparers if each is not None for answer in each.answers],
        approvals=new_approvals(session.project.history, base, suite.name),
        added=base is not None,
    )
    drift, adaptive = None, None
    if gate.interleaving is not None:
        from row3.comparing.drift import drift_since

        adaptive = gate.interleaving.progress
        if gate.interleaving.substitute is None:
            drift = drift_since(session.project, gate.side, comparer, suite)
    asked_now = run.usage.requests - (run.usage.replayed if session.mode == "auto" else 0)
    saved = gate.interleaving is None and suite.system is None and session.mode != "replay" and asked_now > 0
    blocks = judgement.complete and judgement.verdict is Verdict.BLOCK
    if saved and blocks and gate.base is None and comparer.compared:
        from row3.comparing.drift import drift_by_sample

        run, drift = drift_by_sample(session, gate.side, run, comparer.compared)
    return replace(
        comparer.comparison(run, _asked_header(gate), candidate, judgement),
        against=None if base is None else base.label,
        declines=context.declines,
        prompt_diffs=prompt_diffs(gate.base or gate.head, gate.side.header, run.lineup),
        interleaved=gate.interleaving is not None,
        saved=saved,
        drift=drift,
        adaptive=adaptive,
        behind=0 if base is None else base.behind,
        own_baseline=bool(added),
        golden=_golden(gate, comparer),
    )


def _golden(gate: Gate, comparer: Comparer) -> dict[str, list[str]]:
    """Return the ids of the golden cases that are edited, removed or new since the base."""
    kinds: dict[str, str] = {}
    if gate.base is not None:
        words = {"added": "new", "removed": "removed"}
        for change in gate.changes:
            if change.key.startswith("case "):
                whole = change.key == f"case {change.case_id}"
                kinds[change.case_id] = words[change.effect] if whole else "edited"
    elif gate.manifest is not None:
        known = gate.manifest.cases
        for case_id, digest in comparer.golden.items():
            if case_id not in known or known[case_id].digest != digest:
                kinds[case_id] = "edited" if case_id in known else "new"
        if not gate.session.options.partial:
            kinds |= dict.fromkeys(known.keys() - comparer.golden.keys(), "removed")
    found = {word: sorted(each for each, kind in kinds.items() if kind == word) for word in GOLDEN}
    return {word: case_ids for word, case_ids in found.items() if case_ids}


def _asked_header(gate: Gate) -> BaseHeader:
    """Return the base's header, with the model that was asked instead if no provider serves the base's."""
    header, substitute = gate.side.header, None if gate.interleaving is None else gate.interleaving.substitute
    return header if substitute is None else replace(header, model=header.model.replace(RECORDED_ONLY, substitute))


def _after_rounds(gate: Gate, comparer: Comparer, scores: Scores) -> Scores:
    """Return the scores judged so that what may be noise does not block, if the comparison was adaptive."""
    progress = None if gate.interleaving is None else gate.interleaving.progress
    if progress is None:
        return scores
    from row3.gate.adaptive import judge_rounds

    kind, policy = gate.suite.kind, scores.policy
    by_evidence = comparer.scores(replace(policy, policy="evidence")).changes
    by_interval = comparer.scores(replace(policy, policy="paired")).changes
    others = by_interval if policy.policy == "paired" else by_evidence
    changes = [
        judge_rounds(progress, fixed, paired, policy) if own.key == kind.primary else own
        for own, fixed, paired in zip(others, by_evidence, by_interval, strict=True)
    ]
    return replace(scores, changes=changes)


def _unchanged(gate: Gate, run: Run, comparer: Comparer) -> bool:
    """Return whether the candidate is a draft that the base has with the same settings and answers."""
    if gate.base is None or gate.session.options.named or not run.suite.prompted:
        return False
    if run.lineup.digests() in (gate.side.header.prompt_digests, gate.promoted.digests()):
        return False
    base_suite = gate.base.suite(run.suite.name, "replay")
    draft = line_up(gate.base, base_suite, role="candidate")
    if _asked(base_suite, draft, run.header.repeats) != _asked_by(run.header):
        return False
    answered = open_index(gate.base.tree, run.suite.name)
    return all(digest in answered for asked, _ in comparer.requests.values() for digest in asked)


def _promoted(gate: Gate, run: Run, *, again: bool) -> Scored | None:
    """Score the head's promoted versions, unless they are the candidate or, with no answer `again`, the base's."""
    session, header = gate.session, gate.side.header
    if gate.base is None or not run.suite.prompted:
        return None
    manifest = gate.head.manifest(session.suite.name)
    repeats = header.repeats if manifest is None else manifest.repeats
    asked = _asked(session.suite, gate.promoted, repeats)
    if asked == _asked_by(run.header) or (not again and asked == _asked_by(header)):
        return None
    options = RunOptions(mode="replay", jobs=session.options.jobs, repeats=repeats)
    return gate.score(replace(session, options=options), gate.promoted)


def _asked(suite: Suite, lineup: Lineup, repeats: int) -> tuple[Any, ...]:
    """Return what identifies a lineup's requests: prompts, parameters and repeats."""
    asking = make_asking(suite, lineup, RunOptions(repeats=repeats))
    return lineup.digests(), {name: each.as_json() for name, each in asking.parameters.items()}, repeats


def _asked_by(header: RunHeader | BaseHeader) -> tuple[Any, ...]:
    return header.prompt_digests, header.parameters, header.repeats
