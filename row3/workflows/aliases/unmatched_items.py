"""The items of a case's recorded answers that its expectations do not know, with what each may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from row3.domain.embeddings import finish, no_vectors
from row3.domain.matches import Explanation
from row3.kinds.extraction.model import GoldenCase
from row3.matching.names import NameRule
from row3.matching.normalise import normalise
from row3.matching.resemblance import LIKE, best_resemblance, grouped
from row3.matching.texts.places import SearchableText
from row3.matching.texts.quotes import ELLIPSIS, SourceText
from row3.reports.alias_model import Candidate, Form, Stands, Unmatched
from row3.store.cases import StoredCase
from row3.store.files import decode, read_bytes
from row3.store.positions import lines_of
from row3.store.project import Project
from row3.store.reviewed import Reviewed, judged
from row3.store.suites import Suite
from row3.workflows.recorded.recorded_answers import RecordedConcepts, RecordedItems


class ScoredAnswers:
    """The answers of a case, what the scorer explained of each, and what each missed."""

    def __init__(self, project: Project, suite: Suite, stored: StoredCase, recorded: RecordedItems) -> None:
        self.stored, self.recorded = stored, recorded
        self.case: GoldenCase = stored.case
        self.rule: NameRule = suite.rules.names
        self.names: list[list[str]] = [[one.label, *one.aliases] for one in self.case.expected_concepts]
        """Label and aliases of every expected concept."""
        scoring = [suite.kind.score(stored.case, answer.output, suite.rules) for answer in recorded.concepts]
        scores = [finish(one, no_vectors) for one in scoring]
        self.explained: list[Explanation] = [score.explanation for score in scores]
        self.missed: list[set[int]] = [
            {i for i, one in enumerate(each.expected_concepts) if one.found_by is None} for each in self.explained
        ]
        """Positions of the expected concepts that each answer missed."""
        self._path = project.root / stored.where

    def lines(self, paths: Sequence[tuple[str | int, ...]]) -> list[int]:
        """On which line of the case's file each field stands. Raises `InvalidFile`."""
        where = self.stored.where
        found = lines_of(decode(read_bytes(self._path, where=where), where=where), paths)
        return [found[path] for path in paths]


MOST = 9
"""Candidates of one item: as many as there are digits to choose them by."""
FEW = 3
"""Candidates that are shown though nothing speaks for them but that they were missed."""
NEAR = 0.75
"""Resemblance from which a concept that was found anyway is a candidate too."""


@dataclass(slots=True)
class _Seen:
    """One name that stood unmatched, over all answers."""

    label: str
    answers: list[int] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)


class UnmatchedItems:
    """The items of one case; those that were judged before are left out and counted."""

    def __init__(self, scored: ScoredAnswers, reviewed: Reviewed | None) -> None:
        self._scored = scored
        self.judged = 0
        self._seen = self._unmatched(reviewed)

    def _unmatched(self, reviewed: Reviewed | None) -> list[_Seen]:
        """The names that stood unmatched and are still to be judged, the most frequent first."""
        scored, seen = self._scored, dict[str, _Seen]()
        for number, (answer, explanation) in enumerate(zip(scored.recorded.concepts, scored.explained, strict=True)):
            for match, concept in zip(explanation.concepts, answer.output.concepts, strict=True):
                key = normalise(match.label)
                if match.state != "unmatched" or not key:
                    continue
                one = seen.setdefault(key, _Seen(match.label))
                if number not in one.answers:
                    one.answers.append(number)
                if quote := concept.quote.strip():
                    one.quotes.append(quote)
        found = list(seen.values())
        if reviewed is not None and found:
            before = judged(reviewed, scored.stored.id, [one.label for one in found], scored.case.source_text)
            self.judged = sum(before)
            found = [one for one, done in zip(found, before, strict=True) if not done]
        return sorted(found, key=lambda one: -len(one.answers))

    def items(self, *, together: bool) -> Iterator[Unmatched]:
        """The items, the most frequent first; forms of one are one item where they go `together`."""
        if not self._seen:
            return
        text = SearchableText(self._scored.case.source_text)
        lines = self._scored.lines([("expectedConcepts", i, "label") for i in range(len(self._scored.names))])
        groups = grouped([one.label for one in self._seen], self._apart) if together else [[i] for i in self._places]
        members = [[self._seen[at] for at in group] for group in groups]
        for group in sorted(members, key=lambda group: -len(_answers(group))):
            yield self._item(group, text, lines)

    @property
    def _places(self) -> range:
        return range(len(self._seen))

    def _apart(self, one: int, other: int) -> bool:
        """An answer that has both, or two expected concepts that they come nearest to, tell that they are two."""
        first, second = self._seen[one], self._seen[other]
        if set(first.answers) & set(second.answers):
            return True
        near, also_near = self._nearest(first.label), self._nearest(second.label)
        return near is not None and also_near is not None and near != also_near

    def _nearest(self, label: str) -> int | None:
        """The expected concept that a name resembles most; None where it resembles none."""
        scores = [best_resemblance([label], names) for names in self._scored.names]
        best = max(range(len(scores)), key=scores.__getitem__, default=None)
        return None if best is None or scores[best] < LIKE else best

    def _item(self, group: Sequence[_Seen], text: SearchableText, lines: Sequence[int]) -> Unmatched:
        scored, labels, answers = self._scored, [one.label for one in group], _answers(group)
        stands: Stands = "item"
        place = text.find(labels)
        quotes = [quote for one in group for quote in one.quotes]
        if place is None:
            stands, place = "quote", text.find(part for quote in quotes for part in ELLIPSIS.split(quote))
        return Unmatched(
            case_id=scored.stored.id,
            file=scored.stored.where,
            forms=tuple(Form(one.label, len(one.answers)) for one in group),
            count=len(answers),
            answers=len(scored.recorded.concepts),
            prompts=_versions(scored.recorded.concepts[number] for number in sorted(answers)),
            candidates=tuple(self._candidates(labels, answers, place.sentence if place else "", lines)),
            stands=stands if place else "nowhere",
            place=place,
            quote=quotes[0] if quotes else "",
        )

    def _candidates(
        self, labels: Sequence[str], answers: set[int], sentence: str, lines: Sequence[int]
    ) -> list[Candidate]:
        """Expected concepts that it may be: those that its answers missed, and found ones that are very near."""
        around = SourceText(sentence)
        found = []
        for i, names in enumerate(self._scored.names):
            score = best_resemblance(labels, names)
            missed = sum(1 for number in answers if i in self._scored.missed[number])
            if missed or score >= NEAR:
                found.append(Candidate(i, names[0], score, missed, any(map(around.mentions, names)), lines[i]))
        # What resembles it first; then what the same sentence speaks of.
        found.sort(key=lambda one: (one.score < LIKE, not one.missed, one.score < LIKE and not one.beside, -one.score))
        telling = sum(1 for one in found if one.score >= LIKE or one.beside)
        return found[: min(MOST, max(FEW, telling))]


def _answers(group: Iterable[_Seen]) -> set[int]:
    return {number for one in group for number in one.answers}


def _versions(answers: Iterable[RecordedConcepts]) -> dict[str, tuple[str, ...]]:
    """Versions by prompt name, without repetition."""
    found: dict[str, tuple[str, ...]] = {}
    for answer in answers:
        for name, versions in answer.versions.items():
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *versions)))
    return found
