"""`row3 aliases review`: unmatched items of recorded answers, with the expected concepts each may be a name of."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from row3.commands.linting.lint_findings import applicable_findings
from row3.domain.asks import finish, no_vectors
from row3.domain.matches import Explanation
from row3.domain.printable import plain
from row3.domain.words import count
from row3.errors import InvalidFile, UsageError
from row3.gate.alias_review import AliasReview, Candidate, Decision, Stands, Unmatched
from row3.kinds import all_kinds
from row3.kinds.extraction.model import GoldenCase
from row3.matching.names import is_near
from row3.matching.normalise import normalise
from row3.matching.resemblance import LIKE, best_resemblance
from row3.matching.text.places import SearchableText
from row3.matching.text.quotes import ELLIPSIS, SourceText
from row3.project.cases import Cases, StoredCase, parse_case, place_in
from row3.project.files import write_all, write_atomic
from row3.project.positions import Path, offsets_of
from row3.project.project import Project
from row3.project.reviewed import FILE, Judgement, Key, key_of, read_reviewed, with_wrong
from row3.project.suites import Suite
from row3.project.transaction import writing
from row3.running.collect import now
from row3.running.recorded_answers import RecordedAnswers, RecordedConcepts

MAX_CANDIDATES = 9
"""Candidates shown for an item: each is chosen by a digit key."""
MIN_CANDIDATES = 3
"""Candidates shown even if they neither resemble the item nor occur in its sentence."""
NEAR = 0.75
"""Similarity, in [0, 1], from which a concept is a candidate although the answer found it."""


def review(
    project: Project, suite: Suite, *, only: Collection[str] | None = None, named: Sequence[str] = ()
) -> AliasReview:
    """Return the unmatched items of recorded answers to the chosen cases. Raises `UsageError`, `InvalidFile`."""
    if suite.kind.case_model is not GoldenCase:
        what = f"suite `{suite.name}` is of kind `{suite.kind.name}`, which has no aliases"
        having_aliases = next(name for name, kind in all_kinds().items() if kind.case_model is GoldenCase)
        raise UsageError(what, where="row3 aliases review", fix=f"Name a suite of kind `{having_aliases}` with --suite")
    runs, judged = RecordedAnswers(project, suite, named), read_reviewed(project.root, f"{suite.golden}/{FILE}")
    items: list[Unmatched] = []
    unanswered: list[str] = []
    cases = answers = 0
    for stored in project.cases_of(suite, only):
        if recorded := runs.items(stored):
            items += _CaseItems(suite, stored, recorded).items(judged)
            cases, answers = cases + 1, answers + len(recorded)
        else:
            unanswered.append(stored.id)
    if not cases:
        what = f"none of the {count(len(unanswered), 'case')} has a readable recorded answer"
        fix = f"Record a run with `row3 --mode record{suite.flag}`"
        raise InvalidFile(what, where=f"recordings/{suite.name}/", fix=fix)
    return AliasReview(suite.name, tuple(items), cases, answers, tuple(unanswered), suite.flag)


@dataclass(slots=True)
class _Seen:
    """An unmatched name, with the numbers of the answers that contain it and their quotes."""

    label: str
    answers: list[int] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)


class _CaseItems:
    """Finds the unmatched items of a case's recorded answers."""

    def __init__(self, suite: Suite, stored: StoredCase, recorded: Sequence[RecordedConcepts]) -> None:
        self._stored, self._recorded = stored, recorded
        self._case: GoldenCase = stored.case
        self._names = [[one.label, *one.aliases] for one in self._case.expected_concepts]
        scoring = [suite.kind.score(stored.case, answer.output, suite.rules) for answer in recorded]
        self._explained: list[Explanation] = [finish(one, no_vectors).explanation for one in scoring]
        self._text = SearchableText(self._case.source_text)

    def items(self, judged: dict[Key, Judgement]) -> Iterator[Unmatched]:
        """Yield the items without a judgement, most frequent first."""
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
        """Return the concepts the item may name: those its answers missed, and similar ones that they found.

        Similar concepts come first, then those that the item's sentence mentions.
        """
        around = SourceText(sentence)
        found = []
        for i, names in enumerate(self._names):
            score = best_resemblance([one.label], names)
            missed = sum(self._explained[number].expected_concepts[i].found_by is None for number in one.answers)
            if missed or score >= NEAR:
                found.append(Candidate(i, names[0], score, missed, any(map(around.mentions, names))))
        found.sort(key=lambda c: (c.score < LIKE, not c.missed, c.score < LIKE and not c.same_sentence, -c.score))
        likely = sum(1 for each in found if each.score >= LIKE or each.same_sentence)
        return found[: min(MAX_CANDIDATES, max(MIN_CANDIDATES, likely))]


def _versions(answers: Iterable[RecordedConcepts]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for answer in answers:
        for name, versions in answer.versions.items():
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *versions)))
    return found


COMMAND = "`row3 aliases review`"
DECODER = json.JSONDecoder()


class Decider:
    """Writes and undoes decisions. Raises `UsageError` for an impossible one, and `InvalidFile` or `EnvironmentFault`
    for a file; then nothing is written.
    """

    def __init__(self, project: Project, suite: Suite, *, say: Callable[[str], None] = lambda _: None) -> None:
        self._project, self._suite, self._say = project, suite, say

    def is_open(self, item: Unmatched) -> bool:
        """Return whether the case's current file is still without the item."""
        case = self._now(item)
        names = [name for concept in case.expected_concepts for name in (concept.label, *concept.aliases)]
        return not self._known(item.label, [*names, *case.forbidden_concepts])

    def alias(self, item: Unmatched, candidate: Candidate) -> Decision:
        """Add the item as an alias of an expected concept."""
        name = _writable(item)

        def edited(raw: bytes) -> bytes:
            concepts = self._case(raw, item).expected_concepts
            concept = concepts[candidate.position] if candidate.position < len(concepts) else None
            if concept is None or concept.label != candidate.label:
                what = f"`{candidate.label}` has moved: the file was changed during the review"
                raise UsageError(what, where=item.file, fix="Quit and start the review again")
            if self._known(name, [concept.label, *concept.aliases]):
                raise UsageError(f"`{name}` is already one of its names", where=item.file, fix="Skip it")
            place = f"in the text, line {item.place.line}" if item.in_text and item.place else "not in the text"
            new = with_item(raw, ("expectedConcepts", candidate.position, "aliases"), name)
            reason = f"another name of the same concept ({place})"
            return _with_history(new, f"alias `{name}` of `{candidate.label}`", reason)

        return Decision("alias", item, name, candidate.label, item.file, *self._edit(item, edited))

    def canary(self, item: Unmatched) -> Decision:
        """Add the item as a canary: it is made up."""
        name = _writable(item)

        def edited(raw: bytes) -> bytes:
            new = with_item(raw, ("forbiddenConcepts",), name)
            return _with_history(new, f"canary `{name}`", "not in the text and made up")

        return Decision("canary", item, name, "", item.file, *self._edit(item, edited))

    def wrong(self, item: Unmatched) -> Decision:
        """Remember that the item is wrong, but neither an alias nor made up."""
        file = f"{self._suite.golden}/{FILE}"
        with writing(self._project.root, say=self._say):
            before, text = self._contents(file), self._now(item).source_text
            judged = read_reviewed(self._project.root, file)
            after = with_wrong(judged, item.case_id, item.label, text, date=now()[:10])
            write_atomic(self._project.at(file), after, where=file)
        return Decision("wrong", item, item.label, "", file, before, after)

    def undo(self, decision: Decision) -> None:
        """Undo a decision: restore the file byte for byte."""
        where = decision.file
        with writing(self._project.root, say=self._say):
            if self._contents(where) != decision.after:
                what = "the file was changed after the decision, so it cannot be restored"
                raise UsageError(what, where=where, fix="Remove the line by hand")
            write_all({self._project.at(where): decision.before or None}, where=where)

    def _contents(self, where: str) -> bytes:
        tree = self._project.tree
        return tree.read(where) if tree.exists(where) else b""

    def _now(self, item: Unmatched) -> GoldenCase:
        case: GoldenCase = Cases(self._project.tree).case(item.file, self._suite.kind).case
        return case

    def _case(self, raw: bytes, item: Unmatched) -> GoldenCase:
        case: GoldenCase = parse_case(raw, item.file, self._suite.kind, where=item.file).case
        return case

    def _known(self, name: str, names: list[str]) -> bool:
        return is_near(normalise(name), [normalise(one) for one in names], self._suite.rules.names)

    def _edit(self, item: Unmatched, edited: Callable[[bytes], bytes]) -> tuple[bytes, bytes]:
        """Edit the case's file; return it before and after. Raises `UsageError` if lint would find a new error."""
        if place_in(item.file):
            what = "only cases with a file of their own are edited"
            raise UsageError(what, where=item.file, fix="Skip it, or edit the case by hand")
        with writing(self._project.root, say=self._say):
            before = self._project.tree.read(item.file)
            after = edited(before)
            kind, rules = self._suite.kind, self._suite.rules
            both = (self._case(raw, item) for raw in (before, after))
            old, new = (applicable_findings(self._suite, kind.lint.case(case, rules)) for case in both)
            known = {(finding.rule, finding.path) for finding in old}
            for each in new:
                if each.level == "error" and (each.rule, each.path) not in known:
                    where = f"{item.file} field {'.'.join(map(str, each.path))}"
                    fix = "Choose another key; nothing was written"
                    raise UsageError(f"refused: {each.message}", where=where, fix=fix)
            write_atomic(self._project.at(item.file), after, where=item.file)
        return before, after


def _writable(item: Unmatched) -> str:
    """Return the item's name as written to a file. Raises `UsageError` if it needs invisible characters to match."""
    name = plain(item.label)
    if normalise(name) != normalise(item.label):
        what = "the name contains invisible characters, and would not match without them"
        raise UsageError(what, where=f"{item.file} item `{name}`", fix="Skip it, or edit the case by hand")
    return name


def _with_history(raw: bytes, change: str, reason: str) -> bytes:
    """Return the case's file with an entry in its history; the reason quotes nothing of an answer."""
    entry = {"date": now()[:10], "change": change, "reason": f"{reason}; judged in {COMMAND}"}
    return with_item(raw, ("history",), entry)


def with_item(raw: bytes, path: Path, item: Any) -> bytes:
    """Return a JSON file with an item appended to an array, all other bytes kept; a missing array becomes the last
    key of its object. Raises `InvalidFile` if the file cannot be edited like that.
    """
    text = raw.decode("utf-8")
    value = holder = json.loads(text.removeprefix("\ufeff"))
    *above, key = path
    for step in above:
        holder = holder[step]
    written, items = json.dumps(item, ensure_ascii=False), holder.get(key)
    if items or items is None:
        end, space = _end_of(text, (*path, len(items) - 1) if items else (*above, list(holder)[-1]))
        member = written if items else f"{json.dumps(key)}: [{written}]"
        new = f"{text[:end]},{space}{member}{text[end:]}"
    else:
        end, _ = _end_of(text, path)
        new = f"{text[: text.rindex('[', 0, end) + 1]}{written}]{text[end:]}"
    holder[key] = [*(items or []), item]
    if json.loads(new.removeprefix("\ufeff")) != value:
        raise InvalidFile("row3 cannot edit this file safely", where=str(value.get("id")), fix="Edit it by hand")
    return new.encode("utf-8")


def _end_of(text: str, path: Path) -> tuple[int, str]:
    """Return where a field's value ends, and the white space to put before the next one: a line end or a blank."""
    start = offsets_of(text, [path])[path]
    space = text[len(text[:start].rstrip(" \t\r\n")) : start]
    if isinstance(path[-1], str):
        start = DECODER.raw_decode(text, start)[1]
        start = next(at for at in range(start, len(text)) if text[at] not in " \t\r\n:")
    return DECODER.raw_decode(text, start)[1], space if "\n" in space else " "
