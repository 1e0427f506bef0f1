"""`row3 lint`: everything that can be seen to be wrong without running anything.

No finding stops the others: a file that cannot be used is a finding like any other, and the rest is looked at.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from row3.domain.prompts import Prompt, parse_reference
from row3.errors import InvalidFile, Row3Error
from row3.kinds.base import Parsed
from row3.reports.findings import Level, LintFinding, LintReport, make_report
from row3.store import positions
from row3.store import prompts as prompt_store
from row3.store.cases import CASE_SCHEMA_VERSION, PATTERN
from row3.store.config import FILE, Config, read_config
from row3.store.documents import check_schema_version, complaints, parse_json
from row3.store.files import decode, read_bytes, refuse_conflicts
from row3.store.history import FILE as HISTORY
from row3.store.history import read_history
from row3.store.project import Project, Suite, find_root, make_suite, pick_suite
from row3.store.recordings import from_line
from row3.store.saved_runs import read_run
from row3.workflows.templates import render

__all__ = ["LintFinding", "LintReport", "lint", "lint_at"]

MOST = 20
"""Findings of one recordings file: one that is no recordings file at all would give as many as it has lines."""
SURROGATE = re.compile("[\ud800-\udfff]")
RULES = (
    ("is unknown", "unknown-field"),
    ("is missing", "missing-field"),
    ("stands twice", "duplicate-key"),
    ("not a JSON number", "not-a-number"),
    ("merge-conflict", "merge-conflict"),
    ("UTF-16", "encoding"),
    ("not UTF-8", "encoding"),
    ("nested too deeply", "nesting"),
    ("edited in place", "promoted-edited"),
    ("the template", "template"),
    ("block `", "template"),
    ("front matter", "front-matter"),
    ("schemaVersion", "schema-version"),
    ("schema_version", "schema-version"),
    ("the file is empty", "not-json"),
    ("not JSON", "not-json"),
    ("not TOML", "not-toml"),
    ("field `", "invalid-field"),
)
"""The rule that a message of the store belongs to: the first whose words it has."""
Found = tuple[Level, str, str, positions.Path]
Value = TypeVar("Value")


def lint_at(start: Path, suite: str | None = None) -> LintReport:
    """Lint the project around a folder, also where its `row3.toml` cannot be used.

    Raises `InvalidFile` where there is no project, `UsageError` for an unknown suite.
    """
    root = find_root(start)
    try:
        project = Project(root, read_config(root))
        return lint(project, None if suite is None else pick_suite(project, suite))
    except InvalidFile:  # of row3.toml: `lint` meets it again and makes it a finding
        return lint(Project(root, Config()), None)


def lint(project: Project, suite: Suite | None = None) -> LintReport:
    """Everything that row3 reads for one suite, or for all. Raises nothing that a file could cause."""
    return _Lint(project).run(suite)


class _Lint:
    """One pass over a project: collects findings and counts files."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.findings: list[LintFinding] = []
        self.files = 0

    def run(self, only: Suite | None) -> LintReport:
        """All checks in turn."""
        self._config()
        suites = self._suites() if only is None else [only]
        samples = {suite.name: self._cases(suite) for suite in suites}
        self._prompts(suites, samples, everything=only is None)
        for suite in suites:
            self._recordings(suite)
            if (path := self.project.baseline(suite.name)).exists():
                where = f"baselines/{path.name}"
                self._attempt(where, partial(_read_baseline, path, where))
        if (self.project.root / HISTORY).exists():
            self._attempt(HISTORY, partial(read_history, self.project.root))
        return make_report(self.findings, self.files)

    def _add(self, level: Level, rule: str, file: str, message: str, *, field: str = "", line: int = 1) -> None:
        self.findings.append(LintFinding(level, rule, file, field, line, message))

    def _attempt(self, file: str, read: Callable[[], Value], *, count: bool = True) -> Value | None:
        """What reading the file gives; None where it cannot be used, which is a finding then."""
        self.files += count
        try:
            return read()
        except Row3Error as error:
            self._unusable(error, file)
            return None

    def _unusable(self, error: Row3Error, file: str) -> None:
        """Turn an error of the store into findings, one for each field it names."""
        for what, field, line in positions.places(error, file, _text(self.project.root / file)):
            rule = next((rule for words, rule in RULES if words in what), "invalid-file")
            self._add("error", rule, file, f"{what}. {error.fix}" if error.fix else what, field=field, line=line)

    def _config(self) -> None:
        if not (self.project.root / FILE).exists():
            return
        config = self._attempt(FILE, partial(read_config, self.project.root))
        names = self.project.suite_names()
        if config is not None and config.suite is not None and config.suite not in names:
            line = positions.line_in_toml(_text(self.project.root / FILE), ["suite"])
            what = f"the default suite `{config.suite}` does not exist{_near(config.suite, names)}"
            self._add("error", "unknown-suite", FILE, what, field="suite", line=line)

    def _suites(self) -> list[Suite]:
        folder = self.project.root / "golden"
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            self._add("warning", "not-a-case", f"golden/{path.name}", "stands in no suite's folder; nothing reads it")
        made = []
        for name in self.project.suite_names():
            suite = self._attempt(FILE, partial(make_suite, self.project.config, name), count=False)
            made += [suite] if suite is not None else []
        return made

    def _cases(self, suite: Suite) -> Any:
        """Check all cases of a suite; returns a usable one, as a sample for the prompts."""
        folder, where = self.project.golden(suite.name), f"golden/{suite.name}/"
        files = sorted(folder.glob(PATTERN)) if folder.is_dir() else []
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            if path not in files:
                self._add("warning", "not-a-case", where + path.name, f"is not named {PATTERN}; nothing reads it")
        ids: dict[str, str] = {}
        cases = [self._case(suite, path, where + path.name, ids) for path in files]
        usable = [case for case in cases if case is not None]
        if not files:
            self._add("error", "empty-suite", where, f"the suite has no golden cases ({PATTERN})")
        elif len(usable) == len(files):  # counts would be wrong while some cannot be read
            for found in suite.kind.lint_suite(usable):
                self._add(found.level, found.rule, where, found.message)
        return usable[0] if usable else None

    def _case(self, suite: Suite, path: Path, where: str, ids: dict[str, str]) -> Any:
        read = self._attempt(where, partial(_read_value, path, where))
        if read is None:
            return None
        value, text = read
        halves = "half of a surrogate pair is no character"
        found: list[Found] = [("error", "lone-surrogate", halves, at) for at in _surrogates(value)]
        case = None
        try:
            case = suite.kind.case_model.model_validate(value)
        except ValidationError as error:
            found += _wrong_fields(suite.kind.case_model, error)
        usable = case is not None and not found
        if usable:
            case_id = str(value["id"])
            if ids.setdefault(case_id, where) != where:
                found.append(("error", "id-twice", f"the id `{case_id}` is also that of {ids[case_id]}", ("id",)))
            if path.name != f"{case_id}{PATTERN[1:]}":
                found.append(("warning", "file-name", f"the id is `{case_id}`, the file is {path.name}", ("id",)))
            found += [(f.level, f.rule, f.message, f.path) for f in suite.kind.lint(case, suite.rules)]
        lines = positions.lines_of(text, [at for *_, at in found])
        for level, rule, message, at in found:
            self._add(level, rule, where, message, field=".".join(map(str, at)), line=lines[at])
        return case if usable else None

    def _prompts(self, suites: Sequence[Suite], samples: Mapping[str, Any], *, everything: bool) -> None:
        root = self.project.root
        promoted: dict[str, prompt_store.Promotion] = {}
        if (root / prompt_store.PROMOTED).exists():
            read = self._attempt(prompt_store.PROMOTED, partial(prompt_store.read_promoted, root))
            promoted = read or {}
        there: dict[str, list[Prompt]] = {}
        for path in sorted((root / prompt_store.FOLDER).glob("*.md")):
            where = f"{prompt_store.FOLDER}/{path.name}"
            ref = parse_reference(path.name)
            if path.stem.upper() in {"README", "CHANGELOG"}:
                continue
            if ref is None:
                self._add("error", "file-name", where, "the file name is not `<name>-v<major>.<minor>.md`")
                continue
            prompt = self._attempt(where, partial(prompt_store.read_prompt, root, ref))
            there.setdefault(ref.name, [])
            if prompt is not None:
                there[ref.name].append(prompt)
                self._attempt(where, partial(prompt_store.check_locked, prompt, promoted), count=False)
        self._promoted(promoted)
        used = {name for suite in suites for name in self._pipeline(suite, there, samples[suite.name])}
        for name in sorted(set(there) - used) if everything and suites else ():
            for prompt in there[name]:
                self._add("warning", "unused-prompt", prompt.path, "is in no suite's pipeline")

    def _promoted(self, promoted: Mapping[str, prompt_store.Promotion]) -> None:
        text = _text(self.project.root / prompt_store.PROMOTED)
        for name, entry in promoted.items():
            for version in sorted({entry.version, *entry.locked}):
                file = f"{prompt_store.FOLDER}/{name}-{version}.md"
                if not (self.project.root / file).is_file():
                    at = ("prompts", name, *(("version",) if version == entry.version else ("locked", version)))
                    what = f"{file} was promoted and is gone; restore it from git"
                    line = positions.line_of(text, at)
                    self._add("error", "promoted-gone", prompt_store.PROMOTED, what, field=".".join(at), line=line)

    def _pipeline(self, suite: Suite, there: Mapping[str, list[Prompt]], sample: Any) -> Sequence[str]:
        """Render every version of the suite's prompts as a run would; returns the pipeline."""
        kind = suite.kind
        order = {output: place for place, output in enumerate(kind.outputs)}
        newest = {name: max(prompts, key=lambda p: p.ref.version) for name, prompts in there.items() if prompts}
        ranked = sorted(there, key=lambda n: (order.get(newest[n].output, len(order)) if n in newest else 0, n))
        pipeline = suite.pipeline or tuple(ranked)
        if not pipeline:
            self._add("warning", "no-prompt", "prompts/", f"suite `{suite.name}` has no prompt to run")
        variables = None if sample is None else kind.variables(sample)
        for name in pipeline:
            if name not in there:
                field = ["suites", suite.name, "pipeline"]
                line = positions.line_in_toml(_text(self.project.root / FILE), field)
                what = f"prompt `{name}` has no version{_near(name, there)}"
                self._add("error", "unknown-prompt", FILE, what, field=".".join(field), line=line)
            for prompt in there.get(name, ()):
                if prompt.output not in kind.outputs:
                    what = f"`{prompt.output}` is no output of kind `{kind.name}`; outputs: {', '.join(kind.outputs)}"
                    line = positions.line_in_front_matter(prompt.text, "output")
                    self._add("error", "unknown-output", prompt.path, what, field="output", line=line)
                elif variables is not None:
                    self._attempt(prompt.path, partial(render, prompt, variables), count=False)
            if variables is not None and name in newest:
                variables = {**variables, **_earlier(suite, newest[name].output)}
        return pipeline

    def _recordings(self, suite: Suite) -> None:
        folder = self.project.recordings(suite.name)
        for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
            where = f"recordings/{suite.name}/{path.name}"
            for error in islice(_broken_lines(path, where), MOST):
                self._unusable(error, where)
            self.files += 1


def _read_baseline(path: Path, where: str) -> int:
    return sum(1 for _ in read_run(path, where=where).records())


def _read_value(path: Path, where: str) -> tuple[dict[str, Any], str]:
    text = decode(read_bytes(path, where=where), where=where)
    value = parse_json(text, where=where)
    check_schema_version(value, CASE_SCHEMA_VERSION, where=where)
    if not isinstance(value, dict):
        raise InvalidFile("the file holds no JSON object", where=where, fix="Correct the file")
    return value, text


def _wrong_fields(model: type[BaseModel], error: ValidationError) -> Iterator[Found]:
    entries = error.errors(include_url=False, include_input=False)
    rules = {"extra_forbidden": "unknown-field", "missing": "missing-field"}
    for entry, message in zip(entries, complaints(model, error, most=len(entries)), strict=True):
        yield "error", rules.get(entry["type"], "invalid-field"), message, entry["loc"]


def _surrogates(value: Any) -> Iterator[positions.Path]:
    """Paths of all texts and keys with half of a surrogate pair: JSON has them, UTF-8 cannot write them."""
    waiting: list[tuple[positions.Path, Any]] = [((), value)]
    while waiting:
        path, part = waiting.pop()
        if isinstance(part, str) and SURROGATE.search(part):
            yield path
        inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, item in inner:
            if isinstance(key, str) and SURROGATE.search(key):
                yield (*path, key)
            waiting.append(((*path, key), item))


def _broken_lines(path: Path, where: str) -> Iterator[Row3Error]:
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                place = f"{where}:{number}"
                try:
                    text = decode(raw, where=place)
                    refuse_conflicts(text, where=place)
                    if text.strip():
                        from_line(text, where=place)
                except Row3Error as error:
                    yield InvalidFile(error.what, where=place, fix=error.fix)
    except OSError as error:
        yield InvalidFile(f"cannot be read ({error.strerror})", where=where)


def _earlier(suite: Suite, output: str) -> dict[str, Any]:
    """What later prompts would see of a prompt with this output: one made-up item in every list."""
    if output not in suite.kind.outputs:
        return {}
    answer = suite.kind.parse(output, json.dumps(_example(suite.kind.schema(output, suite.rules))))
    return suite.kind.context(output, answer.value) if isinstance(answer, Parsed) else {}


def _example(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {key: _example(part) for key, part in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [_example(schema.get("items", {}))]
    return {"number": 1, "integer": 1, "boolean": True}.get(str(schema.get("type")), "example")


def _text(path: Path) -> str:
    try:
        return decode(read_bytes(path, where=path.name), where=path.name)
    except Row3Error:
        return ""


def _near(name: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean `{near[0]}`?" if near else ""
