"""The two sides of `row3 diff`: resolve a name to a saved run or a replay.

A bare name is tried in the order of `FINDERS`; a prefix such as `git:` picks one. Nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from row3.comparing.base_side import side_of_baseline
from row3.domain.prompts import Lineup, PromptRef, parse_reference, parse_version
from row3.domain.requests import Extra
from row3.domain.runs import RunHeader
from row3.errors import InvalidFile, RunIncomplete, UsageError
from row3.gate.results import Run
from row3.project.base import project_at, repository_of
from row3.project.model_parameters import SHORT, ModelParameters, parameters_typed
from row3.project.places import FILE
from row3.project.project import Project, baseline_tier, pick_suite
from row3.project.recordings import open_index
from row3.project.saved_runs import SavedRun, latest_runs, parse_run, read_log, run_bytes
from row3.project.suites import Suite
from row3.running.budget import prices_of
from row3.running.case_results import Packing
from row3.running.collect import collect, header_for
from row3.running.lineup import line_up, resolve_version
from row3.running.replay import open_recordings
from row3.running.run_options import RunOptions, make_asking, replay
from row3.running.session import CommandOptions, given_by

if TYPE_CHECKING:
    from row3.project.git.repository import Repository

WHERE = "row3 diff"
LATEST, BASELINE = "latest", "baseline"
SHORT_SHA = 10
FIX = (
    "Give a prompt version such as v1.1, `latest`, `baseline`, a run id of .row3/runs, a path, a git ref, model:NAME, "
    "or effort:LEVEL"
)


@dataclass(frozen=True)
class Side:
    """One of the two runs."""

    name: str
    """As the user named it."""
    where: str
    """The file it was read from, or what was replayed."""
    run: SavedRun
    project: Project
    """The project with its golden cases and prompts."""
    texts: Mapping[str, str]
    """Prompt texts by name, if they still exist as they were run."""
    missing: tuple[str, ...] = ()
    """Cases without a recorded answer, in a replay."""
    problem: str = ""
    """Why the first missing case has no answer."""
    commit: str | None = None
    """The commit of a git ref."""

    def only(self, ids: Collection[str] | None) -> Side:
        """Return the side with these cases, or with all."""
        if ids is None:
            return self
        cases = {case_id: record for case_id, record in self.run.cases.items() if case_id in ids}
        return replace(self, run=replace(self.run, cases=cases))


Opener = Callable[[], Side]


@dataclass
class Names:
    """Resolves the names on a command line to runs of a suite."""

    project: Project
    suite: Suite
    options: Callable[[], RunOptions]
    """Makes the options of a replay."""
    named: tuple[str, ...] = ()
    """Prompt versions to use in a replay."""
    wrong_version: UsageError | None = field(default=None, init=False)
    """Why a name that looks like a prompt version is not one."""

    @cached_property
    def repository(self) -> Repository | None:
        """The project's git repository, or None. Raises `EnvironmentFault` without git."""
        return repository_of(self.project)

    def find(self, name: str) -> Opener:
        """Return the function that opens the side a name means. Raises `UsageError`, `InvalidFile`."""
        self.wrong_version = None
        prefix, colon, value = name.partition(":")
        explicit = bool(colon) and prefix in FINDERS
        prefix, value = (prefix, value) if explicit else ("", name)
        for find in [FINDERS[prefix]] if explicit else BARE.values():
            if (opener := find(self, name, value)) is not None:
                return opener
        if self.wrong_version is not None:
            raise UsageError(self.wrong_version.what, where=WHERE, fix=self.wrong_version.fix)
        if prefix in ("", "run") and value == LATEST:
            raise UsageError("no saved run yet", where=".row3/runs", fix=f"Run `row3{self.suite.flag}` first")
        if value == BASELINE or (prefix == "baseline" and not value):
            make = f"Save one with `row3 --baseline{self.suite.flags('row3 --baseline')}`"
            raise UsageError("there is no baseline", where=f"baselines/{self.suite.name}.json", fix=make)
        if explicit:
            raise UsageError(f"there is no {prefix} `{value}`", where=name, fix=FIX)
        if name.endswith(".json"):
            raise InvalidFile("the file does not exist", where=name, fix="Correct the path")
        fix = FIX
        if self.repository is not None and self.repository.is_shallow:
            from row3.project.git.refs import DEEPEN

            fix += f". This clone is shallow, so git does not know every commit: {DEEPEN[0].lower()}{DEEPEN[1:]}"
        raise UsageError(f"`{name}` is not a prompt version, run, baseline or commit", where=WHERE, fix=fix)

    def prompt(self, name: str, value: str) -> Opener | None:
        """Find a prompt version; a bare `v1.1` means every prompt of the pipeline that has it."""
        bare = value.startswith("v") and parse_version(value) is not None
        if not bare and parse_reference(value.removeprefix("prompts/")) is None:
            return None
        try:
            refs = resolve_version(self.project, self.suite, value)
        except UsageError as error:
            self.wrong_version = error
            return None
        return partial(self._replay_versions, name, refs)

    def saved_run(self, name: str, value: str) -> Opener | None:
        """Find a saved run: `latest`, an id or its beginning, or a file."""
        logs = latest_runs(self.project.local)
        path = next((path.resolve() for path in (Path(value), self.project.root / value) if _is_file(path)), None)
        if value == LATEST:
            path = next((path for path in logs if read_log(path).header.suite == self.suite.name), None)
        elif value[:1].isdigit() and (found := [path for path in logs if path.stem.startswith(value)]):
            if len(found) > 1 and found[0].stem != value:
                shown = ", ".join(path.stem for path in found[:4])
                raise UsageError(f"{len(found)} runs begin with `{value}`", where=".row3/runs", fix=f"Choose: {shown}")
            path = found[0]
        return None if path is None or path.suffix == ".md" else partial(self._read_run, name, path)

    def baseline(self, name: str, value: str) -> Opener | None:
        """Find the suite's baseline, or an archived one by its name."""
        if value == BASELINE or name == f"{BASELINE}:":
            path = self.project.baseline(self.suite.name, baseline_tier(self.project, self.suite))
            return partial(self._score_baseline, name, path) if self.project.tree.exists(path) else None
        stem = value.removesuffix(".json")
        for archived in (stem, f"{self.suite.name}-{stem}") if stem and "/" not in stem and "\\" not in stem else ():
            path = f"baselines/archive/{archived}.json"
            if _is_file(self.project.root / path):
                return partial(self._score_baseline, name, path)
        return None

    def git(self, name: str, value: str) -> Opener | None:
        """Find a branch, tag or commit. Raises `UsageError` for an unknown one with the prefix `git:`."""
        explicit = name != value
        if self.repository is None:
            if explicit:
                raise UsageError("not a git repository", where=name, fix="Run `git init`, or name a run")
            return None
        if explicit:
            try:
                self.repository.resolve(value)
            except UsageError as error:
                raise UsageError(error.what, where=name, fix=error.fix) from None
        elif value[:1] in ("", "-") or not value.isprintable() or len(value) > 250 or not self.repository.knows(value):
            return None
        return partial(self._replay_commit, name, value)

    def settings(self, name: str, value: str) -> Opener | None:
        """Return the opener for a model, a parameter or several, `model:gpt-5-mini effort:low`. Raises `UsageError`."""
        if not value.strip():
            return None
        parts = [part.strip() for part in NEXT_SETTING.split(name)]
        model = next((part.removeprefix("model:") for part in parts if part.startswith("model:")), None)
        typed = parameters_typed((part for part in parts if not part.startswith("model:")), where=name, mark=":")
        return partial(self._replay_settings, name, model, typed)

    def _read_run(self, name: str, path: Path) -> Side:
        root = self.project.root
        where = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
        run = read_log(path, where=where)
        self._check_suite(run.header.suite, run.header.kind, name, where)
        known = {metric.key for metric in self.suite.kind.metrics}  # other versions of row3 have other metrics
        if unknown := sorted({key for case in run.cases.values() for key in case.metrics} - known):
            what = f"field `cases`: `{unknown[0]}` is not a metric of kind `{run.header.kind}`"
            raise InvalidFile(what, where=where, fix="Run `row3` again, and compare that run")
        return Side(name, where, run, self.project, _texts(self.project, run.header))

    def _check_suite(self, suite: str, kind: str, name: str, where: str) -> None:
        own = (self.suite.name, self.suite.kind.name)
        if (suite, kind) != own:
            fix = f"Compare runs of suite `{own[0]}` ({own[1]}), or choose another suite with --suite"
            raise UsageError(f"`{name}` belongs to suite `{suite}` ({kind})", where=where, fix=fix)

    def _score_baseline(self, name: str, where: str) -> Side:
        project, suite = self.project, self.suite
        manifest = project.manifest_at(where)
        self._check_suite(manifest.suite, manifest.kind, name, where)
        side = side_of_baseline(project, suite, manifest, open_recordings(project, suite))
        pack, cases = Packing(suite), project.cases_of(suite)
        results = (pack(stored, answered) for stored in cases if (answered := side.score(stored)) is not None)
        head = header_for(suite, side.asking, mode=side.header.mode) | {"at": manifest.at, "run_id": manifest.run_id}
        cost = prices_of(project, suite, known_models=True).usd
        run = collect(results, suite, side.asking.lineup, head, partial=False, cost=cost)
        return replace(_side(name, f"{where}, scored now", run, project), texts=_texts(project, run.header))

    def _replay_commit(self, name: str, ref: str) -> Side:
        assert self.repository is not None
        root, sha = self.project.root, self.repository.resolve(ref)
        project = project_at(self.repository, root, sha, label=ref, guard=self.project.guard)
        at, other = f"git {sha[:SHORT_SHA]}", "Choose another commit"
        if not project.has_cases(self.suite.name):
            raise InvalidFile(f"the suite does not exist at {ref}", where=f"{self.suite.golden}/ ({at})", fix=other)
        suite = pick_suite(project, self.suite.name)
        if suite.kind.name != self.suite.kind.name:
            what = f"the suite's kind was `{suite.kind.name}` at that commit and is `{self.suite.kind.name}` now"
            raise UsageError(what, where=f"{FILE} ({at})", fix=other)
        lineup = line_up(project, suite, role="candidate", named=self.named)
        run = _replayed(project, suite, lineup, self.options())
        return replace(_side(name, f"{at}, replayed", run, project), commit=sha)

    def _replay_versions(self, name: str, refs: Sequence[PromptRef]) -> Side:
        """Replay versions with the highest ones of the other prompts that have recorded answers to go with them."""
        project, suite, first = self.project, self.suite, None
        given = {ref.name for ref in refs}
        others = {text: text.removeprefix("prompts/").rpartition("-v")[0] for text in self.named}
        named = (*(text for text, prompt in others.items() if prompt not in given), *map(str, refs))
        where = f"{WHERE} or --prompt" if len(named) > 1 else WHERE
        lined_up = partial(line_up, project, suite, role="candidate", where=where)
        open_to_choice = project.versions.keys() - given - set(others.values())
        free = [each.ref.name for each in lined_up(named=named).prompts if each.ref.name in open_to_choice]
        for versions in product(*(project.versions[name][::-1] for name in free)):
            more = map(str, map(PromptRef, free, versions))
            try:
                run = _replayed(project, suite, lined_up(named=(*named, *more)), self.options())
                return _side(name, "replayed now", run, project)
            except RunIncomplete as error:
                first = first or error
        raise first or AssertionError

    def _replay_settings(self, name: str, model: str | None, typed: Extra) -> Side:
        project, suite, options = self.project, self.suite, self.options()
        lineup = line_up(project, suite, role="candidate", named=self.named)
        old = options.overrides
        options = replace(options, overrides=replace(old, model=model or old.model, extra={**old.extra, **typed}))
        run = _replayed(project, suite, lineup, options)
        if len(run.failed) == run.cases and model and model not in (models := recorded_models(project, suite)):
            more = f"record another with `row3 --mode record --model NAME{suite.flag}`"
            fix = f"Recorded models: {', '.join(models) or 'none'}; {more}"
            raise UsageError(f"no answer from model `{model}` is recorded", where=f"recordings/{suite.name}/", fix=fix)
        asked = given_by(options, CommandOptions()).flags("row3")
        return _side(name, "replayed now", run, project, record=f" with `row3 --mode record{asked}{suite.flag}`")


Finder = Callable[[Names, str, str], Opener | None]
BARE: Mapping[str, Finder] = {
    "prompt": Names.prompt,
    "run": Names.saved_run,
    "baseline": Names.baseline,
    "git": Names.git,
}
"""What a name without a prefix may be."""
SETTINGS = ("model", *SHORT, *ModelParameters.model_fields)
NEXT_SETTING = re.compile(rf"\s+(?=(?:{'|'.join(SETTINGS)}):)")
FINDERS: Mapping[str, Finder] = {**BARE, **dict.fromkeys(SETTINGS, Names.settings)}
"""By prefix."""


def _replayed(project: Project, suite: Suite, lineup: Lineup, options: RunOptions) -> Run:
    """Return a replay of these prompts; cases without a recording are failed."""
    asking = make_asking(suite, lineup, options)
    head = header_for(suite, asking, mode="replay")
    cost = prices_of(project, suite, known_models=True).usd
    return collect(replay(project, suite, asking, options), suite, lineup, head, partial=options.partial, cost=cost)


def _side(name: str, where: str, run: Run, project: Project, *, record: str = "") -> Side:
    """Return a replay as a side. Raises `RunIncomplete`, which says how to `record`, if no case has answers."""
    missing = tuple(run.failed)
    problem = next((text for case_id, text in run.problems if case_id in missing[:1]), "")
    if missing and len(missing) == run.cases:
        what = f"`{name}` has no recorded answers; {missing[0]}: {problem}"
        fix = f"Record them{record}, or name another"
        raise RunIncomplete(what, where=f"recordings/{run.suite.name}/ ({where})", fix=fix)
    saved = parse_run(b"".join(run_bytes(run.header, run.records)), where=name)
    texts = {prompt.ref.name: prompt.text for prompt in run.lineup.prompts}
    return Side(name, where, saved, project, texts, missing, problem)


def recorded_models(project: Project, suite: Suite) -> list[str]:
    """Return the sorted names of the models with recorded answers, without judges. Raises `InvalidFile`."""
    judges = set() if suite.rules.judge is None else suite.rules.judge.rubrics.keys()
    recorded = open_index(project.tree, suite.name).all()
    found = {each.request.get("model") for each in recorded if each.prompt.rpartition("-v")[0] not in judges}
    return sorted(model for model in found if isinstance(model, str) and model)


def _texts(project: Project, header: RunHeader) -> dict[str, str]:
    """Return the texts of a run's prompts that are unchanged since the run."""
    found = {}
    for name, version in header.prompts.items():
        number = parse_version(version)
        try:
            prompt = None if number is None else project.prompt(PromptRef(name, number))
        except InvalidFile:
            continue
        if prompt is not None and prompt.digest == header.prompt_digests.get(name):
            found[name] = prompt.text
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long a name, or a zero byte in it
        return False
