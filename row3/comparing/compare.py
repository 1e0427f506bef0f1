"""`row3 --compare`: judge candidates against the base, by the base's criteria and the head's (docs/gate.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from row3.comparing.approvals import new_approvals
from row3.comparing.base_side import prompt_diffs
from row3.comparing.comparison import Comparer, effect_of
from row3.comparing.confirmation import Confirming, Judged, Part
from row3.comparing.context import context_of
from row3.comparing.sources import Gate, open_gate
from row3.domain.judgements import Judgement, Verdict
from row3.domain.prompts import Lineup
from row3.domain.requests import RECORDED_ONLY
from row3.domain.runs import BaseHeader, RunHeader
from row3.gate.judging import judge
from row3.gate.policy import PolicyName, check_known
from row3.gate.results import Comparison, Run
from row3.gate.scores import Context
from row3.project.project import Project
from row3.project.recordings import open_index
from row3.project.suites import Suite
from row3.running.collect import sorted_on_disk
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
    name, added, asking = session.suite.name, "", session
    if base is not None and not base.judges(name):
        added = "baseline" if base.has_cases(name) else f"suite {name}"
    if base is not None and not added:
        session = session.replaying()
    if pages:
        from row3.comparing.case_pages import CasePages

        session = replace(session, options=replace(session.options, page=CasePages(session.suite)))
    judge_from = None if added else base
    gate = open_gate(session, judge_from)
    suite = gate.suite
    first = gate.score(session, lineup)
    context = context_of(gate, first.run, first.comparer, first.after, added)
    policies = suite.policy, session.suite.policy
    if policy is not None:
        policies = replace(policies[0], policy=policy), replace(policies[1], policy=policy)
    again = bool(context.recorded_again)
    unchanged = not again and _unchanged(gate, first.run, first.comparer)
    scores = [replace(each, unchanged=unchanged) for each in first.scores(*policies)]
    if first.comparer.compared:
        where = "--fail" if "%" in (session.command.gate.fail or "") else f"row3.toml field suites.{name}.gate.fail"
        for each in scores:
            check_known(each.figures, each.policy.figures, where=where)
    parts = [Part(session, lineup, first, first, scores)]
    if (promoted := _promoted(gate, first.run, again=again)) is not None:
        its_session, of_head = promoted
        scored = gate.score(its_session, of_head)
        parts.append(Part(its_session, of_head, scored, scored, scored.scores(*policies)))
    approvals = new_approvals(session.project.history, base, suite.name)

    def judged(parts: Sequence[Part], context: Context) -> Judgement:
        comparers = [comparer for part in parts for comparer in part.scored.comparers]
        return judge(
            suite.name,
            gate.changes,
            [scores for part in parts for scores in part.scores],
            context,
            effect=partial(effect_of, parts[0].scored.comparer, parts[0].scored.after),
            answers=sorted_on_disk(answer for comparer in comparers for answer in comparer.answers()),
            approvals=approvals,
            added=base is not None,
        )

    found = Judged(parts, context, judged(parts, context))
    found, confirmation = Confirming(asking, gate, judge_from, policies, judged, policy).confirm(found)
    part, judgement, drift = found.parts[0], found.judgement, found.drift or found.parts[0].scored.drift
    run, comparer = part.scored.run, part.scored.comparer
    if len(found.parts) > 1:
        run = replace(run, problems=[*found.parts[1].scored.run.problems, *run.problems])
    if not session.options.partial and gate.manifest is not None and gate.base is None:
        comparer.add_removed(case_id for case_id in gate.manifest.cases if case_id not in comparer.taken)
    usage = first.run.usage  # a confirmation asks both sides
    asked_now = usage.requests - (usage.replayed if session.mode == "auto" else 0)
    saved = gate.interleaving is None and suite.system is None and session.mode != "replay" and asked_now > 0
    one_sided = confirmation is None or session.mode == "live"
    blocks = judgement.complete and judgement.verdict is Verdict.BLOCK
    if saved and blocks and one_sided and gate.base is None and comparer.compared:
        from row3.comparing.drift import drift_by_sample

        run, drift = drift_by_sample(session, gate.side, run, comparer.compared_ids())
    return replace(
        comparer.comparison(run, _asked_header(gate, part.scored.base), part.scores[0], judgement),
        against=None if base is None else base.label,
        declines=context.decline.runs,
        prompt_diffs=prompt_diffs(gate.base or gate.head, gate.side.header, run.lineup),
        interleaved=gate.interleaving is not None,
        saved=saved,
        drift=drift,
        confirmation=confirmation,
        once=first.run if confirmation is not None and confirmation.answers else None,
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
        kinds = {case_id: word for word, ids in comparer.golden.items() for case_id in ids}
        if not gate.session.options.partial:
            removed = (case_id for case_id in gate.manifest.cases if case_id not in comparer.taken)
            kinds |= dict.fromkeys(removed, "removed")
    return {word: ids for word in GOLDEN if (ids := sorted(each for each, kind in kinds.items() if kind == word))}


def _asked_header(gate: Gate, header: BaseHeader) -> BaseHeader:
    """Return the base's header, with the model that was asked instead if no provider serves the base's."""
    substitute = None if gate.interleaving is None else gate.interleaving.substitute
    return header if substitute is None else replace(header, model=header.model.replace(RECORDED_ONLY, substitute))


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
    return all(digest in answered for _, asked, _ in comparer.requests() for digest in asked)


def _promoted(gate: Gate, run: Run, *, again: bool) -> tuple[Session, Lineup] | None:
    """Return the head's promoted versions, unless they are the candidate or, with no answer `again`, the base's."""
    session, header = gate.session, gate.side.header
    if gate.base is None or not run.suite.prompted:
        return None
    manifest = gate.head.manifest(session.suite.name)
    repeats = header.repeats if manifest is None else manifest.repeats
    asked = _asked(session.suite, gate.promoted, repeats)
    if asked == _asked_by(run.header) or (not again and asked == _asked_by(header)):
        return None
    options = RunOptions(mode="replay", jobs=session.options.jobs, ray=session.options.ray, repeats=repeats)
    return replace(session, options=options), gate.promoted


def _asked(suite: Suite, lineup: Lineup, repeats: int) -> tuple[Any, ...]:
    """Return what identifies a lineup's requests: prompts, parameters and repeats."""
    asking = make_asking(suite, lineup, RunOptions(repeats=repeats))
    return lineup.digests(), {name: each.as_json() for name, each in asking.parameters.items()}, repeats


def _asked_by(header: RunHeader | BaseHeader) -> tuple[Any, ...]:
    return header.prompt_digests, header.parameters, header.repeats
