"""A project: its folder, and everything in it that row3 reads, from the work tree, the index or a commit."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from row3.domain.code import Code
from row3.domain.judges import JudgeRules
from row3.domain.prompts import Prompt, PromptRef, Version, parse_reference, parse_version
from row3.domain.quarantine import Quarantined
from row3.domain.runs import HistoryEntry, Manifest, Tier, file_stem, tier_of
from row3.domain.words import did_you_mean
from row3.errors import InvalidFile, Row3Error, UsageError
from row3.gate.agreement import MIN_KAPPA
from row3.gate.lessons import Lesson
from row3.kinds.base import EntityNames, Kind
from row3.matching.text.quotes import SourceText
from row3.project import prompts
from row3.project.calibrations import Calibrations, read_calibrations
from row3.project.cases import Cases, StoredCase
from row3.project.config import Config, read_config
from row3.project.documents import Files
from row3.project.files import MAX_TEXT_BYTES, decode, refuse_conflicts
from row3.project.history import read_history
from row3.project.judges import judge_settings, read_documents
from row3.project.labels import Label, labels_path, parse_labels
from row3.project.lessons import kept_file, read_lessons
from row3.project.manifests import read_manifest
from row3.project.once import once
from row3.project.places import CHANGELOG, FILE, GOLDEN, LOCAL
from row3.project.prompts import Promotion
from row3.project.quarantine import read_quarantine
from row3.project.root import find_root
from row3.project.suites import Suite, golden_of, make_suite
from row3.project.tree import Tree, WorkTree


@dataclass(frozen=True, eq=False)
class Project:
    """A row3 project in the work tree, the index or a commit. Each file is read once, when it is first needed."""

    root: Path
    config: Config
    tree: Tree
    """Source of its files; they are written only below `root`."""
    guard: Guard | None = None
    """Check before code that a suite's settings or cases name may run; None allows all."""
    commit: str | None = None
    """Hash of the commit; None for the work tree and the index."""
    behind: int = 0
    """Number of the commit's successors that HEAD lacks and that change files row3 reads."""
    refused: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """Request fields that the command has found an endpoint to reject, by its address and the model."""

    @classmethod
    def load(cls, tree: Tree, guard: Guard | None = None, *, commit: str | None = None, behind: int = 0) -> Project:
        """Return the project of a tree. Raises `InvalidFile` for its `row3.toml`."""
        return cls(tree.root, read_config(tree), tree, guard, commit, behind)

    def on_disk(self) -> Project:
        """Return the project as it is on disk now, for what a writer changes while it holds the lock."""
        return replace(self, tree=WorkTree(self.root))

    @property
    def label(self) -> str:
        """Name in messages; empty for the work tree."""
        return self.tree.label

    def at(self, path: str) -> Path:
        """Return a file's path on disk. Raises `InvalidFile` if it or a folder above it is a symbolic link."""
        return WorkTree(self.root).at(path)

    def check_code(self, suite: str, code: Iterable[Code]) -> None:
        """Raise `UsageError` for code of a suite that may not run, because the base of the change lacks it."""
        if self.guard is not None:
            self.guard(self, suite, code)

    @property
    def local(self) -> Path:
        """Folder of run logs, outbox and monitor: for people, never committed, never trusted."""
        return self.root / LOCAL

    def golden(self, suite: str) -> str:
        """Return the path of a suite's golden cases."""
        return golden_of(self.config, suite)

    @cached_property
    def cases(self) -> Cases:
        """All golden cases."""
        return Cases(self.tree)

    def cases_of(self, suite: Suite, only: Collection[str] | None = None) -> Iterator[StoredCase]:
        """Yield a suite's golden cases, or `only` some, each read when its turn comes. Raises as `Cases.read`."""
        return (each for each in self.cases.read(suite.golden, suite.kind) if only is None or each.id in only)

    def has_cases(self, suite: str) -> bool:
        """Return whether the suite exists and has a golden case that is not a draft."""
        return suite in self.suite_names() and self.cases.has(self.golden(suite))

    def judges(self, suite: str) -> bool:
        """Return whether the project can judge a suite: it has cases and a `replay` baseline."""
        return self.tree.exists(self.baseline(suite)) and self.has_cases(suite)

    def judged_suites(self) -> list[str]:
        """Return the suites that the project can judge."""
        return [name for name in self.suite_names() if self.judges(name)]

    @property
    def default_suite(self) -> str | None:
        """The suite of a command without `--suite`; None if there are several and no default."""
        names = self.suite_names()
        return self.config.suite or (names[0] if len(names) == 1 else None)

    @once
    def suite_names(self) -> Sequence[str]:
        """Return all suites: the folders of golden cases and the suites of `row3.toml`.

        Omits folders that a suite names for its cases or documents, and folders that only contain such a folder.
        """
        found = set(self.tree.folders(GOLDEN))
        folders = (each for settings in self.config.suites.values() for each in (settings.golden, settings.documents))
        named = [folder for folder in folders if folder]
        around = {name.split("/")[0] for name in named if "/" in name}
        taken = {*named, *(name for name in around if not self.cases.paths(f"{GOLDEN}/{name}"))}
        return sorted((found - taken) | set(self.config.suites))

    @once
    def settings(self, suite: str, tier: Tier) -> Suite:
        """Return a suite from its settings alone. Raises `InvalidFile`."""
        return make_suite(self.config, suite, tier)

    @once
    def suite(self, name: str, tier: Tier) -> Suite:
        """Return a suite with its judge, documents and entities. Raises `InvalidFile`."""
        made = self.settings(name, tier)
        rules, policy, kind = made.rules, made.policy, made.kind
        if kind.arms:
            rules = replace(rules, documents=self.documents(name))
        if kind.by_entities:
            rules = replace(rules, entities=self.entities)
        if kind.judgeable.rubrics:
            judge, judged = self._judge(name, kind), kind.judgeable.metrics
            rules = replace(rules, judge=judge)
            if not judge.warranted >= {*judge.rubrics} and judge_settings(self.config, name).uncalibrated != "block":
                held = tuple(key for key in policy.metrics if key in judged)
                policy = replace(policy, metrics=tuple(key for key in policy.metrics if key not in held), held=held)
                zones = {key: each for key, each in rules.thresholds.items() if key in judged}
                warning = {key: replace(each, blocking=False, held=each.blocking) for key, each in zones.items()}
                rules = replace(rules, thresholds={**rules.thresholds, **warning})
        flag = "" if self.default_suite == name else f" --suite {shlex.quote(name)}"
        return replace(made, flag=flag, rules=rules, policy=policy, project=self)

    def _judge(self, suite: str, kind: Kind) -> JudgeRules:
        settings = judge_settings(self.config, suite)
        models = tuple(settings.models) or ((settings.model,) if settings.model else ())
        judge = JudgeRules(models, settings.votes or 1, settings.temperature or 0.0, self._rubrics(kind))
        calibrations = self.calibrations(suite)
        valid = calibrations.valid(judge)
        return replace(
            judge,
            warranted=calibrations.warranted(judge, MIN_KAPPA if settings.min_kappa is None else settings.min_kappa),
            calibrated=valid,
            stale=frozenset(calibrations.rubrics) - frozenset(valid),
            labels={label.key: (label.points, label.winner) for label in self.labels(suite)} if valid else {},
        )

    def _rubrics(self, kind: Kind) -> dict[str, Prompt]:
        """Return the promoted version of each of the kind's rubrics, or the highest if none is promoted."""
        found: dict[str, Prompt] = {}
        for name, known in self.versions.items():
            version = parse_version(self.promoted[name].version) if name in self.promoted else None
            prompt = self.prompt(PromptRef(name, known[-1] if version is None or version not in known else version))
            if prompt.output in kind.judgeable.rubrics:
                found[name] = prompt
        return found

    @cached_property
    def versions(self) -> Mapping[str, Sequence[Version]]:
        """All versions of each prompt, ascending. Raises `InvalidFile` for a misnamed Markdown file."""
        return prompts.versions(self.tree)

    @cached_property
    def promoted(self) -> Mapping[str, Promotion]:
        """The promotion of each prompt. Raises `InvalidFile`."""
        return prompts.read_promoted(self.tree)

    @cached_property
    def locks(self) -> Mapping[str, str]:
        """The digest of every version that was ever promoted, by `name-version`."""
        return {
            f"{name}-{version}": digest
            for name in self.promoted
            for version, digest in prompts.locks_of(self.promoted, name).items()
        }

    @once
    def prompt(self, ref: PromptRef) -> Prompt:
        """Return a prompt version. Raises `InvalidFile`."""
        return prompts.read_prompt(self.tree, ref)

    def suite_prompt(self, ref: PromptRef, suite: str) -> Prompt:
        """Return a prompt version with the suite's lessons, if its template shows lessons. Raises `InvalidFile`."""
        prompt = self.prompt(ref)
        if prompt.lessons is None:
            return prompt
        return replace(prompt, lessons=tuple(each.information for each in self.lessons(suite)))

    @once
    def check_locked(self) -> None:
        """Check every existing version that was ever promoted. Raises `InvalidFile` for one edited in place."""
        for text in self.locks:
            ref = parse_reference(text)
            if ref is not None and ref.version in self.versions.get(ref.name, ()):
                prompts.check_locked(self.prompt(ref), self.promoted)

    @once
    def lessons(self, suite: str) -> Sequence[Lesson]:
        """Return a suite's kept lessons, oldest first. Raises `InvalidFile`."""
        return read_lessons(self.tree, kept_file(suite))

    def baseline(self, suite: str, tier: Tier = "replay") -> str:
        """Return the path of the current baseline of a suite's tier."""
        return f"baselines/{file_stem(suite, tier)}.json"

    @once
    def manifest_at(self, path: str) -> Manifest:
        """Return the baseline of a file. Raises `InvalidFile`."""
        return read_manifest(self.tree, path)

    def manifest(self, suite: str, tier: Tier = "replay") -> Manifest | None:
        """Return the baseline of a tier; None if there is none. Raises `InvalidFile`."""
        path = self.baseline(suite, tier)
        return self.manifest_at(path) if self.tree.exists(path) else None

    @cached_property
    def history(self) -> Sequence[HistoryEntry]:
        """All entries of the history, in file order. Raises `InvalidFile`."""
        return read_history(self.tree)

    @once
    def quarantine(self, folder: str) -> Sequence[Quarantined]:
        """Return the entries of a folder's quarantine, by case. Raises `InvalidFile`."""
        return read_quarantine(self.tree, folder)

    @once
    def calibrations(self, suite: str) -> Calibrations:
        """Return a suite's calibrations; none if there is no file. Raises `InvalidFile`."""
        return read_calibrations(self.tree, suite)

    @once
    def labels(self, suite: str) -> Sequence[Label]:
        """Return a suite's labels; none if they are kept elsewhere. Raises `InvalidFile`."""
        path = labels_path(suite)
        if not self.tree.exists(path):
            return []
        found = parse_labels(self.tree.read(path, limit=MAX_TEXT_BYTES), where=self.tree.place(path))
        return [label for label in found if label.suite == suite]

    @once
    def documents(self, suite: str) -> Mapping[str, SourceText]:
        """Return the texts of a suite's documents by lowercase name. Raises `InvalidFile`."""
        return read_documents(self.files, self.config, suite)

    @cached_property
    def declaring(self) -> Sequence[tuple[str, Kind]]:
        """Path and kind of each golden case that may declare documents; without those of a broken suite."""
        found: list[tuple[str, Kind]] = []
        for name in self.suite_names():
            with suppress(Row3Error):
                kind = self.settings(name, "replay").kind
                found += [(path, kind) for path in self.cases.paths(self.golden(name)) if kind.lint.declares]
        return found

    @cached_property
    def entities(self) -> Mapping[str, EntityNames]:
        """The entities of every document that golden cases declare, by its id. Raises `InvalidFile`."""
        found: dict[str, dict[Sequence[str], None]] = {}
        for path, kind in self.declaring:
            for name, entities in self.cases.declared(path, kind).items():
                found.setdefault(name, {}).update(dict.fromkeys(entities))
        return {name: tuple(entities) for name, entities in sorted(found.items())}

    @cached_property
    def files(self) -> Files:
        """The texts and JSON values of its other files."""
        return Files(self.tree)


Guard = Callable[[Project, str, Iterable[Code]], None]
"""Raises `UsageError` for code of a suite that may not run."""


def baseline_tier(project: Project, suite: Suite) -> Tier:
    """Return the tier of the baseline to compare with: the suite's own, or `replay` if that has no baseline."""
    return suite.tier if project.tree.exists(project.baseline(suite.name, suite.tier)) else "replay"


def has_baseline(project: Project, suite: Suite) -> bool:
    """Return whether the suite has a baseline to compare with."""
    return project.tree.exists(project.baseline(suite.name, baseline_tier(project, suite)))


def pick_suite(project: Project, name: str | None, tier: Tier | None = None) -> Suite:
    """Return the named or default suite, in the given or the mode's tier. Raises `UsageError`, `InvalidFile`."""
    names, where = project.suite_names(), "golden/"
    if name is None:
        where = f"{FILE} field suite" if names else where
        name = project.default_suite
    if name is None and names:
        fix = f"Use --suite with one of {', '.join(names)}"
        raise UsageError("the project has several suites and no default", where=FILE, fix=fix)
    if name is None:
        raise InvalidFile("the project has no suite", where=where, fix="Add golden cases under golden/<suite>/")
    if name not in names:
        fix = did_you_mean(name, names, f"Suites: {', '.join(names) or 'none'}")
        raise UsageError(f"suite `{name}` does not exist", where=where, fix=fix)
    return project.suite(name, tier_of(project.config.mode) if tier is None else tier)


def open_project(start: Path) -> Project:
    """Return the project that contains a folder. Raises `InvalidFile`."""
    return Project.load(WorkTree(find_root(start)))


def read_changelog(project: Project) -> str:
    """Return `CHANGELOG.md` with its line ends and byte-order mark; empty if there is none. Raises `InvalidFile`."""
    if not project.tree.exists(CHANGELOG):
        return ""
    raw = project.tree.read(CHANGELOG)
    refuse_conflicts(decode(raw, where=CHANGELOG), where=CHANGELOG)
    return raw.decode("utf-8")
