"""What `row3 diff` says in words, whatever the form: which runs, what differs, what was gained and lost."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from row3.domain.changes import MetricChange
from row3.domain.verdicts import CaseChange
from row3.reports import numbers

NOUNS = {
    "missedConcepts": "concepts",
    "wrongConcepts": "unexpected concepts",
    "canaries": "canaries",
    "missedRelationships": "relationships",
    "wrongRelationships": "wrong relationships",
}
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class RunFacts(Protocol):
    """What is told of one of the two runs."""

    @property
    def run_id(self) -> str: ...
    @property
    def at(self) -> str: ...
    @property
    def commit(self) -> str | None: ...
    @property
    def mode(self) -> str: ...
    @property
    def prompts(self) -> Mapping[str, str]: ...
    @property
    def prompt_digests(self) -> Mapping[str, str]: ...
    @property
    def model(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]: ...
    @property
    def repeats(self) -> int: ...
    @property
    def scorer(self) -> str: ...


class DiffView(Protocol):
    """What is shown of a comparison of two runs."""

    @property
    def suite(self) -> str: ...
    @property
    def names(self) -> tuple[str, str]: ...
    @property
    def places(self) -> tuple[str, str]: ...
    @property
    def commits(self) -> tuple[str | None, str | None]: ...
    @property
    def before(self) -> RunFacts: ...
    @property
    def after(self) -> RunFacts: ...
    @property
    def sizes(self) -> tuple[int, int]: ...
    @property
    def differs(self) -> Sequence[str]: ...
    @property
    def metrics(self) -> Sequence[MetricChange]: ...
    @property
    def primary(self) -> str: ...
    @property
    def moves(self) -> Mapping[str, int]: ...
    @property
    def cases(self) -> Sequence[CaseChange]: ...
    @property
    def compared(self) -> int: ...
    @property
    def gained(self) -> Mapping[str, int]: ...
    @property
    def lost(self) -> Mapping[str, int]: ...
    @property
    def prompt_diffs(self) -> Mapping[str, str]: ...
    @property
    def unanswered(self) -> Sequence[tuple[str, int, str]]: ...


def side_lines(view: DiffView) -> list[str]:
    """What ran on either side: `decompose-concepts v1.0 → map-ontology v1.0 · reference-llm · 15 cases`."""
    lines = []
    for facts, size in zip((view.before, view.after), view.sizes, strict=True):
        prompts = " → ".join(f"{name} {version}" for name, version in facts.prompts.items())
        what = [part for part in (prompts, facts.model) if part] or ["outputs made elsewhere"]
        lines.append(" · ".join([*what, numbers.count(size, "case")]))
    return lines


def differing(view: DiffView) -> list[str]:
    """What differs apart from the answers, or that nothing does."""
    same = "prompts, model, parameters, cases and rules are the same"
    if set(view.moves) <= {"unchanged"}:
        return list(view.differs) or [f"nothing: {same}, and no case moved"]
    return list(view.differs) or [f"nothing but the answers: {same}"]


def compared_lines(view: DiffView) -> list[str]:
    """Which cases stand behind the figures, and what is missing."""
    lines = []
    if view.sizes != (view.compared, view.compared):
        lines.append(f"Over the {numbers.count(view.compared, 'case')} that both have and that can be compared.")
    lines += [
        f"{name}: {numbers.count(cases, 'case')} without an answer, in no figure above. The first: {problem}"
        for name, cases, problem in view.unanswered
    ]
    return lines


def total_lines(view: DiffView) -> list[str]:
    """What was gained and lost over all cases, list by list."""
    lines = []
    for sign, lists in (("+", view.gained), ("−", view.lost)):
        parts = [_total(sign, name, count) for name, count in lists.items()]
        if parts:
            lines.append(f"{sign} {' · '.join(parts)}")
    return lines


def _total(sign: str, name: str, count: int) -> str:
    many = noun(name)
    one = f"{many[:-3]}y" if many.endswith("ies") else many.removesuffix("s")
    what = many if count != 1 else one
    if name.startswith("missed"):
        return f"{count:,} {what} {verb(sign, name)}"
    return f"{count:,} {'fewer' if sign == '+' else 'new'} {what}"


def noun(name: str) -> str:
    """What a list of a kind's shortfall holds, in words: `missedDueDates` holds due dates."""
    if name in NOUNS:
        return NOUNS[name]
    words = _CAPITAL.sub(" ", name).lower()
    return words.removeprefix("missed ")


def verb(sign: str, name: str) -> str:
    """What became of the items of a list; what is gained of a list of wrong items is that they are gone."""
    missed = name.startswith("missed")
    return {"+": "found" if missed else "no longer", "−": "lost" if missed else "new"}[sign]
