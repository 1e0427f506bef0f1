"""The two sides of `row3 diff`: a saved run that is read, or what is replayed from recordings. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from row3.domain.prompts import Lineup, PromptRef, parse_version
from row3.domain.runs import RunHeader
from row3.errors import InvalidFile, RunIncomplete, UsageError
from row3.gate.results import Run
from row3.store.cases import read_cases
from row3.store.config import FILE
from row3.store.manifests import parse_manifest
from row3.store.project import Project
from row3.store.prompts import read_prompt
from row3.store.recordings import open_index
from row3.store.saved_runs import SavedRun, parse_run, read_log, run_bytes
from row3.store.snapshot import Snapshot
from row3.store.suites import Suite, pick_suite
from row3.workflows.comparing.baseline import with_live_answers
from row3.workflows.comparing.sides import side_of_baseline
from row3.workflows.diffing.names import Names, Reading, What
from row3.workflows.pipeline.collecting import collect
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.results import CaseResult, Packing
from row3.workflows.pipeline.run_header import header_for
from row3.workflows.pipeline.run_suite import RunOptions, make_asking, replay
from row3.workflows.snapshots import snapshot_of

SHORT_SHA = 10


@dataclass(frozen=True)
class Side:
    """One of the two runs."""

    name: str
    """As the user named it."""
    where: str
    """The file it was read from, or what was replayed."""
    kind: What
    run: SavedRun
    project: Project
    """The golden cases and prompts beside it."""
    texts: Mapping[str, str]
    """By prompt name, as far as the text that was run is at hand."""
    missing: tuple[str, ...] = ()
    """Of a replay: the cases that have no recorded answer."""
    problem: str = ""
    """Why the first of them has none."""
    commit: str | None = None
    """Of a git ref."""


def open_sides(
    project: Project,
    suite: Suite,
    names: tuple[str, str],
    options: Callable[[], RunOptions],
    named: tuple[str, ...] = (),
) -> tuple[Side, Side]:
    """Return both sides.

    Args:
        names: as `row3 diff` takes them, see `names`.
        options: makes those of what is replayed.
        named: prompt references that take their prompt's place in what is replayed.
    Raises `UsageError` for a name that means nothing or several things, `InvalidFile` for a broken file,
    `RunIncomplete` where no case of a side has its answers.
    """
    known = Names(project, suite)
    first, second = known.read(names[0]), known.read(names[1])

    def side(name: str, reading: Reading) -> Side:
        if reading.kind == "run":
            return _saved(project, suite, name, reading)
        if reading.kind == "baseline":
            return _baseline(project, suite, name, reading)
        if reading.kind == "git":
            there = _snapshot(known, project, reading)
            return _commit(there, suite, name, options(), named)
        if reading.ref is not None:
            return _prompt(project, suite, name, reading.ref, _Asked(named, options()))
        return _model(project, suite, name, reading.value, _Asked(named, options()))

    return side(names[0], first), side(names[1], second)


def _saved(project: Project, suite: Suite, name: str, reading: Reading) -> Side:
    path, root = reading.file, project.root
    assert path is not None
    where = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    run = read_log(path, where=where) if reading.run is None else reading.run
    _refuse_other(run.header.suite, run.header.kind, suite, name, where)
    return Side(name, where, "run", run, project, _texts(project, run.header))


def _refuse_other(name: str, kind: str, suite: Suite, said: str, where: str) -> None:
    if (name, kind) != (suite.name, suite.kind.name):
        raise UsageError(
            f"`{said}` is of suite `{name}` ({kind})",
            where=where,
            fix=f"Compare runs of one suite; this one is `{suite.name}` ({suite.kind.name}), --suite names another",
        )


def _baseline(project: Project, suite: Suite, name: str, reading: Reading) -> Side:
    """A baseline, scored now."""
    path = reading.file
    assert path is not None
    where = path.relative_to(project.root).as_posix()
    manifest = parse_manifest(project.tree.read(where, limit=2**30), where=where)
    _refuse_other(manifest.suite, manifest.kind, suite, name, where)
    index = with_live_answers(project, suite, manifest, open_recordings(project, suite))
    side = side_of_baseline(project, suite, manifest, index)
    pack = Packing(suite)

    def results() -> Iterator[CaseResult]:
        for stored in read_cases(project.tree, suite.golden, suite.kind):
            if (answered := side.score(stored)) is not None:
                yield pack(stored, *answered)

    head = header_for(suite, side.asking, mode=side.header.mode) | {"at": manifest.at, "run_id": manifest.run_id}
    run = collect(results(), suite, side.asking.lineup, head, partial=False)
    found = _side(name, f"{where}, scored now", "baseline", run, project)
    return replace(found, texts=_texts(project, run.header))


def _snapshot(names: Names, project: Project, reading: Reading) -> Snapshot:
    repository = names.repository
    assert repository is not None
    return snapshot_of(repository, project.root, repository.resolve(reading.value), label=reading.value)


def _commit(there: Snapshot, suite: Suite, name: str, options: RunOptions, named: tuple[str, ...]) -> Side:
    sha = there.commit or ""
    at = f"git {sha[:SHORT_SHA]}"
    if not there.has_cases(suite.name):
        raise InvalidFile(
            f"the suite does not exist at {there.label}", where=f"{suite.golden}/ ({at})", fix="Name another commit"
        )
    its = pick_suite(there.project, suite.name)
    if its.kind.name != suite.kind.name:
        what = f"the suite is of kind `{its.kind.name}` there, and of `{suite.kind.name}` now"
        raise UsageError(what, where=f"{FILE} ({at})", fix="Name another commit")
    run = replayed(there.project, its, line_up(there.project, its, role="candidate", named=named), options)
    return replace(_side(name, f"{at}, replayed", "git", run, there.project), commit=sha)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the command line says of what is replayed."""

    named: tuple[str, ...]
    options: RunOptions


def _prompt(project: Project, suite: Suite, name: str, ref: PromptRef, asked: _Asked) -> Side:
    named = (*(text for text in asked.named if _name_of(text) != ref.name), str(ref))
    lineup = line_up(
        project, suite, role="candidate", named=named, where="row3 diff or --prompt" if len(named) > 1 else "row3 diff"
    )
    return _side(name, "replayed now", "prompt", replayed(project, suite, lineup, asked.options), project)


def _model(project: Project, suite: Suite, name: str, model: str, asked: _Asked) -> Side:
    options = replace(asked.options, overrides=replace(asked.options.overrides, model=model))
    lineup = line_up(project, suite, role="candidate", named=asked.named)
    try:
        return _side(name, "replayed now", "model", replayed(project, suite, lineup, options), project)
    except RunIncomplete:
        models = recorded_models(project, suite)
        if model in models:
            raise
        raise UsageError(
            f"no answer of model `{model}` is recorded",
            where=f"recordings/{suite.name}/",
            fix=f"Recorded are {', '.join(models) or 'none'}; "
            f"`row3 --mode record --model NAME{suite.flag}` records another",
        ) from None


def replayed(project: Project, suite: Suite, lineup: Lineup, options: RunOptions) -> Run:
    """Return a run of these prompts from recordings; a case without a recording is failed, as in any replay."""
    asking = make_asking(suite, lineup, options)
    head = header_for(suite, asking, mode="replay")
    return collect(replay(project, suite, asking, options), suite, lineup, head, partial=options.partial)


def _side(name: str, where: str, kind: What, run: Run, project: Project) -> Side:
    """A replay as a side; raises `RunIncomplete` where no case has its answers."""
    missing = tuple(run.failed)
    problem = next((text for case_id, text in run.problems if case_id in missing[:1]), "")
    if missing and len(missing) == run.cases:
        what = f"no case has its answers recorded for `{name}`; of {missing[0]}: {problem}"
        raise RunIncomplete(what, where=f"recordings/{run.suite.name}/ ({where})", fix="Record them, or name another")
    saved = parse_run(b"".join(run_bytes(run.header, run.records)), where=name)
    texts = {prompt.ref.name: prompt.text for prompt in run.lineup.prompts}
    return Side(name, where, kind, saved, project, texts, missing=missing, problem=problem)


def recorded_models(project: Project, suite: Suite) -> list[str]:
    """Return the models whose answers are recorded, by name. Raises `InvalidFile`."""
    found = {recording.request.get("model") for recording in open_index(project.tree, suite.name).all()}
    return sorted(model for model in found if isinstance(model, str) and model)


def _texts(project: Project, header: RunHeader) -> dict[str, str]:
    """The texts of a run's prompts, where they are still as they were run."""
    found = {}
    for name, version in header.prompts.items():
        number = parse_version(version)
        try:
            prompt = None if number is None else read_prompt(project.tree, PromptRef(name, number))
        except InvalidFile:
            continue
        if prompt is not None and prompt.digest == header.prompt_digests.get(name):
            found[name] = prompt.text
    return found


def _name_of(reference: str) -> str:
    return reference.removeprefix("prompts/").rpartition("-v")[0]
