"""What `row3 lint` says of golden cases: one by one, and of a suite's cases together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from typing import Any

from row3.domain.findings import Level
from row3.domain.structs import MisfitsError, convert
from row3.errors import InvalidFile, Row3Error
from row3.kinds.base import Finding, Reference
from row3.matching.normalise import normalise
from row3.store import positions
from row3.store.cases import (
    CASE_SCHEMA_VERSION,
    ID_KEYS,
    PATTERN,
    case_id_of,
    golden_files,
    is_named_after,
    misnamed,
    name_of,
    read_case,
)
from row3.store.documents import check_schema_version, parse_json
from row3.store.files import decode
from row3.store.project import Project
from row3.store.suites import Suite, make_suite
from row3.store.tree import Tree
from row3.workflows.linting.lint_files import lint_judgements
from row3.workflows.linting.lint_findings import Findings, at_level, near_miss

Found = tuple[Level, str, str, positions.Path]


class CaseLint:
    """Looks at the golden cases of a project's suites."""

    def __init__(self, project: Project, findings: Findings) -> None:
        self._project, self._findings = project, findings
        self._corpus = _Corpus(project)

    def suite(self, suite: Suite) -> list[Any]:
        """Check all cases of a suite; returns the usable ones."""
        tree, where = self._project.tree, f"{suite.golden}/"
        files = golden_files(tree, suite.golden)
        for name in misnamed(tree, suite.golden):
            self._findings.add("warning", "not-a-case", where + name, f"is not named {PATTERN}; nothing reads it")
        ids: dict[str, str] = {}
        cases = [self._case(suite, path, ids) for path in files]
        usable = [case for case in cases if case is not None]
        lint_judgements(self._project, suite, self._findings, ids if len(usable) == len(files) else None)
        if not files:
            self._findings.add("error", "empty-suite", where, f"the suite has no golden cases ({PATTERN})")
        elif len(usable) == len(files):  # counts would be wrong while some cannot be read
            for level, found in at_level(suite, suite.kind.lint_suite(usable)):
                self._findings.add(level, found.rule, where, found.message)
        if suite.lint_sizes == "off":
            self._findings.unsized.append(suite.name)
        return usable

    def _case(self, suite: Suite, where: str, ids: dict[str, str]) -> Any:
        read = self._findings.attempt(where, partial(_read_value, self._project.tree, where))
        if read is None:
            return None
        value, text = read
        found: list[Found] = []
        case = None
        try:
            case = convert(value, suite.kind.case_model)
        except MisfitsError as error:
            found += [("error", "invalid-field", str(each), each.place) for each in error.found]
        usable = case is not None and not found
        if usable:
            case_id = case_id_of(value)
            at: positions.Path = (next(key for key in ID_KEYS if key in value),)
            earlier = ids.setdefault(case_id, where)
            if earlier != where:
                found.append(("error", "id-twice", f"the id `{case_id}` is also that of {earlier}", at))
            if not is_named_after(where, case_id):
                found.append(("warning", "file-name", f"the id is `{case_id}`, the file is {name_of(where)}", at))
            wrong = at_level(suite, suite.kind.lint(case, suite.rules))
            found += [(level, f.rule, f.message, f.path) for level, f in wrong]
            found += [("error", f.rule, f.message, f.path) for f in self._corpus.missing(suite.kind.refers_to(case))]
        lines = positions.lines_of(text, [at for *_, at in found])
        for level, rule, message, at in found:
            self._findings.add(level, rule, where, message, field=".".join(map(str, at)), line=lines[at])
        return case if usable else None


def _read_value(tree: Tree, where: str) -> tuple[dict[str, Any], str]:
    text = decode(tree.read(where), where=where)
    value = parse_json(text, where=where)
    check_schema_version(value, CASE_SCHEMA_VERSION, where=where)
    if not isinstance(value, dict):
        raise InvalidFile("the file holds no JSON object", where=where, fix="Correct the file")
    return value, text


class _Corpus:
    """What the cases of a project declare, gathered when first asked for.

    A project whose documents lie elsewhere declares none: nothing is missed there.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    @cached_property
    def _names(self) -> dict[tuple[str, str], str]:
        """By normalised name, the name as it is written."""
        found: dict[tuple[str, str], str] = {}
        for name in self._project.suite_names():
            with suppress(Row3Error):  # a suite or case that cannot be read is a finding of its own
                suite = make_suite(self._project.config, name)
                for path in golden_files(self._project.tree, self._project.golden(name)):
                    with suppress(Row3Error):
                        case = read_case(self._project.tree, path, suite.kind).case
                        found.update((_key(one), one.name) for one in suite.kind.declares(case))
        return found

    def missing(self, named: Iterable[Reference]) -> Iterator[Finding]:
        """A finding for each document and entity that no case declares."""
        for one in named:
            if _key(one) in self._names:
                continue
            known = sorted({name for (what, _), name in self._names.items() if what == one.what})
            if known:
                message = f"{one.what} `{one.name}` is in no golden case of the project{near_miss(one.name, known)}"
                yield Finding("error", f"unknown-{one.what}", message, one.path)


def _key(one: Reference) -> tuple[str, str]:
    """Ids are compared to the letter."""
    return one.what, one.name if one.what == "document" else normalise(one.name)
