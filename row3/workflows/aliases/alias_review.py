"""What there is to review about a suite's aliases: unmatched items of recorded runs, and aliases that nothing met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from row3.domain.counts import count
from row3.domain.matches import CORRECT
from row3.errors import InvalidFile, UsageError
from row3.matching.names import closest
from row3.matching.normalise import normalise
from row3.matching.texts.quotes import SourceText
from row3.reports.alias_model import AliasReview, Unmatched, UnusedAlias
from row3.store.other_suites import cases_of
from row3.store.project import Project
from row3.store.reviewed import Reviewed
from row3.store.suites import Suite
from row3.workflows.aliases.unmatched_items import ScoredAnswers, UnmatchedItems
from row3.workflows.recorded.recorded_answers import RecordedAnswers

FOUND = CORRECT | {"duplicate"}


def review(
    project: Project,
    suite: Suite,
    *,
    case: str | None = None,
    named: Sequence[str] = (),
    again: bool = False,
    together: bool = True,
) -> AliasReview:
    """Gather all there is to review, from every recorded answer to today's cases.

    Args:
        case: a pattern; only the cases whose id fits.
        named: prompt references of which no other version counts.
        again: also what was judged in an earlier review.
        together: forms of one item are one item.
    Raises `UsageError` for another kind than `extraction`, `InvalidFile` where nothing is recorded or a file is broken.
    """
    if not suite.kind.related:
        what = f"suite `{suite.name}` is of kind `{suite.kind.name}`, which has no aliases"
        raise UsageError(what, where="row3 aliases review", fix="Name a suite of kind `extraction` with --suite")
    runs, reviewed = RecordedAnswers(project, suite, named), Reviewed(project.root, suite.golden)
    items: list[Unmatched] = []
    unused: list[UnusedAlias] = []
    unanswered: list[str] = []
    cases = answers = aliases = judged = 0
    for stored in cases_of(project, suite, case):
        recorded = runs.items(stored)
        if not recorded.concepts:
            unanswered.append(stored.id)
            continue
        scored = ScoredAnswers(project, suite, stored, recorded)
        unmatched = UnmatchedItems(scored, None if again else reviewed)
        items += unmatched.items(together=together)
        unused += _unused_aliases(scored)
        cases, answers, judged = cases + 1, answers + len(recorded.concepts), judged + unmatched.judged
        aliases += sum(len(concept.aliases) for concept in stored.case.expected_concepts)
    if not cases:
        raise InvalidFile(
            f"none of the {count(len(unanswered), 'case')} has a recorded answer that can be read",
            where=f"recordings/{suite.name}/",
            fix=f"Record a run with `row3 --mode record{suite.flag}`",
        )
    return AliasReview(
        suite.name, tuple(items), tuple(unused), aliases, cases, answers, tuple(unanswered), judged, suite.flag
    )


def apart(
    project: Project, suite: Suite, item: Unmatched, *, named: Sequence[str] = (), again: bool = False
) -> list[Unmatched]:
    """The forms of an item, each as an item of its own, as far as they still stand unmatched. Raises as `review`."""
    found = review(project, suite, case=item.case_id, named=named, again=again, together=False)
    wanted = {form.label for form in item.forms}
    return [one for one in found.items if one.label in wanted]


def _unused_aliases(scored: ScoredAnswers) -> list[UnusedAlias]:
    """Aliases by which no item and no end of a relationship was found, exactly or nearly. Raises `InvalidFile`."""
    met = {normalise(name) for name in scored.recorded.ends}
    met |= {normalise(match.label) for each in scored.explained for match in each.concepts}
    met |= set(_met_nearly(scored))
    left = [
        (i, j, alias)
        for i, (_, *aliases) in enumerate(scored.names)
        for j, alias in enumerate(aliases)
        if normalise(alias) not in met
    ]
    if not left:
        return []
    text = SourceText(scored.case.source_text)
    lines = scored.lines([("expectedConcepts", i, "aliases", j) for i, j, _ in left])
    id_, file = scored.stored.id, scored.stored.where
    return [
        UnusedAlias(id_, scored.names[i][0], alias, text.mentions(alias), file, line)
        for (i, _, alias), line in zip(left, lines, strict=True)
    ]


def _met_nearly(scored: ScoredAnswers) -> Iterator[str]:
    """Normalised names by which the fuzzy rule found a concept."""
    keys = {label: [normalise(name) for name in (label, *aliases)] for label, *aliases in scored.names}
    for explanation in scored.explained:
        for match in explanation.concepts:
            if match.state in FOUND and match.expected in keys:
                near = closest(normalise(match.label), keys[match.expected], scored.rule)
                if near is not None:
                    yield near
