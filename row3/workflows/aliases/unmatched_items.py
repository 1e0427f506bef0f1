"""The items of recorded answers that no expectation matches, with the expected concepts that each may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from row3.domain.asks import finish, no_vectors
from row3.domain.counts import count
from row3.domain.matches import Explanation
from row3.errors import InvalidFile, UsageError
from row3.kinds.extraction.model import GoldenCase
from row3.matching.normalise import normalise
from row3.matching.resemblance import LIKE, best_resemblance
from row3.matching.texts.places import SearchableText
from row3.matching.texts.quotes import ELLIPSIS, SourceText
from row3.reports.alias_review import AliasReview, Candidate, Stands, Unmatched
from row3.store.cases import StoredCase
from row3.store.other_suites import cases_of
from row3.store.project import Project
from row3.store.reviewed import FILE, Judgement, Key, key_of, read_reviewed
from row3.store.suites import Suite
from row3.workflows.recorded.recorded_answers import RecordedAnswers, RecordedConcepts

MOST = 9
"""Candidates of one item: as many as there are digits to choose them by."""
FEW = 3
"""Candidates that are shown though nothing speaks for them but that they were missed."""
NEAR = 0.75
"""Resemblance from which a concept that was found anyway is a candidate too."""


def review(project: Project, suite: Suite, *, case: str | None = None, named: Sequence[str] = ()) -> AliasReview:
    """Gather the unmatched items of every recorded answer to today's cases.

    Args:
        case: a pattern; only the cases whose id fits.
        named: prompt references of which no other version counts.
    Raises `UsageError` for another kind than `extraction`, `InvalidFile` where nothing is recorded or a file is broken.
    """
    if not suite.kind.related:
        what = f"suite `{suite.name}` is of kind `{suite.kind.name}`, which has no aliases"
        raise UsageError(what, where="row3 aliases review", fix="Name a suite of kind `extraction` with --suite")
    runs, judged = RecordedAnswers(project, suite, named), read_reviewed(project.root, f"{suite.golden}/{FILE}")
    items: list[Unmatched] = []
    unanswered: list[str] = []
    cases = answers = 0
    for stored in cases_of(project, suite, case):
        recorded = runs.items(stored)
        if recorded:
            items += _CaseItems(suite, stored, recorded).items(judged)
            cases, answers = cases + 1, answers + len(recorded)
        else:
            unanswered.append(stored.id)
    if not cases:
        raise InvalidFile(
            f"none of the {count(len(unanswered), 'case')} has a recorded answer that can be read",
            where=f"recordings/{suite.name}/",
            fix=f"Record a run with `row3 --mode record{suite.flag}`",
        )
    return AliasReview(suite.name, tuple(items), cases, answers, tuple(unanswered), suite.flag)


@dataclass(slots=True)
class _Seen:
    """One name that was unmatched, over all answers."""

    label: str
    answers: list[int] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)


class _CaseItems:
    """The answers of a case, what the scorer explained of each, and what each missed."""

    def __init__(self, suite: Suite, stored: StoredCase, recorded: Sequence[RecordedConcepts]) -> None:
        self._stored, self._recorded = stored, recorded
        self._case: GoldenCase = stored.case
        self._names = [[one.label, *one.aliases] for one in self._case.expected_concepts]
        scoring = [suite.kind.score(stored.case, answer.output, suite.rules) for answer in recorded]
        self._explained: list[Explanation] = [finish(one, no_vectors).explanation for one in scoring]
        self._text = SearchableText(self._case.source_text)

    def items(self, judged: dict[Key, Judgement]) -> Iterator[Unmatched]:
        """Yield the items that were not judged before, the most frequent first."""
        seen: dict[str, _Seen] = {}
        for number, (answer, explanation) in enumerate(zip(self._recorded, self._explained, strict=True)):
            for match, concept in zip(explanation.concepts, answer.output.concepts, strict=True):
                key = normalise(match.label)
                if match.state != "unmatched" or not key:
                    continue
                one = seen.setdefault(key, _Seen(match.label))
                if number not in one.answers:
                    one.answers.append(number)
                if quote := concept.quote.strip():
                    one.quotes.append(quote)
        for one in sorted(seen.values(), key=lambda one: -len(one.answers)):
            if key_of(self._stored.id, one.label, self._case.source_text) not in judged:
                yield self._item(one)

    def _item(self, one: _Seen) -> Unmatched:
        stands: Stands = "item"
        place = self._text.find([one.label])
        if place is None:
            pieces = (piece for quote in one.quotes for piece in ELLIPSIS.split(quote))
            stands, place = "quote", self._text.find(pieces)
        return Unmatched(
            case_id=self._stored.id,
            file=self._stored.where,
            label=one.label,
            count=len(one.answers),
            answers=len(self._recorded),
            prompts=_versions(self._recorded[number] for number in one.answers),
            candidates=tuple(self._candidates(one, place.sentence if place else "")),
            stands=stands if place else "nowhere",
            place=place,
            quote=one.quotes[0] if one.quotes else "",
        )

    def _candidates(self, one: _Seen, sentence: str) -> list[Candidate]:
        """Return the expected concepts that it may be: those that its answers missed, and found ones that are near."""
        around = SourceText(sentence)
        found = []
        for i, names in enumerate(self._names):
            score = best_resemblance([one.label], names)
            missed = sum(self._explained[number].expected_concepts[i].found_by is None for number in one.answers)
            if missed or score >= NEAR:
                found.append(Candidate(i, names[0], score, missed, any(map(around.mentions, names))))
        # What resembles it first; then what the same sentence mentions.
        found.sort(key=lambda c: (c.score < LIKE, not c.missed, c.score < LIKE and not c.beside, -c.score))
        telling = sum(1 for each in found if each.score >= LIKE or each.beside)
        return found[: min(MOST, max(FEW, telling))]


def _versions(answers: Iterable[RecordedConcepts]) -> dict[str, tuple[str, ...]]:
    """Return versions by prompt name, without repetition."""
    found: dict[str, tuple[str, ...]] = {}
    for answer in answers:
        for name, versions in answer.versions.items():
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *versions)))
    return found
