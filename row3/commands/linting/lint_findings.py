"""The findings of `row3 lint` and `row3 recordings`; errors of files become findings with rule, field and line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeVar

from row3.domain.words import nearest
from row3.errors import Row3Error
from row3.kinds.base import Finding
from row3.project import positions
from row3.project.cases import LINES
from row3.project.files import decode
from row3.project.suites import Suite
from row3.project.tree import WorkTree

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One problem and its place."""

    level: Level
    rule: str
    file: str
    """Relative to the project."""
    field: str
    """Dotted path from the outermost key or index; empty for the whole file."""
    line: int
    """1-based; 1 if the finding is about the whole file."""
    message: str
    setting: str = ""
    """Key of row3.toml that changes the rule; the message names it too."""

    def order(self) -> tuple[Any, ...]:
        """Return the sort key: errors before warnings, contents before counts, then file and line."""
        return self.level, self.setting.endswith(".standards"), self.file, self.line, self.field, self.rule


@dataclass(frozen=True, slots=True)
class LintReport:
    """All findings, errors first, by file and line, and the number of files checked."""

    findings: tuple[LintFinding, ...]
    files: int

    @property
    def errors(self) -> int:
        """Number of errors."""
        return sum(finding.level == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """Number of warnings."""
        return len(self.findings) - self.errors

    @property
    def exit_code(self) -> int:
        """2 if there is an error, else 0; warnings do not fail."""
        return 2 if self.errors else 0


def make_report(findings: Iterable[LintFinding], files: int) -> LintReport:
    """Return a sorted report of findings, without duplicates."""
    return LintReport(tuple(sorted(set(findings), key=LintFinding.order)), files)


Value = TypeVar("Value")


class Findings:
    """The findings of one pass over a project, and the number of files checked."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = 0
        self._found: list[LintFinding] = []

    def __len__(self) -> int:
        return len(self._found)

    def report(self) -> LintReport:
        """Return the sorted findings and the number of files."""
        return make_report(self._found, self.files)

    def add(
        self, level: Level, rule: str, file: str, message: str, *, field: str = "", line: int = 1, setting: str = ""
    ) -> None:
        """Add a finding."""
        self._found.append(LintFinding(level, rule, file, field, line, message, setting))

    def add_at(self, level: Level, rule: str, file: str, message: str, at: tuple[str, ...]) -> None:
        """Add a finding about a field of a file; `at` is the path of the field."""
        self.add(level, rule, file, message, field=".".join(at), line=positions.line_in(file, self.text(file), at))

    def add_of_kind(self, suite: Suite, found: Iterable[Finding], file: str, text: str = "") -> None:
        """Add a kind's findings that apply to the suite; `text` is the file's."""
        applicable = applicable_findings(suite, found)
        paths = [each.path for each in applicable]
        lines = {path: int(path[1]) + 1 for path in paths} if file.endswith(LINES) else positions.lines_of(text, paths)
        for each in applicable:
            field = ".".join(map(str, each.path))
            setting = f"suites.{suite.name}.{each.setting}" if each.setting else ""
            message = f"{each.message} ({setting})" if setting else each.message
            self.add(each.level, each.rule, file, message, field=field, line=lines[each.path], setting=setting)

    def attempt(self, file: str, read: Callable[[], Value], *, count: bool = True) -> Value | None:
        """Return the result of `read`; if it raises, add a finding and return None."""
        self.files += count
        try:
            return read()
        except Row3Error as error:
            self.unusable(error, file)
            return None

    def unusable(self, error: Row3Error, file: str) -> None:
        """Add a finding for each field that an error of the store names, in the file it names, else in `file`."""
        named = re.split("[: ]", error.where)[0]
        file = named if named and (self.root / named).is_file() else file
        for what, field, line in positions.places(error, file, self.text(file)):
            rule = "invalid-field" if field else "invalid-file"
            stop = "" if what.endswith("?") else "."
            message = f"{what}{stop} {error.fix}" if error.fix else what
            self.add("error", rule, file, message, field=field, line=line)

    def text(self, file: str) -> str:
        """Return the text of a file of the project; empty if it cannot be read."""
        try:
            return decode(WorkTree(self.root).read(file), where=file)
        except Row3Error:
            return ""


def applicable_findings(suite: Suite, found: Iterable[Finding]) -> list[Finding]:
    """Return a kind's findings without those on standards that the suite does not set."""
    return [each for each in found if each.setting != "standards" or suite.standards is not None]


def missing_function(root: Path, name: str) -> str:
    """Return why `module:function` cannot be loaded; empty if nothing is known to be wrong. It imports nothing."""
    module, _, function = name.partition(":")
    first, *rest = module.split(".")
    spec = PathFinder.find_spec(first, [str(root)]) or find_spec(first)
    for part in rest:
        spec = spec and PathFinder.find_spec(f"{spec.name}.{part}", spec.submodule_search_locations)
    if spec is None:
        return f"`{name}`: there is no module `{module}` in the project's folder, nor installed"
    source = Path(spec.origin or "")
    if source.suffix == ".py" and root in source.parents:
        text = source.read_text("utf-8", errors="replace")
        if not re.search(rf"\b{re.escape(function.partition('.')[0])}\b|import \*", text):
            return f"`{name}`: {source.relative_to(root)} has no `{function}`"
    return ""


def near_miss(name: str, known: Iterable[str]) -> str:
    """Return a suggestion of the nearest known name, as the end of a sentence; empty if none is near."""
    near = nearest(name, known)
    return f"; did you mean `{near}`?" if near else ""
