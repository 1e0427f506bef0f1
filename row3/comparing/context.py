"""Evidence other than scores: declining runs, changed recordings and models, the history, promotions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from row3.comparing.baseline import manifest_of
from row3.comparing.comparison import Comparer, omitted_change
from row3.domain.judgements import CriteriaChange, Reason
from row3.domain.prompts import parse_reference
from row3.domain.requests import changed_keys, digest_text
from row3.domain.runs import Header, Manifest
from row3.domain.words import spoken
from row3.errors import InvalidFile
from row3.gate.power import detectable_metrics
from row3.gate.results import Run
from row3.gate.rolling import rolling_baseline
from row3.gate.scores import Context
from row3.project.base import asked_by
from row3.project.criteria import loosened
from row3.project.project import Project
from row3.project.recordings import open_changed
from row3.project.suites import Suite
from row3.running.replay import open_recordings
from row3.running.run_options import RunOptions, with_action
from row3.running.session import entry_of
from row3.running.suite_run import declining_runs, run_suite

if TYPE_CHECKING:
    from row3.comparing.sources import Gate


def context_of(gate: Gate, run: Run, comparer: Comparer, after: Comparer | None, added: str) -> Context:
    """Return the evidence other than scores. Raises `InvalidFile` for an unreadable lock or baseline.

    Args:
        after: the comparison by the head's criteria; None if they are the base's.
        added: `suite NAME` or `baseline` if the change adds what judges it; else empty.
    """
    session, base, suite = gate.session, gate.base, gate.suite
    history = session.project.history
    earlier, run_ids = () if base is None else base.history, {entry.run_id for entry in history}
    before, now = gate.side.header, run.header
    model = model_change(before, now)
    rules = (gate.base or gate.head).suite(suite.name, suite.tier)
    old_model, new_model = (", ".join(sorted(each)) for each in comparer.served)
    served_differ = all(comparer.served) and old_model != new_model and model is None
    context = Context(
        rolling=tuple(rolling_of(gate, run, 0)),
        decline=declining_runs(history, run, suite).from_runs(suite.policy.declines),
        merged=after is not None and bool(_detectable(comparer, suite) - _detectable(after, suite)),
        partial=session.options.partial,
        flags=tuple(loosened(rules, suite)),
        recorded_again=tuple(_recorded_again(gate, comparer)),
        recorded=recorded_by(gate, comparer),
        model=model,
        served=(old_model, new_model) if served_differ else None,
        omitted=omitted_change(*comparer.omitted),
        history_removed=sum(each.suite == suite.name and each.run_id not in run_ids for each in earlier),
        added=added,
        project_changes=() if base is None else tuple(_project_changes(base, session.project, suite.name)),
    )
    return _with_promotion(context, gate, run, comparer, after)


def model_change(before: Header, now: Header) -> tuple[str, str] | None:
    """Return the models and settings that differ, as words for both sides; None if all are the same."""
    pairs = [(own, now.parameters[name]) for name, own in before.parameters.items() if name in now.parameters]
    changed = [(pair, key, "" if key == "model" else f"{key} ") for pair in pairs for key in changed_keys(*pair)]
    old, new = (
        ", ".join(dict.fromkeys(head + spoken(pair[side].get(key)) for pair, key, head in changed)) for side in (0, 1)
    )
    return (old, new) if changed else None


def _detectable(comparer: Comparer, suite: Suite) -> set[str]:
    return detectable_metrics(comparer.pairs, suite.kind.metrics, suite.policy, primary=suite.kind.primary)


def rolling_of(gate: Gate, run: Run, confirmed: int) -> Iterable[Reason]:
    """Compare the run with the mean of the latest runs, if the base's gate uses a rolling baseline.

    `confirmed`: how many answers a case were asked to confirm a drop.
    """
    suite, policy = gate.suite, gate.suite.policy
    if policy.baseline == "saved" or run.partial:
        return ()
    history = gate.session.project.history if gate.base is None else gate.base.history
    entry = entry_of(with_action(run, "compare", commit=None, dirty=None))
    final = confirmed >= policy.confirm
    return rolling_baseline(
        history, entry, suite.tier, suite.kind.metrics, policy, primary=suite.kind.primary, final=final
    )


def _recorded_again(gate: Gate, comparer: Comparer) -> Iterator[str]:
    """Yield the cases and embedded texts with a new answer to a request that the base or the baseline answers too."""
    earlier, head = gate.base_index, gate.index
    if earlier is None:
        yield from comparer.replaced
        return
    for case_id, *sides in comparer.requests():
        for digest in {digest for side in sides for digest in side}:
            old, new = earlier.get(digest), head.get(digest)
            if old is not None and new is not None and old.answer.said != new.answer.said:
                yield case_id
                break
    rule = gate.suite.rules.semantic
    if rule is not None:
        replaced = head.embeddings(rule.model).replaced(earlier.embeddings(rule.model))
        yield from (f"embedding of {text}" for text in replaced)


def recorded_by(gate: Gate, comparer: Comparer) -> int:
    """Return how many of both sides' answers the change records."""
    if gate.base is None or gate.base_index is None:
        return 0
    changed = open_changed(gate.session.project.tree, gate.base.tree, gate.suite.name)
    asked = (digest for _, *sides in comparer.requests() for side in sides for digest in side)
    return len({digest for digest in asked if digest in changed and digest not in gate.base_index})


def _project_changes(base: Project, project: Project, suite: str) -> Iterator[CriteriaChange]:
    """Yield changes of the project's settings, for one suite only: the default one, if the base judges it."""
    judged = [name for name in base.judged_suites() if project.has_cases(name)]
    named = [name for name in (project.default_suite, base.default_suite) if name in judged]
    if suite != next(iter([*named, *judged]), None):
        return
    for key in ("suite", "protected_branch"):
        before, after = (getattr(each.config, key) for each in (base, project))
        if before != after:
            yield CriteriaChange("changed", f"rule {key}", before, after)


def _with_promotion(context: Context, gate: Gate, run: Run, comparer: Comparer, after: Comparer | None) -> Context:
    """Add problems of the change's promotions, if a base judges or the change adds the baseline.

    An added baseline only has to equal what its promoted versions would write.
    """
    base, suite = gate.base, gate.session.suite
    now = gate.head.manifest(suite.name)
    if base is None and (now is None or not context.added):
        return context
    locks = tuple(_broken_locks(base, gate.head, suite))
    if base is None:
        return replace(context, broken_locks=locks, baseline_differs=now is not None and _differs(gate, now))
    before, differs = base.manifest(suite.name), False
    unanswered = [*_unrecorded(gate, after or comparer)]
    if after is not None and gate.promoted.digests() == gate.side.header.prompt_digests != run.lineup.digests():
        unanswered += after.incomparable  # new or edited cases that the version still promoted cannot answer
    if now is not None:
        if before is None or before.digest != now.digest or _current(base, run) != _current(gate.head, run):
            differs = _differs(gate, now)
        else:
            gone, differs = _altered(gate, now, after or comparer)
            unanswered += gone
    return replace(
        context,
        broken_locks=locks,
        baseline_removed=before is not None and now is None,
        baseline_differs=differs,
        unanswered=tuple(dict.fromkeys(unanswered)),
    )


def _current(place: Project, run: Run) -> list[str | None]:
    """Return the promoted version of each of the run's prompts, None for one that is not promoted."""
    promoted = place.promoted
    return [promoted[name].version if name in promoted else None for name in run.lineup.versions()]


def _unrecorded(gate: Gate, comparer: Comparer) -> Iterator[str]:
    """Yield cases whose recorded answer only the base still has."""
    session, index, earlier = gate.session, gate.index, gate.base_index
    for case_id, asked, _ in comparer.requests():
        if any(digest not in index for digest in asked):
            yield case_id
    rule = session.suite.rules.semantic
    if rule is not None and earlier is not None and index.embeddings(rule.model).lost(earlier.embeddings(rule.model)):
        yield from run_suite(session, index=open_recordings(session.project, session.suite)).failed


def _differs(gate: Gate, now: Manifest) -> bool:
    """Return whether a baseline differs from what `row3 --baseline` would write."""
    if now.version == 1:
        return True
    session = gate.session
    options = RunOptions(mode="replay", jobs=session.options.jobs, ray=session.options.ray, repeats=now.repeats)
    run = run_suite(replace(session, options=options), lineup=gate.promoted)
    return manifest_of(session.project, run).digest != now.digest


def _altered(gate: Gate, now: Manifest, comparer: Comparer) -> tuple[list[str], bool]:
    """Return which answered cases lost an answer of the unchanged baseline, and whether any answer of it changed."""
    gone, altered = [], False
    for case in now.cases.values():
        for request, answer in zip(case.requests, case.answers, strict=False):
            found = gate.index.get(request)
            if found is None:
                gone.append(case.id)
            else:
                altered = altered or digest_text(found.answer.said) != answer
    answered = {case_id for case_id, *_ in comparer.requests()} if gone else ()
    return [case for case in gone if case in answered], altered


def _broken_locks(base: Project | None, head: Project, suite: Suite) -> Iterator[str]:
    """Yield versions whose lock differs from the base's, or whose file is gone or does not match its lock."""
    before, now = {} if base is None else base.locks, head.locks
    places = [head] if base is None else [base, head]
    for ref, digest in {**now, **before}.items():
        parsed = parse_reference(ref)
        if parsed is None:
            continue
        try:
            fits = now.get(ref) == digest == head.prompt(parsed).digest
        except InvalidFile:
            fits = False
        if fits:
            continue
        asked = [asked_by(place, parsed.name) for place in places]
        if not asked[-1] or any(suite.name in names for names in asked):
            yield ref  # otherwise the suites that use the prompt report it
