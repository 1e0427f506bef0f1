"""`row3 lint` of a suite's golden cases, recordings, judgements and quarantine.

JSON Lines are checked line by line, so that one broken line hides no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from row3.commands.linting.lint_findings import Findings, applicable_findings, missing_function, near_miss
from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import Model, keys_of
from row3.domain.requests import digest_text, input_digest
from row3.errors import InvalidFile, Row3Error
from row3.kinds.base import Finding, Reference
from row3.matching.normalise import normalise
from row3.project import embeddings, positions, quarantine, reviewed
from row3.project.cases import (
    ENDING,
    ID_KEYS,
    LINES,
    PATTERN,
    case_id_of,
    case_value,
    file_of,
    is_line,
    misnamed,
    name_of,
    place_in,
)
from row3.project.criteria import in_force
from row3.project.files import decode
from row3.project.json_lines import decode_line, lines_in
from row3.project.places import FILE
from row3.project.project import Project
from row3.project.recording_lines import Recording, from_line
from row3.project.suites import Suite

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Characters that providers or other programs may refuse."""
HIDDEN = re.compile(r"\\[ubf]|\x7f")
"""What JSON makes of them, and of little else."""
MAX_FINDINGS = 20
"""Findings reported for one file, which may be of the wrong type altogether."""


def _texts(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the texts of a JSON value, each with the path to it."""
    if isinstance(value, str):
        yield place, value
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _texts(part, (*place, key))


class CaseLint:
    """Checks the golden cases of suites and the files in their folders."""

    def __init__(self, project: Project, findings: Findings) -> None:
        self._project, self._findings = project, findings

    def suite(self, suite: Suite) -> list[Any]:
        """Check all cases of a suite; return the usable ones."""
        tree, where = self._project.tree, f"{suite.golden}/"
        for each in suite.kind.lint.rules(suite.rules):
            at = ("suites", suite.name, *map(str, each.path))
            self._findings.add_at(each.level, each.rule, FILE, each.message, at)
        for function in suite.kind.judgeable.functions(None, suite.rules):
            if what := missing_function(self._project.root, function):
                self._findings.add_at("error", "missing-function", FILE, what, ("suites", suite.name, "checks"))
        files = self._project.cases.paths(suite.golden)
        for name in misnamed(tree, suite.golden):
            self._findings.add("warning", "not-a-case", where + name, f"is not named {PATTERN}; nothing reads it")
        ids: dict[str, str] = {}
        read = [case for path in files if (case := self._case(suite, path, ids)) is not None]
        usable = [case for case in read if not case.draft]
        all_read = len(read) == len(files)
        self._quarantine(suite, ids if all_read else None)
        self._judgements(suite, ids if all_read else None)
        self._recordings(suite)
        if not files:
            self._findings.add("error", "empty-suite", where, f"the suite has no golden cases ({PATTERN})")
        elif usable and all_read:
            for each in suite.kind.lint.suite(usable):
                path = ids.get(each.case_id.casefold(), where)
                placed = replace(each, path=(*place_in(path), *each.path))
                text = "" if is_line(path) else self._findings.text(file_of(path))
                self._findings.add_of_kind(suite, [placed], file_of(path), text)
            self._findings.add_of_kind(suite, _same_inputs(usable), where)
        return usable

    def _case(self, suite: Suite, path: str, ids: dict[str, str]) -> Any:
        where, inside = file_of(path), place_in(path)
        first = not inside or inside[1] == 0
        alone, read = is_line(path), self._project.tree.read
        raw = b"" if alone else self._findings.attempt(where, partial(read, where), count=first)
        if raw is None:
            return None
        parse = partial(self._project.cases.value, path) if alone else partial(case_value, raw, path, path)
        value = self._findings.attempt(where, parse, count=first and alone)
        if value is None:
            return None
        case = None
        try:
            case = self._project.cases.with_files(convert(value, suite.kind.case_model), path)
        except MisfitsError as error:
            found = [Finding("error", "invalid-field", str(each), each.place) for each in error.found]
        else:
            found = [*suite.kind.lint.case(case, suite.rules), *self._unknown(suite.kind.lint.refers_to(case))]
            functions, rules = suite.kind.judgeable.functions, suite.rules
            own = set(functions(case, rules)).difference(functions(None, rules))
            lacking = filter(None, (missing_function(self._project.root, each) for each in sorted(own)))
            found += [Finding("error", "missing-function", what, ("checks",)) for what in lacking]
            if case.draft:
                model: type[Model] = suite.kind.case_model
                needed = [key for key, field in keys_of(model).items() if field.is_required()]
                missing = [f"`{key}` is empty" for key in needed if value.get(key) == []]
                missing += dict.fromkeys(each.message for each in applicable_findings(suite, found))
                what = f"a draft, which is never scored. Missing: {'; '.join(missing) or 'nothing that lint sees'}"
                found = [Finding("warning", "draft", what, ("draft",))]
            found = [*self._named(path, value, ids), *found]
        found = [replace(each, path=(*inside, *each.path)) for each in found]
        self._findings.add_of_kind(suite, found, where, decode(raw, where=where))
        return case

    def _named(self, where: str, value: dict[str, Any], ids: dict[str, str]) -> Iterator[Finding]:
        """Check the id against the file's name and earlier files (`ids`), and the texts for control characters."""
        case_id, at = case_id_of(value), (next(key for key in ID_KEYS if key in value),)
        earlier = ids.setdefault(case_id.casefold(), where)  # some disks do not distinguish `Foo` and `foo`
        if earlier != where:
            yield Finding("error", "id-twice", f"the id `{case_id}` is already used by {earlier}", at)
        for place, text in _texts(value) if HIDDEN.search(json.dumps(value, ensure_ascii=False)) else ():
            if found := CONTROL.search(text):
                message = f"contains the invisible character U+{ord(found[0]):04X}"
                yield Finding("error", "control-character", message, place)
        if not place_in(where) and name_of(where) != f"{case_id}{ENDING}":
            yield Finding("warning", "file-name", f"the id is `{case_id}`, the file is {name_of(where)}", at)

    @cached_property
    def _declared(self) -> dict[tuple[str, str], str]:
        """The names of documents and entities that the project's cases declare."""
        found: dict[tuple[str, str], str] = {}
        for path, kind in self._project.declaring:
            with suppress(Row3Error):  # a broken case is reported elsewhere
                for name, entities in self._project.cases.declared(path, kind).items():
                    texts = [Reference("entity", text) for one in entities for text in one]
                    found.update((_key(one), one.name) for one in (Reference("document", name), *texts))
        return found

    def _unknown(self, named: Iterable[Reference]) -> Iterator[Finding]:
        """Yield a finding for each reference that no case declares, unless no case declares anything of its type."""
        for one in named:
            known = sorted({name for (what, _), name in self._declared.items() if what == one.what})
            if known and _key(one) not in self._declared:
                message = f"{one.what} `{one.name}` is in no golden case of the project{near_miss(one.name, known)}"
                yield Finding("error", f"unknown-{one.what}", message, one.path)

    def _quarantine(self, suite: Suite, ids: Collection[str] | None) -> None:
        """Check the quarantine; `ids` are those of the suite's cases, None if some cannot be read."""
        where = f"{suite.golden}/{quarantine.FILE}"
        if not self._project.tree.exists(where):
            return
        if self._findings.attempt(where, partial(in_force, self._project, suite)) is None or ids is None:
            return
        entries = self._project.quarantine(suite.golden)
        for case_id in [entry.case_id for entry in entries if entry.case_id not in ids][:MAX_FINDINGS]:
            command = f"`row3 flaky release{suite.flag} {case_id}`"
            what = f"case `{case_id}` does not exist: {command}{near_miss(case_id, sorted(ids))}"
            line = positions.line_of_text(self._findings.text(where), "case", case_id)
            self._findings.add("warning", "unknown-case", where, what, field="case", line=line)

    def _judgements(self, suite: Suite, ids: Collection[str] | None) -> None:
        where = f"{suite.golden}/{reviewed.FILE}"
        if not (self._project.root / where).exists():
            return
        for number, line in self._lines(where, reviewed.from_line):
            if ids is not None and line.case_id not in ids:
                near = near_miss(line.case_id, sorted(ids))
                what = f"case `{line.case_id}` does not exist, so this judges nothing{near}"
                self._findings.add("warning", "unknown-case", where, what, field="caseId", line=number)

    def _recordings(self, suite: Suite) -> None:
        """Check each file of recordings, in the order in which a replay reads them."""
        first: dict[str, tuple[str, str]] = {}
        for where in self._project.tree.files(f"recordings/{suite.name}"):
            if embeddings.is_embeddings(where):
                for _ in self._lines(where, embeddings.from_line):
                    pass
            elif where.endswith(LINES):
                for number, line in self._lines(where, from_line):
                    self._answer(line, where, number, first)

    def _answer(self, line: Recording, where: str, number: int, first: dict[str, tuple[str, str]]) -> None:
        """Check that a recorded answer is unedited and the only one to its request; `first` has the earlier ones."""
        if line.answer_digest not in ("", digest_text(line.answer.text)):
            what = "the recorded answer was edited (its digest does not match). Restore the line from git, or re-record"
            self._findings.add("error", "edited-answer", where, what, field="answerDigest", line=number)
        answer = line.answer.said
        earlier, place = first.setdefault(line.digest, (answer, f"{where}:{number}"))
        if earlier != answer:
            what = f"the same request has a different answer in {place}. Remove one of the two lines"
            self._findings.add("error", "two-answers", where, what, field="digest", line=number)

    def _lines(self, where: str, read: Callable[..., Any]) -> Iterator[tuple[int, Any]]:
        """Yield number and value, made by `read`, of each valid line, until the file has too many findings."""
        before = len(self._findings)
        self._findings.files += 1
        try:
            for spot, raw in lines_in(self._project.tree, where):
                try:
                    value = read(decode_line(raw, spot.place), where=spot.place)
                except Row3Error as error:
                    self._findings.unusable(InvalidFile(error.what, where=spot.place, fix=error.fix), where)
                else:
                    yield spot.number, value
                if len(self._findings) - before >= MAX_FINDINGS:
                    return
        except Row3Error as error:
            self._findings.unusable(error, where)


def _same_inputs(cases: Iterable[Any]) -> Iterator[Finding]:
    """Yield a finding for each case with the input of an earlier one."""
    first: dict[str, str] = {}
    for case in cases:
        same_input = first.setdefault(input_digest(case.variables()), case.id)
        if same_input != case.id:
            text = f"`{case.id}` has the same input as `{same_input}`: it is asked once, and both get one answer"
            yield Finding("warning", "input-twice", text)


def _key(one: Reference) -> tuple[str, str]:
    """Return the key that identifies a reference: a document by its exact id, else a normalised name."""
    return one.what, one.name if one.what == "document" else normalise(one.name)
