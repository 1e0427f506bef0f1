"""`row3 lint`: everything that can be seen to be wrong without running anything.

A file that cannot be used is a finding like any other, and the rest is looked at; only row3.toml comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from row3.domain.findings import LintReport
from row3.domain.manifests import Manifest
from row3.domain.tiers import TIERS
from row3.errors import InvalidFile
from row3.store.config import FILE, read_config
from row3.store.history import FILE as HISTORY
from row3.store.history import read_history
from row3.store.locks import finish_interrupted, tell_interrupted
from row3.store.manifests import parse_manifest
from row3.store.project import CHANGELOG, LOCAL, Project, find_root, read_changelog
from row3.store.suites import Suite, make_suite, pick_suite
from row3.store.tree import Tree, WorkTree
from row3.workflows.linting.lint_cases import CaseLint
from row3.workflows.linting.lint_findings import Findings, near_miss
from row3.workflows.linting.lint_prompts import PromptLint
from row3.workflows.pipeline.providers import check_provider


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
    findings = Findings(root)
    config = findings.attempt(FILE, partial(read_config, WorkTree(root)), count=(root / FILE).exists())
    if config is None:
        return findings.report()
    project = Project(root, config, WorkTree(root))
    _default_suite(project, findings)
    if suite is None:
        names = project.suite_names()
    else:
        try:
            names = [pick_suite(project, suite).name]
        except InvalidFile:  # of the suite's settings, which become a finding
            names = [suite]
    suites = _suites(project, names, findings)
    cases = CaseLint(project, findings)
    usable = {each.name: cases.suite(each) for each in suites}
    PromptLint(project, findings).run(suites, usable, everything=suite is None)
    for each in suites:
        findings.attempt(FILE, partial(check_provider, project, each), count=False)
        for tier in TIERS:
            if project.tree.exists(path := project.baseline(each.name, tier)):
                findings.attempt(path, partial(_read_baseline, project.tree, path))
    if (root / HISTORY).exists():
        findings.attempt(HISTORY, partial(read_history, project.tree))
    if (root / CHANGELOG).exists():
        _changelog(project, findings)
    return findings.report()


def _default_suite(project: Project, findings: Findings) -> None:
    name, names = project.config.suite, project.suite_names()
    if name is not None and name not in names:
        what = f"the default suite `{name}` does not exist{near_miss(name, names)}"
        findings.add_at("error", "unknown-suite", FILE, what, ("suite",))


def _suites(project: Project, names: list[str], findings: Findings) -> list[Suite]:
    """Return the suites whose settings can be used."""
    for path in sorted((project.root / "golden").glob("*.json")):
        what = "is in no suite's folder; nothing reads it"
        findings.add("warning", "not-a-case", f"golden/{path.name}", what)
    made = []
    for name in names:
        suite = findings.attempt(FILE, partial(pick_suite, project, name, "replay"), count=False)
        if suite is not None:
            findings.attempt(FILE, partial(make_suite, project.config, name, "live"), count=False)
            made.append(suite)
    return made


def _changelog(project: Project, findings: Findings) -> None:
    from row3.reports.changelog import mixed_entries

    text = findings.attempt(CHANGELOG, partial(read_changelog, project))
    for entry in mixed_entries(text or ""):
        findings.add("error", "mixed-entry", CHANGELOG, entry.problem, line=entry.line)


def _read_baseline(tree: Tree, path: str) -> Manifest:
    return parse_manifest(tree.read(path, limit=2**30), where=tree.place(path))
