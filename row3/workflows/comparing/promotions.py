"""Whether locks and baseline are what the promoted versions of a change would write."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from row3.domain.manifests import Manifest
from row3.domain.prompts import parse_reference
from row3.domain.requests import digest_text
from row3.errors import InvalidFile
from row3.gate.judging import Promotion
from row3.gate.results import Run
from row3.store.prompts import FOLDER, read_promoted, read_prompt
from row3.store.snapshot import Snapshot
from row3.store.suites import Suite
from row3.workflows.comparing.baseline import manifest_of
from row3.workflows.comparing.comparer import Comparer
from row3.workflows.comparing.sides import promoted_lineup
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.run_suite import RunOptions
from row3.workflows.running import run_suite
from row3.workflows.snapshots import asked_by

if TYPE_CHECKING:
    from row3.workflows.comparing.gate import Gate


def promotion_of(gate: Gate, run: Run, comparer: Comparer, after: Comparer | None, *, added: bool = False) -> Promotion:
    """Return what is wrong with what a change promotes; nothing where no base judges.

    Args:
        added: the change brings the baseline by which it is judged, so that only has to be what it would write.
    Raises `InvalidFile` for a lock or baseline that cannot be read.
    """
    base, head, suite = gate.base, gate.head, gate.session.suite
    if added and (own := head.manifest(suite.name)) is not None:
        return Promotion(tuple(_wrong_locks(head, suite)), baseline_differs=_differs(gate, own))
    if base is None:
        return Promotion()
    before, now = base.manifest(suite.name), head.manifest(suite.name)
    locks = tuple(dict.fromkeys([*_broken_locks(base, head, suite), *_wrong_locks(head, suite)]))
    unanswered = [*_unrecorded(gate, after or comparer), *_left_behind(gate, run, after)]
    if now is None:
        return Promotion(locks, before is not None, unanswered=tuple(dict.fromkeys(unanswered)))
    differs = False
    if before is None or before.digest != now.digest or _current(base, run) != _current(head, run):
        differs = _differs(gate, now)
    else:
        gone, differs = _altered(gate, now, (after or comparer).requests)
        unanswered += gone
    return Promotion(locks, False, differs, tuple(dict.fromkeys(unanswered)))


def _current(place: Snapshot, run: Run) -> list[str | None]:
    """Which version of each prompt is promoted; None where none is."""
    promoted = read_promoted(place.project.tree)
    return [promoted[name].version if name in promoted else None for name in run.lineup.versions()]


def _unrecorded(gate: Gate, comparer: Comparer) -> Iterator[str]:
    """Cases that the candidate answers by a recording which only the base has."""
    index = gate.recordings.head
    for case_id, (asked, _) in comparer.requests.items():
        if any(digest not in index for digest in asked):
            yield case_id
    session, base = gate.session, gate.recordings.base
    rule = session.suite.rules.semantic
    if rule is not None and base is not None and index.embeddings(rule.model).lost(base.embeddings(rule.model)):
        alone = run_suite(session, index=open_recordings(session.project, session.suite))
        yield from alone.failed


def _left_behind(gate: Gate, run: Run, after: Comparer | None) -> Iterator[str]:
    """New or edited cases that the version which stays promoted does not answer."""
    promoted = promoted_lineup(gate.session.project, gate.session.suite, gate.head.manifest(run.suite.name))
    stays = promoted.digests() == gate.side.header.prompt_digests != run.lineup.digests()
    yield from after.incomparable if after is not None and stays else ()


def _differs(gate: Gate, now: Manifest) -> bool:
    """A baseline is not what `row3 --baseline` would write here."""
    if now.version == 1:
        return True
    session = gate.session
    options = RunOptions(mode="replay", jobs=session.options.jobs, repeats=now.repeats)
    lineup = promoted_lineup(session.project, session.suite, now)
    run = run_suite(replace(session, options=options, named=()), lineup=lineup)
    return manifest_of(session.project, run).digest != now.digest


def _altered(gate: Gate, now: Manifest, here: Collection[str]) -> tuple[list[str], bool]:
    """Cases of a baseline that the change leaves alone whose answers are gone, and whether one is another."""
    index = gate.recordings.head
    gone, altered = [], False
    for case in now.cases.values():
        for request, answer in zip(case.requests, case.answers, strict=False):
            found = index.get(request)
            if found is None:
                gone.append(case.id)
            else:
                altered = altered or digest_text(found.answer.text) != answer
    return [case for case in gone if case in here], altered


def _broken_locks(base: Snapshot, head: Snapshot, suite: Suite) -> Iterator[str]:
    """Versions locked at the base whose lock is another one, or whose file is gone or edited."""
    locks, tree = head.locks(), head.project.tree
    for ref, digest in base.locks().items():
        parsed = parse_reference(ref)
        if parsed is None or not _concerns(suite, parsed.name, base, head):
            continue
        path = f"{FOLDER}/{ref}.md"
        if locks.get(ref) != digest or not tree.exists(path) or read_prompt(tree, parsed).digest != digest:
            yield ref


def _wrong_locks(head: Snapshot, suite: Suite) -> Iterator[str]:
    """New locks that do not have the digest of their version's file."""
    tree = head.project.tree
    for ref, digest in head.locks().items():
        parsed = parse_reference(ref)
        if parsed is not None and _concerns(suite, parsed.name, head):
            try:
                fits = read_prompt(tree, parsed).digest == digest
            except InvalidFile:
                fits = False
            if not fits:
                yield ref


def _concerns(suite: Suite, prompt: str, *places: Snapshot) -> bool:
    """The suite asks the prompt in one of these places, or no suite does."""
    asked = [asked_by(place.project, prompt) for place in places]
    return not asked[-1] or any(suite.name in names for names in asked)
