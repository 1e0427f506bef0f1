"""`row3 lint`: find errors without running anything.

A broken file is a finding and does not stop the rest, except for row3.toml.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from typing import Any

from row3.commands.answer_schemas import schema_of, write_model_schemas
from row3.commands.linting.lint_cases import CaseLint
from row3.commands.linting.lint_findings import Findings, near_miss
from row3.domain.files import objects_in
from row3.domain.findings import Level, LintReport
from row3.domain.prompts import Prompt, SchemaSource, parse_reference
from row3.domain.requests import Messages
from row3.domain.runs import TIERS
from row3.errors import InvalidFile, Row3Error
from row3.kinds import of_another_kind
from row3.kinds.base import Kind
from row3.project.answer_schemas import schema_text
from row3.project.calibrations import calibrations_path
from row3.project.config import read_config
from row3.project.files import MAX_TEXT_BYTES, link_at
from row3.project.history import FILE as HISTORY
from row3.project.labels import labels_path, parse_labels
from row3.project.places import CHANGELOG, FILE, PLACES
from row3.project.project import Guard, Project, pick_suite, read_changelog
from row3.project.prompts import FOLDER, NO_PROMPTS, PROMOTED, Promotion, check_locked
from row3.project.root import find_root
from row3.project.suites import Suite, make_suite
from row3.project.tree import WorkTree
from row3.running.opening import prepare
from row3.running.provider_access import EXPOSED, check_provider
from row3.running.rendering.templates import render, unsent_lines
from row3.running.rendering.unused_input import example_context, unsent_file, unused_input
from row3.running.stages import call_stage, request_messages

NAMED = frozenset({"concept", "entity", "event"})
"""Kinds of items that an answer has to name."""
MIN_LEAKED, LEAKED_SHARE = 3, 0.5
"""A prompt may name some items that a case expects, but not both this many and this share of them."""
SHOWN = 3


def leak(prompt: Prompt, expected: Mapping[str, Set[str]]) -> str:
    """Return a sentence on the first case whose expected items, by case, the prompt names; empty for none."""
    text = " ".join(prompt.body.casefold().split())
    for case_id, names in expected.items():
        within = [name for name in names if name.casefold() in text]  # few: a pattern costs more to compile
        leaked = sorted(name for name in within if re.search(rf"\b{re.escape(name.casefold())}\b", text))
        if len(leaked) >= max(MIN_LEAKED, LEAKED_SHARE * len(names)):
            shown = ", ".join(f"`{name}`" for name in leaked[:SHOWN])
            return f"names {len(leaked)} of {len(names)} items that case `{case_id}` expects ({shown} …): remove them"
    return ""


def lint_at(
    start: Path,
    suite: str | None = None,
    *,
    finish: bool = False,
    fix: bool = False,
    guard: Guard | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> LintReport:
    """Lint the project that contains a folder; `finish` completes an interrupted promotion first.

    `fix` writes the schemas of models that drafts name. Raises `InvalidFile` without a project, `UsageError`.
    """
    root = find_root(start)
    findings = Findings(root)
    for link in (links := list(WorkTree(root).links(PLACES))):
        error = link_at(link)
        findings.add("error", "symbolic-link", link, f"{error.what}. {error.fix}")
    if links:
        return findings.report()
    prepare(root, may_write=finish, say=say)
    config = findings.attempt(FILE, partial(read_config, WorkTree(root)), count=(root / FILE).exists())
    if config is None:
        return findings.report()
    project = Project(root, config, WorkTree(root), guard)
    for path in write_model_schemas(project) if fix else ():
        say(f"wrote {path}")
    default, names = project.config.suite, project.suite_names()
    if default is not None and default not in names:
        what = f"the default suite `{default}` does not exist{near_miss(default, names)}"
        findings.add_at("error", "unknown-suite", FILE, what, ("suite",))
    if suite is not None:
        try:
            names = [pick_suite(project, suite).name]
        except InvalidFile:  # invalid settings become a finding below
            names = [suite]
    suites = _suites(project, names, findings)
    cases = CaseLint(project, findings)
    usable = {each.name: cases.suite(each) for each in suites}
    PromptLint(project, findings).run(suites, usable, everything=suite is None)
    for each in suites:
        for url in findings.attempt(FILE, partial(check_provider, project, each), count=False) or ():
            findings.add("warning", "plain-http", FILE, f"{EXPOSED} {url}", field=f"suites.{each.name}")
        _kept_files(project, each, findings)
    if (root / HISTORY).exists():
        findings.attempt(HISTORY, lambda: project.history)
    if (root / CHANGELOG).exists():
        _changelog(project, findings)
    return findings.report()


def _suites(project: Project, names: Sequence[str], findings: Findings) -> list[Suite]:
    """Return the suites with valid settings."""
    for path in sorted((project.root / "golden").glob("*.json")):
        findings.add("warning", "not-a-case", f"golden/{path.name}", "is outside any suite's folder; nothing reads it")
    made = []
    for name in names:
        suite = findings.attempt(FILE, partial(pick_suite, project, name, "replay"), count=False)
        if suite is not None:
            findings.attempt(FILE, partial(make_suite, project.config, name, "live"), count=False)
            made.append(suite)
    return made


def _kept_files(project: Project, suite: Suite, findings: Findings) -> None:
    """Check the suite's baselines, labels and calibrations."""
    for tier in TIERS:
        if project.tree.exists(baseline := project.baseline(suite.name, tier)):
            findings.attempt(baseline, partial(project.manifest_at, baseline))
    tree, path, labels = project.tree, calibrations_path(suite.name), labels_path(suite.name)
    if tree.exists(labels):
        findings.attempt(labels, lambda: parse_labels(tree.read(labels, limit=MAX_TEXT_BYTES), where=labels))
    if not tree.exists(path) or suite.rules.judge is None:
        return
    found = findings.attempt(path, partial(project.calibrations, suite.name))
    for rubric, each in ({} if found is None else found.rubrics).items():
        if why := each.staleness(suite.rules.judge, rubric):
            command = f"`row3 judge calibrate LABELS.jsonl{suite.flag}`"
            what = f"the calibration of `{rubric}` is stale: {why}; calibrate again with {command}"
            findings.add_at("warning", "stale-calibration", path, what, ("rubrics", rubric))


def _changelog(project: Project, findings: Findings) -> None:
    from row3.project.changelog import mixed_entries

    text = findings.attempt(CHANGELOG, partial(read_changelog, project))
    for entry in mixed_entries(text or ""):
        findings.add("error", "mixed-entry", CHANGELOG, entry.problem, line=entry.line)


def _ranked(versions: Iterable[str], newest: Mapping[str, Prompt], kind: Kind) -> list[str]:
    """Return the names of the prompts that a suite without a pipeline may run, in the order of its kind's outputs."""
    order = {output: place for place, output in enumerate(kind.outputs)}
    own = [name for name in versions if name not in newest or not of_another_kind(newest[name].output, kind)]
    return sorted(own, key=lambda n: (order.get(newest[n].output, len(order)) if n in newest else 0, n))


class PromptLint:
    """Checks a project's prompts."""

    def __init__(self, project: Project, findings: Findings) -> None:
        self._project, self._findings = project, findings

    def run(self, suites: Sequence[Suite], cases: Mapping[str, Sequence[Any]], *, everything: bool) -> None:
        """Run all checks. `cases` has the usable ones by suite; `everything` means that these are all suites."""
        found, tree = self._findings, self._project.tree
        promoted = found.attempt(PROMOTED, lambda: self._project.promoted, count=tree.exists(PROMOTED)) or {}
        versions: dict[str, list[Prompt]] = {}
        for where in tree.files(FOLDER):
            stem, _, ending = where.removeprefix(f"{FOLDER}/").rpartition(".")
            ref = parse_reference(f"{stem}.md")
            if ending != "md" or stem.upper() in NO_PROMPTS:
                continue
            if ref is None:
                found.add("error", "file-name", where, "the file name is not `<name>-v<major>.<minor>.md`")
                continue
            versions.setdefault(ref.name, [])
            prompt = found.attempt(where, partial(self._project.prompt, ref))
            if prompt is not None:
                versions[ref.name].append(prompt)
                found.attempt(where, partial(check_locked, prompt, promoted), count=False)
                if prompt.schema is not None and prompt.schema.model:
                    self._model(prompt, prompt.schema)
                with contextlib.suppress(InvalidFile):  # rendering reports a template that does not compile
                    for line in unsent_lines(prompt):
                        what = "this text is never sent: move it above an `{% endblock %}` or `{% endmessage %}`"
                        found.add("warning", "unsent-text", where, what, line=line)
        self._gone(promoted)
        used = {name for suite in suites for name in self._pipeline(suite, versions, cases[suite.name])}
        used |= self._rubrics(suites, versions)
        for name in sorted(set(versions) - used) if everything and suites else ():
            for prompt in versions[name]:
                found.add("warning", "unused-prompt", prompt.path, "is in no suite's pipeline")

    def _model(self, prompt: Prompt, own: SchemaSource) -> None:
        """Report a model that cannot be loaded or has another schema than the file; not if a later version is there."""
        locked = str(prompt.ref) in self._project.locks
        if locked and prompt.ref.version != self._project.versions[prompt.ref.name][-1]:
            return
        level: Level = "warning"
        try:
            if schema_text(schema_of(self._project, prompt)) == schema_text(own.schema):
                return
            cure = f"row3 new-version {prompt.ref.name}" if locked else "row3 lint --fix"
            what = f"{own.path} is not the schema of `{own.model}` as it is now; write that with `{cure}`"
        except Row3Error as error:
            level = "error" if isinstance(error, InvalidFile) and not locked else "warning"
            what = f"{error.what}. {error.fix}"
        self._findings.add_at(level, "schema-of-model", prompt.path, what, ("schema",))

    def _rubrics(self, suites: Sequence[Suite], versions: Mapping[str, Sequence[Prompt]]) -> set[str]:
        """Render every rubric that a suite's kind can ask with made-up variables; return the rubrics' names."""
        kinds = {output: suite.kind for suite in suites for output in suite.kind.judgeable.rubrics}
        rubrics = [prompt for prompts in versions.values() for prompt in prompts if prompt.output in kinds]
        for prompt in rubrics:
            made_up = kinds[prompt.output].judgeable.example()
            self._findings.attempt(prompt.path, partial(render, prompt, made_up), count=False)
        return {prompt.ref.name for prompt in rubrics}

    def _gone(self, promoted: Mapping[str, Promotion]) -> None:
        """Report promoted versions without a file."""
        for name, entry in promoted.items():
            for version in sorted({entry.version, *entry.locked}):
                file = f"{FOLDER}/{name}-{version}.md"
                if not self._project.tree.exists(file):
                    at = ("version",) if version == entry.version else ("locked", version)
                    what = f"{file} was promoted and is gone; restore it from git"
                    self._findings.add_at("error", "promoted-gone", PROMOTED, what, ("prompts", name, *at))

    def _pipeline(self, suite: Suite, versions: Mapping[str, list[Prompt]], cases: Sequence[Any]) -> Sequence[str]:
        """Render every version of the suite's prompts as a run would; return the pipeline."""
        kind = suite.kind
        # A case for each set of variables shows which are undefined; one with files may lack them.
        every = [(case.id, dict(case.variables())) for case in cases]
        with_files = {name for name, one in every if any("file" in each for each in objects_in(one))}
        shapes = {(frozenset(one), name if name in with_files else ""): (name, one) for name, one in every if one}
        given = dict(shapes.values())
        if suite.system is not None:
            self._system(suite, given)
            return ()
        newest = {name: max(prompts, key=lambda p: p.ref.version) for name, prompts in versions.items() if prompts}
        pipeline = suite.pipeline or _ranked(versions, newest, kind)
        if not pipeline:
            self._findings.add("warning", "no-prompt", "prompts/", f"suite `{suite.name}` has no prompt to run")
        for arm in (suite.arms or {}).values():
            if arm.system is not None and given:
                self._system(arm, given)
                for variables in given.values():
                    variables.update(example_context(kind, suite.rules, arm.system.output or kind.whole))
        expected = {each.id: {one.name for one in kind.expected(each) if one.what in NAMED} for each in cases}
        for name in pipeline:
            if name not in versions:
                what = f"prompt `{name}` has no version{near_miss(name, versions)}"
                self._findings.add_at("error", "unknown-prompt", FILE, what, ("suites", suite.name, "pipeline"))
            for prompt in versions.get(name, ()):
                self._version(prompt, kind, given, expected)
            # After an unusable prompt, later ones cannot be rendered: its output is unknown.
            if name not in newest or newest[name].output not in kind.outputs:
                given = {}
            for variables in given.values():
                variables.update(example_context(kind, suite.rules, newest[name].output))
        return pipeline

    def _version(self, prompt: Prompt, kind: Kind, given: Mapping[str, Any], expected: Mapping[str, Set[str]]) -> None:
        """Render one version with variables by case, if known, and check its output and for leaks."""
        if prompt.output not in kind.outputs:
            what = f"kind `{kind.name}` has no output `{prompt.output}`; outputs: {', '.join(kind.outputs)}"
            self._findings.add_at("error", "unknown-output", prompt.path, what, ("output",))
        elif given:
            requests = self._fills(prompt.path, render, prompt, given)
            if path := next(filter(None, map(unsent_file, requests, given.values())), ""):
                what = f"sends the name `{path}`, not the file: print the value alone, and give it no key but `file`"
                self._findings.add("warning", "unsent-file", prompt.path, what)
            if requests and (unused := unused_input(prompt, min(given.values(), key=len))) is not None:
                self._findings.add(unused.level, "unused-input", prompt.path, unused.message, line=unused.line)
        if leaked := leak(prompt, expected):
            self._findings.add("error", "told-expectations", prompt.path, leaked)

    def _system(self, suite: Suite, given: Mapping[str, Any]) -> None:
        """Check that a system's call has a value for every placeholder."""
        stage = self._findings.attempt(FILE, partial(call_stage, self._project, suite), count=False)
        if stage is not None:
            self._fills(FILE, request_messages, stage, given)

    def _fills(self, file: str, fill: Callable[..., Messages], text: Any, given: Mapping[str, Any]) -> list[Messages]:
        """Return a prompt or call filled with every case's variables; the first that do not fill it are a finding."""
        filled = []
        for case_id, variables in given.items():
            try:
                filled.append(fill(text, variables))
            except Row3Error as error:
                what = f"{error.what} (case `{case_id}`)"
                self._findings.unusable(InvalidFile(what, where=error.where, fix=error.fix), file)
                return []
        return filled
