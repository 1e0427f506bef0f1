"""`row3 investigate`: one case run again, and everything that can be said about why it scored as it did."""

from __future__ import annotations

import asyncio
import difflib
import os
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from rapidfuzz import fuzz, process

from row3.domain.matches import CORRECT, CORRECT_RELATIONSHIP, Explanation, Triple
from row3.domain.prompts import Prompt
from row3.domain.requests import Answer, NoAnswer, Request
from row3.domain.scores import CaseScore
from row3.errors import InvalidFile, Row3Error, RunIncomplete, UsageError
from row3.gate.zones import zones_of
from row3.kinds.base import Parsed
from row3.kinds.extraction_models import ExtractionOut, GoldenCase, quote_of
from row3.matching.names import SCORERS, Named, NameIndex
from row3.matching.normalise import normalise, normalise_text
from row3.reports.investigation import (
    BadQuote,
    Invented,
    Investigation,
    Lost,
    Misdirected,
    Missed,
    Place,
    Question,
    Symptom,
    predicate_confusions,
)
from row3.reports.markdown_text import code
from row3.store.cases import StoredCase, case_files, read_case
from row3.store.locks import writing
from row3.store.project import Project, Suite
from row3.store.recordings import merge, open_index, to_line
from row3.store.saved_runs import CaseRecord, read_run
from row3.workflows.evaluate import Asking, steps
from row3.workflows.execute import miss
from row3.workflows.lineup import Role, line_up
from row3.workflows.run_suite import RunOptions, make_asking, now

SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\s+|[。！？]")
ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[A-Z]|e\.g|i\.e|cf|Dr|Mr|Mrs|Ms|St|vs|No|Fig|al|approx|ca)\.\Z")
PARAGRAPH = re.compile(r"\n\s*\n")
NEARLY = 0.9
"""Similarity from which a quote that does not occur was copied with small changes; below it is paraphrased."""
LIKE = 0.6
"""Similarity from which a missed and an extracted name may be two forms of one."""


def find_in_text(text: str, name: str) -> Place | None:
    """Where a name stands in a text, compared as the scorer compares; None where it does not."""
    return SearchableText(text).find([name])


class SearchableText:
    """A text, normalised once, in which every normalised character knows where it came from."""

    def __init__(self, text: str) -> None:
        self.text = text
        folded, self._origins = _folded(text)
        self._padded = f" {folded} "
        self._sentences = _sentences(text)
        self._normal = [f" {normalise_text(text[start:end])} " for start, end in self._sentences]

    def find(self, names: Iterable[str]) -> Place | None:
        """The first place of the first name that occurs."""
        for name in names:
            key = normalise(name)
            found = self._padded.find(f" {key} ") if key else -1
            if found >= 0:
                return self._place(self._origins[found][0], self._origins[found + len(key) - 1][1])
        return None

    def together(self, one: Sequence[str], other: Sequence[str]) -> Place | None:
        """The first sentence in which a form of both stands, both marked."""
        for (start, end), normal in zip(self._sentences, self._normal, strict=True):
            if all(any(f" {normalise(name)} " in normal for name in names) for names in (one, other)):
                inner = SearchableText(self.text[start:end])
                marks = [(spot.start, spot.end) for names in (one, other) if (spot := inner.find(names)) is not None]
                return self._place(start, end, tuple(marks))
        return None

    def most_like(self, quote: str) -> tuple[Place, float] | None:
        """The sentence most like a quote, and how much: in [0, 1]."""
        hit = process.extractOne(normalise_text(quote), self._normal, scorer=fuzz.partial_ratio)
        return None if hit is None else (self._place(*self._sentences[hit[2]], ()), hit[1] / 100)

    def _place(self, start: int, end: int, marks: tuple[tuple[int, int], ...] | None = None) -> Place:
        starts = [begin for begin, _ in self._sentences]
        first = self._sentences[max(0, bisect_right(starts, start) - 1)][0]
        last = max(end, self._sentences[max(0, bisect_right(starts, end - 1) - 1)][1])
        above = self.text[:start]
        own = ((start - first, end - first),) if marks is None else marks
        paragraph = len([part for part in PARAGRAPH.split(above) if part.strip()])
        starts_one = not above.strip() or bool(re.search(r"\n\s*\n\s*\Z", above))
        return Place(paragraph + starts_one, above.count("\n") + 1, start, end, self.text[first:last], own)


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as `normalise_text` gives it, and for each character the stretch of the text that it came from."""
    chars: list[str] = []
    origins: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        # Between two digits, which compose with nothing, a stretch that becomes a blank keeps it.
        for char in normalise_text(f"0{text[start:end]}0")[1:-1]:
            if char == " " and (not chars or chars[-1] == " "):
                continue
            chars.append(char)
            origins.append((start, end))
    if chars and chars[-1] == " ":
        chars.pop()
        origins.pop()
    return "".join(chars), origins


def _clusters(text: str) -> list[tuple[int, int]]:
    """Stretches that normalisation treats by themselves: a character with all that composes with it."""
    spans: list[tuple[int, int]] = []
    for at, char in enumerate(text):
        if spans and not char.isascii():
            before = text[spans[-1][0] : at]
            apart = unicodedata.normalize("NFKC", before) + unicodedata.normalize("NFKC", char)
            if unicodedata.combining(char) or unicodedata.normalize("NFKC", before + char) != apart:
                spans[-1] = (spans[-1][0], at + 1)
                continue
        spans.append((at, at + 1))
    return spans


def _sentences(text: str) -> list[tuple[int, int]]:
    cuts = [0, *(match.end() for match in PARAGRAPH.finditer(text))]
    for match in SENTENCE_END.finditer(text):
        following = text[match.end() : match.end() + 2].lstrip("\"'“‘([")
        if following and not following[0].islower() and not ABBREVIATION.search(text, 0, match.start() + 1):
            cuts.append(match.end())
    cuts = sorted({*cuts, len(text)})
    spans = [(start, start + len(text[start:end].rstrip())) for start, end in pairwise(cuts)]
    return [span for span in spans if span[0] < span[1]] or [(0, len(text))]


def investigate(
    project: Project,
    suite: Suite,
    case_id: str,
    options: RunOptions | None = None,
    *,
    role: Role = "candidate",
    named: Sequence[str] = (),
) -> Investigation:
    """Run one case (in replay where the options say nothing else) and look into it.

    Raises `UsageError` for an unknown case or another kind than `extraction`, `RunIncomplete` where there is no
    answer, `InvalidFile` for a file that cannot be used.
    """
    if suite.kind.name != "extraction":
        raise UsageError(f"suite `{suite.name}` is of kind `{suite.kind.name}`", where="CASE", fix="See `row3 -v`")
    options = replace(options or RunOptions(), case=None, only=frozenset({case_id}), repeats=1)
    stored = find_case(project, suite, case_id)
    lineup = line_up(project, suite, role=role, named=named)
    asking = make_asking(suite, lineup, options)
    score, said = _walk(asking, stored, _answers(project, suite, options))
    if score.status == "failed":
        raise RunIncomplete("the case has no answer", where=case_id, fix=score.problem)
    return _Inquiry(project, asking, stored, score, said).result()


def find_case(project: Project, suite: Suite, case_id: str) -> StoredCase:
    """The case of that id; raises `UsageError` with the near miss, `InvalidFile` where its own file is broken."""
    folder = project.golden(suite.name)
    paths = case_files(folder)
    likely = [path for path in paths if path.name == f"{case_id}.gold.json"]
    ids: list[str] = []
    for path in [*likely, *(path for path in paths if path not in likely)]:
        try:
            stored = read_case(path, suite.kind)
        except InvalidFile:
            if path in likely:
                raise
            continue  # another case's file: `row3 lint` is for that
        if stored.id == case_id:
            return stored
        ids.append(stored.id)
    near = difflib.get_close_matches(case_id, ids, n=3, cutoff=0.4)
    hint = f"Did you mean {', '.join(f'`{one}`' for one in near)}?" if near else f"Cases: {', '.join(sorted(ids)[:20])}"
    raise UsageError(f"case `{case_id}` does not exist", where=f"golden/{suite.name}/", fix=hint)


def _walk(
    asking: Asking, stored: StoredCase, answer: Callable[[Request], Answer | NoAnswer]
) -> tuple[CaseScore, list[tuple[Request, Answer]]]:
    said: list[tuple[Request, Answer]] = []
    walk = steps(asking, stored)
    try:
        request = next(walk)
        while True:
            given = answer(request)
            if isinstance(given, Answer):
                said.append((request, given))
            request = walk.send(given)
    except StopIteration as end:
        score: CaseScore = end.value
        return score, said


def _answers(project: Project, suite: Suite, options: RunOptions) -> Callable[[Request], Answer | NoAnswer]:
    """Who answers, by the options' mode; what is to be recorded is on disk as soon as it is said."""
    mode = options.mode or "replay"
    folder = project.recordings(suite.name)
    index = open_index(folder if mode in ("replay", "auto") else folder / "none", options.journals)

    def answer(request: Request) -> Answer | NoAnswer:
        recording = index.get(request.digest)
        if recording is not None:
            return recording.answer
        if mode == "replay":
            return miss(index, request)
        given = asyncio.run(_ask(suite, request))
        if isinstance(given, Answer) and mode in ("auto", "record"):
            with writing(project.local):
                merge(folder, [to_line(request, given, recorded_at=now())])
        return given

    return answer


async def _ask(suite: Suite, request: Request) -> Answer | NoAnswer:
    from row3.providers.registry import make_provider
    from row3.workflows.live import endpoint_of

    provider = make_provider(endpoint_of(suite), os.environ)
    try:
        return await provider.ask(request)
    finally:
        await provider.close()


class _Inquiry:
    """Puts what the scorer explained beside the case, its text and the answers."""

    def __init__(
        self, project: Project, asking: Asking, stored: StoredCase, score: CaseScore, said: list[tuple[Request, Answer]]
    ) -> None:
        self.project, self.asking, self.stored, self.score, self.said = project, asking, stored, score, said
        self.case: GoldenCase = stored.case
        self.suite = asking.suite
        self.seen: Explanation = score.explanation
        self.text = SearchableText(self.case.source_text)
        names = [Named(concept.label, concept.aliases) for concept in self.case.expected_concepts]
        self.names = NameIndex(names, self.case.forbidden_concepts, self.suite.rules.names)

    def result(self) -> Investigation:
        """All parts of the investigation."""
        found = Investigation(
            case_id=self.case.id,
            topic=self.case.topic,
            suite=self.suite.name,
            date=now()[:10],
            prompts=self.asking.lineup.versions(),
            model=", ".join(dict.fromkeys(request.model for request, _ in self.said)),
            status=self.score.status,
            problem=self.score.problem,
            raw=self.score.raw,
            notes=self.score.notes,
            extracted=(len(self.seen.concepts), len(self.seen.relationships)),
            symptoms=(),
            missed=tuple(self._missed()),
            invented=tuple(
                Invented(m.label, m.state, m.expected, m.score, self.text.find([m.label]))
                for m in self.seen.concepts
                if m.state in ("unmatched", "canary")
            ),
            duplicates=tuple((m.label, m.expected or "") for m in self.seen.concepts if m.state == "duplicate"),
            misdirected=tuple(
                Misdirected(m.triple, m.state, m.expected, self._sentence_of(m.expected, m.triple))
                for m in self.seen.relationships
                if m.state not in CORRECT_RELATIONSHIP
            ),
            lost=tuple(self._lost()),
            quotes=tuple(self._quotes()),
            checks=(),
            fixes=(),
            plan=(),
        )
        symptoms, notes = self._symptoms()
        found = replace(found, symptoms=symptoms, notes=(*found.notes, *notes))
        circumstances = _Circumstances(self.case, self.asking.lineup.prompts, self.said)
        return replace(
            found,
            checks=checklist(found, circumstances),
            fixes=tuple(proposed_fixes(found, circumstances)),
            plan=tuple(self._plan(found)),
        )

    def _symptoms(self) -> tuple[tuple[Symptom, ...], list[str]]:
        metrics, limits = self.suite.kind.metrics, self.suite.rules.thresholds
        before, notes = self._baseline()
        zones = zones_of(self.score.metrics, metrics, limits)
        old = before.metrics if before is not None else {}
        return tuple(
            Symptom(m, self.score.metrics.get(m.key), zones.get(m.key), limits.get(m.key), old.get(m.key))
            for m in metrics
        ), notes

    def _baseline(self) -> tuple[CaseRecord | None, list[str]]:
        path = self.project.baseline(self.suite.name)
        if not path.is_file():
            return None, ["There is no baseline to compare with."]
        try:
            run = read_run(path, where=f"baselines/{path.name}")
            record = run.record(self.case.id)
        except Row3Error as error:
            return None, [f"The baseline cannot be used: {error}"]
        if record is None:
            return None, ["The case is not in the baseline."]
        prompts = ", ".join(f"{name} {version}" for name, version in run.header.prompts.items())
        changed = "; the golden case was changed since" if record.digest != self.stored.digest else ""
        return record, [f"Baseline: {run.header.at[:10]}, {prompts}, {run.header.model}{changed}."]

    def _missed(self) -> Iterable[Missed]:
        scorer, full = SCORERS[self.suite.rules.names.scorer]
        free = [m.label for m in self.seen.concepts if m.state not in CORRECT]
        for concept, expectation in zip(self.case.expected_concepts, self.seen.expected_concepts, strict=True):
            if expectation.found_by is not None:
                continue
            forms = [concept.label, *concept.aliases]
            near = [(scorer(normalise(form), normalise(label)) / full, form, label) for form in forms for label in free]
            alike = max((one for one in near if _alike(*one)), default=(0.0, "", None))
            place = self.text.find(forms)
            yield Missed(concept.label, concept.required, concept.inferred, place, alike[2], alike[0])

    def _lost(self) -> Iterable[Lost]:
        missed = {expectation.label for expectation in self.seen.expected_concepts if expectation.found_by is None}
        for expected in self.seen.expected_relationships:
            if expected.found_by is None:
                ends = [end for end in dict.fromkeys((expected.triple.source, expected.triple.target)) if end in missed]
                yield Lost(expected.triple, expected.required, tuple(ends))

    def _quotes(self) -> Iterable[BadQuote]:
        for match, concept in zip(self.seen.concepts, self._output().concepts, strict=True):
            quote = quote_of(concept.source_quote)
            if match.quote == "missing":
                yield BadQuote(match.label, "missing", "", self.text.find(self._forms(match.label)), 0.0)
            elif match.quote == "unverified":
                place, similarity = self.text.most_like(quote) or (None, 0.0)
                yield BadQuote(match.label, "unverified", quote, place, similarity)

    def _output(self) -> ExtractionOut:
        """What was extracted, read from the answers again: the explanation does not keep the quotes."""
        if self.score.status != "scored":
            return ExtractionOut(concepts=[])
        kind = self.suite.kind
        outputs: dict[str, Any] = {}
        for request, answer in self.said:
            parsed = kind.parse(request.schema_name, answer.text)
            assert isinstance(parsed, Parsed)
            outputs[request.schema_name] = parsed.value
        combined: ExtractionOut = kind.combine(outputs)
        return combined

    def _sentence_of(self, *triples: Triple | None) -> Place | None:
        """Where both ends of the first of these relationships stand together."""
        for triple in filter(None, triples):
            place = self.text.together(self._forms(triple.source), self._forms(triple.target))
            if place is not None:
                return place
        return None

    def _forms(self, name: str) -> list[str]:
        """A name with the other forms of the concept that it stands for."""
        hit = self.names.resolve(name)
        if hit is None:
            return [name]
        concept = self.case.expected_concepts[hit[0]]
        return [name, concept.label, *concept.aliases]

    def _plan(self, found: Investigation) -> Iterable[str]:
        lineup = self.asking.lineup
        suite = "" if self.project.config.suite in (None, self.suite.name) else f" --suite {self.suite.name}"
        mode = " --mode auto" if self.project.config.mode == "replay" else ""
        current = [p.ref.name for p in lineup.prompts if lineup.promoted.get(p.ref.name) == str(p.ref.version)]
        if current:
            yield f"Make the change in a new version: `row3 new-version {current[0]}`."
        aims = [f"{s.metric.title} reaches its target" for s in found.symptoms if s.failing]
        aim = "; ".join(aims) or "nothing gets worse"
        yield f"`row3 --case {self.case.id} --compare{suite}{mode}`: {aim}."
        yield f"`row3 --compare{suite}{mode}`: no other case regresses, and the verdict is not block."


@dataclass(frozen=True, slots=True)
class _Circumstances:
    """What the checklist asks beside what went wrong."""

    case: GoldenCase
    prompts: Sequence[Prompt]
    said: Sequence[tuple[Request, Answer]]

    def prompt(self, *outputs: str) -> str:
        """The prompt with one of these outputs."""
        return next((str(p.ref) for p in self.prompts if p.output in (*outputs, "extraction")), "the prompt")

    @property
    def truncated(self) -> list[str]:
        """Prompts whose answer was cut off by the token limit."""
        return [request.prompt for request, answer in self.said if answer.finish_reason == "length"]

    def asks_for_quotes(self) -> bool:
        """Whether a prompt that asks for concepts speaks of quotes."""
        return any("quot" in p.body.lower() for p in self.prompts if p.output in ("concepts", "extraction"))

    def temperature(self) -> str:
        """What the requests said."""
        values = {request.temperature for request, _ in self.said}
        if values <= {0}:
            return "No, it is 0"
        said = ", ".join("the provider's default" if value is None else f"{value:g}" for value in values)
        return f"It is {said}; 0 invents least"


def checklist(found: Investigation, around: _Circumstances) -> tuple[tuple[str, tuple[Question, ...]], ...]:
    """The questions of STANDARDS 6.1 to 6.5, answered as far as the data goes."""
    return (
        ("6.1 Recall issues (missing concepts)", _recall(found, around)),
        ("6.2 Precision issues (hallucinated concepts)", _precision(found, around)),
        ("6.3 Relationship issues (wrong predicates)", _relationships(found, around)),
        ("6.4 Provenance issues (missing source quotes)", _provenance(found, around)),
        ("6.5 Golden test case issues", _golden(found)),
    )


def _which(text: str, items: Sequence[str], whole: int) -> Question:
    """A question for which of many something holds."""
    return Question(text, f"{len(items)} of {whole}", tuple(items))


def _recall(found: Investigation, around: _Circumstances) -> tuple[Question, ...]:
    missed, expected = [item.label for item in found.missed], len(around.case.expected_concepts)
    explicit = [item.label for item in found.missed if item.place is not None]
    implied = [item.label for item in found.missed if item.place is None]
    count, nothing = f"Extracted {found.extracted[0]}, expected {expected}", "" if missed else "Nothing was missed"
    return (
        _which("Which specific concepts were missed?", missed, expected),
        _which("Are the missed concepts mentioned explicitly in the source text?", explicit, len(missed)),
        _which("Are the missed concepts implied but not stated?", implied, len(missed)),
        Question("Is the prompt instruction too narrow/restrictive?", nothing or count, open=bool(missed)),
        Question("Would a few-shot example help?", nothing, open=bool(missed)),
    )


def _precision(found: Investigation, around: _Circumstances) -> tuple[Question, ...]:
    invented = [item.label for item in found.invented]
    canaries = [item.label for item in found.invented if item.state == "canary"]
    grounded = [item.label for item in found.invented if item.place is not None]
    unclear = any(item.place is None and item.state != "canary" for item in found.invented)
    inferred = Question(
        "Are they plausible inferences from the source text?",
        f"{len(grounded)} of {len(invented)} stand in it",
        tuple(grounded),
        open=unclear,
    )
    count = f"Extracted {found.extracted[0]}, expected {len(around.case.expected_concepts)}"
    return (
        _which("Which concepts were hallucinated?", invented, found.extracted[0]),
        _which("Do they appear in the forbidden list (intentional canaries)?", canaries, len(invented)),
        inferred,
        Question("Is the prompt instruction too permissive?", count, open=bool(invented)),
        Question("Is the model temperature too high?", around.temperature()),
    )


def _relationships(found: Investigation, around: _Circumstances) -> tuple[Question, ...]:
    wrong = [str(item.triple) for item in found.misdirected]
    predicate = [str(item.triple) for item in found.misdirected if item.state == "wrong-predicate"]
    reverse = [str(item.triple) for item in found.misdirected if item.state == "reversed"]
    pairs = tuple(f"{said} for {meant}" for said, meant, _ in predicate_confusions(found.misdirected))
    confused = "Confused" if pairs else "No predicate was taken for another"
    help_ = f"They would go into {around.prompt('relationships')}" if pairs else "No predicate was taken for another"
    return (
        _which("Which relationships were incorrect?", wrong, found.extracted[1]),
        _which("Was the source/target correct but predicate wrong?", predicate, len(wrong)),
        Question("Are predicate definitions clear enough in the prompt?", confused, pairs, open=bool(pairs)),
        _which("Is the relationship directionally reversed?", reverse, len(wrong)),
        Question("Would predicate examples help?", help_, open=bool(pairs)),
    )


def _provenance(found: Investigation, around: _Circumstances) -> tuple[Question, ...]:
    missing = [item for item in found.quotes if item.state == "missing"]
    bad = [item for item in found.quotes if item.state == "unverified"]
    quotable = sum(1 for item in missing if item.place is not None)
    detail = f"{len(around.case.source_text.split())} words; {quotable} of {len(missing)} unquoted concepts stand in it"
    clear = "The prompt asks for quotes" if around.asks_for_quotes() else "The prompt does not speak of quotes"
    near = sum(1 for item in bad if item.similarity >= NEARLY)
    told = f"{len(bad)} quotes do not occur in the text: {near} nearly do, {len(bad) - near} are paraphrased or made up"
    if around.truncated:
        told += f"; the answer of {', '.join(around.truncated)} was cut off"
    return (
        _which("Which concepts lack provenance?", [item.label for item in missing], found.extracted[0]),
        Question("Is the source text sufficiently detailed?", detail),
        Question("Is the prompt instruction for quoting clear?", clear, open=bool(found.quotes)),
        Question("Is the model truncating or paraphrasing quotes?", told if bad or around.truncated else "No"),
    )


def _golden(found: Investigation) -> tuple[Question, ...]:
    grounded = tuple(item.label for item in found.invented if item.place is not None)
    near = tuple(item.label for item in found.missed if item.nearest is not None)
    strict = (
        "Extracted and in the text, but not expected"
        if grounded
        else "All that was extracted and is in the text is expected"
    )
    forms = "Missed, while a similar name was extracted" if near else "No missed concept is like an extracted name"
    update = "Only where a careful reader of the text says so, never to fit an answer"
    return (
        Question("Is the expected concept set too strict/lenient?", strict, grounded, open=True),
        Question("Are concept aliases comprehensive enough?", forms, near, open=bool(near)),
        Question("Is the source text ambiguous?", "", open=True),
        Question("Should the golden case be updated?", update, open=True),
    )


def proposed_fixes(found: Investigation, around: _Circumstances) -> list[str]:
    """What the data suggests to change, in Markdown, the most telling first."""
    if found.status == "bad_answer":
        prompt = found.problem.partition(":")[0]
        fixes = [f"{code(prompt)}: ask for JSON and nothing else, and check that the model keeps to the output schema."]
    else:
        fixes = [*_concept_fixes(found, around.prompt("concepts")), *_link_fixes(found, around.prompt("relationships"))]
    if around.truncated:
        fixes.insert(0, f"Raise `max_tokens` of {', '.join(around.truncated)}: its answer was cut off.")
    return fixes or ["Nothing went wrong in this case."]


def _concept_fixes(found: Investigation, prompt: str) -> Iterable[str]:
    explicit = [item for item in found.missed if item.place is not None]
    if explicit:
        yield (
            f"{prompt}: {len(explicit)} missed concepts stand in the text, such as {code(explicit[0].label)}. "
            "Add a rule of completeness (go through the text sentence by sentence) or a few-shot example."
        )
    for item in found.missed:
        if item.nearest is not None and _is_acronym(item.label, item.nearest):
            forms = f"{code(item.label)} or {code(item.nearest)}"
            yield f"{prompt}: say which form a label takes, {forms}; or add the alias to the golden case."
    longer = [item for item in found.invented if item.expected and normalise(item.expected) in normalise(item.label)]
    if longer:
        short, label = code(longer[0].expected or ""), code(longer[0].label)
        yield f"{prompt}: a label is the shortest complete form of a term, {short} and not {label}."
    ungrounded = sum(1 for item in found.invented if item.place is None)
    if ungrounded:
        yield f"{prompt}: only what the text says, no inference or background knowledge (not in it: {ungrounded})."
    if found.duplicates:
        label, expected = found.duplicates[0]
        yield f"{prompt}: two names of one thing are one concept ({code(label)} is {code(expected)} again)."
    if found.quotes:
        yield f"{prompt}: for every concept a clause copied character by character (without: {len(found.quotes)})."


def _link_fixes(found: Investigation, prompt: str) -> Iterable[str]:
    blocked = sum(1 for item in found.lost if item.missed_ends)
    if blocked:
        yield f"Recall first: {blocked} of {len(found.lost)} missed relationships have an end that was missed."
    invented = {normalise(item.label) for item in found.invented}
    ends = sum(
        1 for item in found.misdirected if {normalise(item.triple.source), normalise(item.triple.target)} & invented
    )
    if ends:
        yield f"Labels first: {ends} of {len(found.misdirected)} wrong relationships have an invented end."
    for said, meant, times in predicate_confusions(found.misdirected)[:3]:
        yield f"{prompt}: define {code(meant)} against {code(said)}, with an example of each (confused: {times})."
    states = Counter(item.state for item in found.misdirected)
    if states["reversed"]:
        yield f"{prompt}: say which end is the source, also in passive sentences (reversed: {states['reversed']})."
    if states["forbidden"]:
        yield f"{prompt}: only what a sentence states (forbidden ones: {states['forbidden']})."
    loose = states["wrong-end"] + states["unmatched"]
    if loose:
        yield f"{prompt}: only relationships that a sentence states between just these two (others: {loose})."


def _alike(score: float, one: str, other: str) -> bool:
    """Two names that may be forms of one: similar, or one within the other."""
    short, long = sorted((normalise(one), normalise(other)), key=len)
    return score >= LIKE or f" {short} " in f" {long} " or _is_acronym(one, other)


def _is_acronym(one: str, other: str) -> bool:
    """One of the two names is made of the other's first letters."""
    short, long = sorted((normalise(one), normalise(other)), key=len)
    return " " in long and short.replace(" ", "") == "".join(word[0] for word in long.split())
