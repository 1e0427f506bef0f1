"""What speaks beside the scores: declining runs, recordings and models that changed, the history, the project."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from row3.domain.judgements import CriteriaChange
from row3.domain.runs import HistoryEntry
from row3.gate.judging import Context
from row3.gate.results import Run
from row3.store.project import Project
from row3.store.snapshot import Snapshot, loosened
from row3.store.suites import make_suite
from row3.workflows.comparing.comparer import Comparer
from row3.workflows.running import declining_runs

if TYPE_CHECKING:
    from row3.workflows.comparing.gate import Gate


def context_of(gate: Gate, run: Run, comparer: Comparer, added: str) -> Context:
    """Return what else may speak about a run. Raises `InvalidFile`.

    Args:
        added: what the change brings by which it is judged itself: `suite NAME` or `baseline`; empty for nothing.
    """
    session, base = gate.session, gate.base
    history = session.history()
    declines = declining_runs(history, run, gate.suite)
    before, after = gate.side.header.parameters, run.header.parameters
    models = (gate.side.header.model, run.header.model)
    settings_differ = any(name in after and before[name] != after[name] for name in before)
    rules = session.project if base is None else base.project
    served = tuple(", ".join(sorted(each)) for each in comparer.served)
    return Context(
        declines=declines if declines >= gate.suite.policy.declines else 0,
        partial=session.options.partial,
        flags=tuple(loosened(make_suite(rules.config, gate.suite.name, gate.suite.tier), gate.suite)),
        recorded_again=tuple(_recorded_again(gate, comparer)),
        model=models if settings_differ else None,
        served=(served[0], served[1]) if all(served) and served[0] != served[1] and not settings_differ else None,
        history_removed=0 if base is None else _removed(base.history(), history, gate.suite.name),
        added=added,
        project_changes=() if base is None else tuple(_project_changes(base, session.project, gate.suite.name)),
    )


def _recorded_again(gate: Gate, comparer: Comparer) -> Iterator[str]:
    """Cases and texts an identical request of which has another answer than at the base, or than the baseline's."""
    earlier = gate.recordings.base
    if earlier is None:
        yield from comparer.replaced
        return
    head = gate.recordings.head
    for case_id, sides in comparer.requests.items():
        for digest in {digest for side in sides for digest in side}:
            old, new = earlier.get(digest), head.get(digest)
            if old is not None and new is not None and old.answer.text != new.answer.text:
                yield case_id
                break
    rule = gate.suite.rules.semantic
    if rule is not None:
        replaced = head.embeddings(rule.model).replaced(earlier.embeddings(rule.model))
        yield from (f"embedding of {text}" for text in replaced)


def _removed(before: list[HistoryEntry], now: list[HistoryEntry], suite: str) -> int:
    there = {entry.run_id for entry in now}
    return sum(entry.suite == suite and entry.run_id not in there for entry in before)


def _project_changes(base: Snapshot, project: Project, suite: str) -> Iterator[CriteriaChange]:
    """Changes of the whole project; one suite says them: the default one, as far as the base judges it."""
    if suite != speaker(base, project):
        return
    old, new = base.project.config, project.config
    for key, before, after in (
        ("suite", old.suite, new.suite),
        ("protected_branch", old.protected_branch, new.protected_branch),
    ):
        if before != after:
            yield CriteriaChange("changed", f"rule {key}", before, after)


def speaker(base: Snapshot, project: Project) -> str | None:
    """Return the one suite that says what concerns the whole project."""
    head = Snapshot(project)
    judged = [name for name in base.suites() if head.has_cases(name)]
    named = [name for name in (default_suite(project), default_suite(base.project)) if name in judged]
    return next(iter([*named, *judged]), None)


def default_suite(project: Project) -> str | None:
    """Return the suite that a command without `--suite` is about; None where several exist and none is named."""
    names = project.suite_names()
    return project.config.suite or (names[0] if len(names) == 1 else None)
