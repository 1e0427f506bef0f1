"""`row3 lint`: find errors without running anything.

A broken file is a finding like any other and does not stop the rest; only a broken row3.toml does.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from row3.domain.estimates import EXPOSED
from row3.domain.findings import LintReport
from row3.domain.manifests import TIERS
from row3.domain.prompts import Prompt, parse_reference
from row3.errors import InvalidFile
from row3.kinds import of_another_kind
from row3.kinds.base import Kind
from row3.store.calibrations import calibrations_path, read_calibrations
from row3.store.config import FILE, read_config
from row3.store.files import MAX_TEXT_BYTES, link_at
from row3.store.history import FILE as HISTORY
from row3.store.history import read_history
from row3.store.labels import labels_path, parse_labels
from row3.store.manifests import read_manifest
from row3.store.project import CHANGELOG, LOCAL, PLACES, Project, find_root, read_changelog
from row3.store.prompts import FOLDER, NO_PROMPTS, PROMOTED, Promotion, check_locked, read_promoted, read_prompt
from row3.store.suites import Suite, make_suite, pick_suite
from row3.store.transaction import finish_interrupted
from row3.store.tree import WorkTree
from row3.workflows.linting.lint_cases import CaseLint
from row3.workflows.linting.lint_findings import Findings, near_miss
from row3.workflows.pipeline.providers import check_provider
from row3.workflows.pipeline.stages import call_stage, request_texts
from row3.workflows.pipeline.templates import render, unsent_lines
from row3.workflows.pipeline.unused_input import example_context, unused_input

NAMED = frozenset({"concept", "entity", "event"})
"""What an answer has to name."""
LEAST, SHARE = 3, 0.5
"""A prompt's examples may name a thing that some case expects, but not half of what one case does."""
SHOWN = 3


def leak(prompt: Prompt, kind: Kind, cases: Sequence[Any]) -> str:
    """Return which case's expectations stand in a prompt, in words; empty for none."""
    text = " ".join(prompt.body.casefold().split())
    for case in cases:
        names = {each.name for each in kind.expected(case) if each.what in NAMED}
        told = sorted(name for name in names if re.search(rf"\b{re.escape(name.casefold())}\b", text))
        if len(told) >= LEAST and len(told) >= SHARE * len(names):
            shown = ", ".join(f"`{name}`" for name in told[:SHOWN])
            return f"names {len(told)} of {len(names)} items that case `{case.id}` expects ({shown} …): take them out"
    return ""


def lint_at(
    start: Path, suite: str | None = None, *, finish: bool = False, say: Callable[[str], None] = lambda _: None
) -> LintReport:
    """Lint the project around a folder, after an interrupted promotion if `finish`; a `row3.toml` that cannot be used
    is all that is found. Raises `InvalidFile` without a project, `UsageError`.
    """
    root = find_root(start)
    findings = Findings(root)
    for link in (links := list(WorkTree(root).links(PLACES))):
        error = link_at(link)
        findings.add("error", "symbolic-link", link, f"{error.what}. {error.fix}")
    if links:
        return findings.report()
    finish_interrupted(root / LOCAL, may_write=finish, say=say)
    config = findings.attempt(FILE, partial(read_config, WorkTree(root)), count=(root / FILE).exists())
    if config is None:
        return findings.report()
    project = Project(root, config, WorkTree(root))
    default, names = project.config.suite, project.suite_names()
    if default is not None and default not in names:
        what = f"the default suite `{default}` does not exist{near_miss(default, names)}"
        findings.add_at("error", "unknown-suite", FILE, what, ("suite",))
    if suite is not None:
        try:
            names = [pick_suite(project, suite).name]
        except InvalidFile:  # of the suite's settings, which become a finding
            names = [suite]
    suites = _suites(project, names, findings)
    cases = CaseLint(project, findings)
    usable = {each.name: cases.suite(each) for each in suites}
    PromptLint(project, findings).run(suites, usable, everything=suite is None)
    for each in suites:
        for url in findings.attempt(FILE, partial(check_provider, project, each), count=False) or ():
            findings.add("warning", "plain-http", FILE, f"{EXPOSED} {url}", field=f"suites.{each.name}")
        for tier in TIERS:
            if project.tree.exists(path := project.baseline(each.name, tier)):
                findings.attempt(path, partial(read_manifest, project.tree, path))
        _calibrations(project, each, findings)
    if (root / HISTORY).exists():
        findings.attempt(HISTORY, partial(read_history, project.tree))
    if (root / CHANGELOG).exists():
        _changelog(project, findings)
    return findings.report()


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


def _calibrations(project: Project, suite: Suite, findings: Findings) -> None:
    """Check the suite's calibrations, which hold for one rubric, judge and number of votes, and its labels."""
    tree, path, labels = project.tree, calibrations_path(suite.name), labels_path(suite.name)
    if tree.exists(labels):
        findings.attempt(labels, lambda: parse_labels(tree.read(labels, limit=MAX_TEXT_BYTES), where=labels))
    if not tree.exists(path) or suite.rules.judge is None:
        return
    found = findings.attempt(path, partial(read_calibrations, tree, suite.name))
    for rubric, each in ({} if found is None else found.rubrics).items():
        if why := each.staleness(suite.rules.judge, rubric):
            again = f"`row3 judge calibrate LABELS.jsonl{suite.flag}`"
            what = f"the calibration of `{rubric}` is stale: {why}; calibrate again with {again}"
            findings.add_at("warning", "stale-calibration", path, what, ("rubrics", rubric))


def _changelog(project: Project, findings: Findings) -> None:
    from row3.reports.changelog import mixed_entries

    text = findings.attempt(CHANGELOG, partial(read_changelog, project))
    for entry in mixed_entries(text or ""):
        findings.add("error", "mixed-entry", CHANGELOG, entry.problem, line=entry.line)


class PromptLint:
    """Looks at all prompts of a project."""

    def __init__(self, project: Project, findings: Findings) -> None:
        self._project, self._findings = project, findings

    def run(self, suites: Sequence[Suite], cases: Mapping[str, Sequence[Any]], *, everything: bool) -> None:
        """Run all checks; `cases` are the usable ones by suite. `everything` says that these are all suites."""
        found, tree = self._findings, self._project.tree
        promoted = found.attempt(PROMOTED, partial(read_promoted, tree), count=tree.exists(PROMOTED)) or {}
        there: dict[str, list[Prompt]] = {}
        for where in tree.files(FOLDER):
            stem, _, ending = where.removeprefix(f"{FOLDER}/").rpartition(".")
            ref = parse_reference(f"{stem}.md")
            if ending != "md" or stem.upper() in NO_PROMPTS:
                continue
            if ref is None:
                found.add("error", "file-name", where, "the file name is not `<name>-v<major>.<minor>.md`")
                continue
            there.setdefault(ref.name, [])
            prompt = found.attempt(where, partial(read_prompt, tree, ref))
            if prompt is not None:
                there[ref.name].append(prompt)
                found.attempt(where, partial(check_locked, prompt, promoted), count=False)
                with contextlib.suppress(InvalidFile):  # whether it compiles is seen where it is rendered
                    for line in unsent_lines(prompt):
                        what = "this text stands in no block and is never sent: move it above an `{% endblock %}`"
                        found.add("warning", "unsent-text", where, what, line=line)
        self._gone(promoted)
        used = {name for suite in suites for name in self._pipeline(suite, there, cases[suite.name])}
        used |= self._rubrics(suites, there)
        for name in sorted(set(there) - used) if everything and suites else ():
            for prompt in there[name]:
                found.add("warning", "unused-prompt", prompt.path, "is in no suite's pipeline")

    def _rubrics(self, suites: Sequence[Suite], there: Mapping[str, Sequence[Prompt]]) -> set[str]:
        """Render every rubric with made-up variables; returns the names of those that a suite's kind can ask."""
        kinds = {output: suite.kind for suite in suites for output in suite.kind.rubrics}
        asked = [prompt for prompts in there.values() for prompt in prompts if prompt.output in kinds]
        for prompt in asked:
            made_up = kinds[prompt.output].rubric_variables()
            self._findings.attempt(prompt.path, partial(render, prompt, made_up), count=False)
        return {prompt.ref.name for prompt in asked}

    def _gone(self, promoted: Mapping[str, Promotion]) -> None:
        for name, entry in promoted.items():
            for version in sorted({entry.version, *entry.locked}):
                file = f"{FOLDER}/{name}-{version}.md"
                if not self._project.tree.exists(file):
                    at = ("version",) if version == entry.version else ("locked", version)
                    what = f"{file} was promoted and is gone; restore it from git"
                    self._findings.add_at("error", "promoted-gone", PROMOTED, what, ("prompts", name, *at))

    def _pipeline(self, suite: Suite, there: Mapping[str, list[Prompt]], cases: Sequence[Any]) -> Sequence[str]:
        """Render every version of the suite's prompts as a run would; returns the pipeline."""
        kind = suite.kind
        if suite.system is not None:
            self._system(suite, cases)
            return ()
        order = {output: place for place, output in enumerate(kind.outputs)}
        newest = {name: max(prompts, key=lambda p: p.ref.version) for name, prompts in there.items() if prompts}
        own = [name for name in there if name not in newest or not of_another_kind(newest[name].output, kind)]
        ranked = sorted(own, key=lambda n: (order.get(newest[n].output, len(order)) if n in newest else 0, n))
        pipeline = suite.pipeline or tuple(ranked)
        if not pipeline:
            self._findings.add("warning", "no-prompt", "prompts/", f"suite `{suite.name}` has no prompt to run")
        # A name that some cases lack is undefined in one of them.
        given = min((dict(kind.variables(case)) for case in cases), key=len, default={})
        for arm in (suite.arms or {}).values():
            if arm.system is not None and given:
                self._system(arm, cases)
                given |= example_context(kind, suite.rules, arm.system.output or kind.whole)
        for name in pipeline:
            if name not in there:
                what = f"prompt `{name}` has no version{near_miss(name, there)}"
                self._findings.add_at("error", "unknown-prompt", FILE, what, ("suites", suite.name, "pipeline"))
            for prompt in there.get(name, ()):
                self._version(prompt, kind, given, cases)
            # What cannot be used is a finding of its own; the prompts after it are not blamed for missing its output.
            if name not in newest or newest[name].output not in kind.outputs:
                given = {}
            if given:
                given |= example_context(kind, suite.rules, newest[name].output)
        return pipeline

    def _version(self, prompt: Prompt, kind: Kind, given: Mapping[str, Any], cases: Sequence[Any]) -> None:
        """Render one version with what is `given`, nothing where that is not known."""
        if prompt.output not in kind.outputs:
            what = f"`{prompt.output}` is no output of kind `{kind.name}`; outputs: {', '.join(kind.outputs)}"
            self._findings.add_at("error", "unknown-output", prompt.path, what, ("output",))
        elif given:
            rendered = self._findings.attempt(prompt.path, partial(render, prompt, given), count=False)
            if rendered is not None and (unused := unused_input(prompt, given)) is not None:
                self._findings.add(unused.level, "unused-input", prompt.path, unused.message, line=unused.line)
        if told := leak(prompt, kind, cases):
            self._findings.add("error", "told-expectations", prompt.path, told)

    def _system(self, suite: Suite, cases: Sequence[Any]) -> None:
        """Of a suite without prompts: its call has a value for every placeholder."""
        stage = self._findings.attempt(FILE, partial(call_stage, self._project, suite), count=False)
        if stage is not None and cases:
            self._findings.attempt(FILE, partial(request_texts, stage, suite.kind.variables(cases[0])), count=False)
