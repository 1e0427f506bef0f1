"""`row3 lint`: everything that can be seen to be wrong without running anything.

A file that cannot be used is a finding like any other, and the rest is looked at; only row3.toml comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from row3.domain.findings import LintFinding, LintReport
from row3.domain.manifests import Manifest
from row3.domain.tiers import TIERS
from row3.errors import InvalidFile
from row3.store import positions
from row3.store.config import FILE, read_config
from row3.store.history import FILE as HISTORY
from row3.store.history import read_history
from row3.store.locks import finish_interrupted, tell_interrupted
from row3.store.manifests import parse_manifest
from row3.store.project import CHANGELOG, LOCAL, Project, find_root, read_changelog
from row3.store.suites import Suite, make_suite, pick_suite
from row3.store.tree import Tree, WorkTree
from row3.workflows.linting.lint_cases import CaseLint
from row3.workflows.linting.lint_files import lint_recordings
from row3.workflows.linting.lint_findings import Findings, near_miss
from row3.workflows.linting.lint_prompts import PromptLint
from row3.workflows.pipeline.providers import check_provider

__all__ = ["LintFinding", "LintReport", "lint", "lint_at"]


def lint_at(
    start: Path, suite: str | None = None, *, finish: bool = False, say: Callable[[str], None] = lambda _: None
) -> LintReport:
    """Lint the project around a folder; where its `row3.toml` cannot be used, that alone is found.

    Args:
        finish: finish an interrupted promotion first; else files would be looked at that are about to be replaced.
    Raises `InvalidFile` where there is no project, `UsageError` for an unknown suite.
    """
    root = find_root(start)
    if finish:
        finish_interrupted(root / LOCAL, say=say)
    else:
        tell_interrupted(root / LOCAL, say=say)
    try:
        project = Project(root, read_config(WorkTree(root)))
    except InvalidFile:
        findings = Findings(root)
        findings.attempt(FILE, partial(read_config, WorkTree(root)))
        return findings.report()
    try:
        only = None if suite is None else pick_suite(project, suite)
    except InvalidFile:  # of the suite's settings: `_Lint` meets it again and makes it a finding
        only = None
    return lint(project, only)


def lint(project: Project, suite: Suite | None = None) -> LintReport:
    """Everything that row3 reads for one suite, or for all. Raises nothing that a file could cause."""
    return _Lint(project).run(suite)


class _Lint:
    """One pass over a project: everything but cases and prompts, which have modules of their own."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._findings = Findings(project.root)

    def run(self, only: Suite | None) -> LintReport:
        """All checks in turn."""
        self._config()
        suites = self._suites() if only is None else [only]
        cases = CaseLint(self.project, self._findings)
        usable = {suite.name: cases.suite(suite) for suite in suites}
        PromptLint(self.project, self._findings).run(suites, usable, everything=only is None)
        for suite in suites:
            self._findings.attempt(FILE, partial(check_provider, self.project, suite), count=False)
            lint_recordings(self.project, suite, self._findings)
            for tier in TIERS:
                if self.project.tree.exists(path := self.project.baseline(suite.name, tier)):
                    self._findings.attempt(path, partial(_read_baseline, self.project.tree, path))
        if (self.project.root / HISTORY).exists():
            self._findings.attempt(HISTORY, partial(read_history, self.project.tree))
        if (self.project.root / CHANGELOG).exists():
            self._changelog()
        return self._findings.report()

    def _changelog(self) -> None:
        from row3.reports.changelogs.changelog_insert import MEND_MIXED, mixed_entries

        text = self._findings.attempt(CHANGELOG, partial(read_changelog, self.project))
        for entry in mixed_entries(text or ""):
            self._findings.add("error", "mixed-entry", CHANGELOG, f"{entry.told}. {MEND_MIXED}", line=entry.line)

    def _config(self) -> None:
        if not (self.project.root / FILE).exists():
            return
        config = self._findings.attempt(FILE, partial(read_config, self.project.tree))
        names = self.project.suite_names()
        if config is not None and config.suite is not None and config.suite not in names:
            line = positions.line_in_toml(self._findings.text(FILE), ["suite"])
            what = f"the default suite `{config.suite}` does not exist{near_miss(config.suite, names)}"
            self._findings.add("error", "unknown-suite", FILE, what, field="suite", line=line)

    def _suites(self) -> list[Suite]:
        folder = self.project.root / "golden"
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            self._findings.add(
                "warning", "not-a-case", f"golden/{path.name}", "stands in no suite's folder; nothing reads it"
            )
        made = []
        for name in self.project.suite_names():
            suite = self._findings.attempt(FILE, partial(pick_suite, self.project, name, "replay"), count=False)
            if suite is not None:
                self._findings.attempt(FILE, partial(make_suite, self.project.config, name, "live"), count=False)
                made.append(suite)
        return made


def _read_baseline(tree: Tree, path: str) -> Manifest:
    return parse_manifest(tree.read(path, limit=2**30), where=tree.place(path))
