"""The two sides of `row3 diff`: what a name means, read or replayed. Nothing of the project is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from row3.domain.prompts import PromptRef, parse_version
from row3.errors import InvalidFile, RunIncomplete, UsageError
from row3.store import prompts as prompt_store
from row3.store.cases import content_digest, sources_of
from row3.store.config import FILE, read_config
from row3.store.project import Project, Suite, pick_suite
from row3.store.recordings import open_index
from row3.store.saved_runs import RunHeader, SavedRun, parse_run, read_run, run_bytes
from row3.workflows.at_ref import inside_of
from row3.workflows.lineup import Lineup, line_up
from row3.workflows.rescore import StoredCases
from row3.workflows.run_suite import Run, RunOptions, collect, header_for, make_asking, replay
from row3.workflows.side_names import Names, Reading, What

READ = (FILE, "prompts")
"""What a replay at a git ref takes from it beside the suite's golden cases and recordings."""
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
    """The golden cases and prompts beside it: those of the work tree, or of a git ref as long as it is laid out."""
    texts: Mapping[str, str]
    """By prompt name, as far as the text that was run is to be had."""
    replayed: bool = False
    missing: tuple[str, ...] = ()
    """Of a replay: the cases that have no recorded answer."""
    problem: str = ""
    """Why the first of them has none."""
    commit: str | None = None
    """Of a git ref."""

    @cached_property
    def sources(self) -> dict[str, str]:
        """By case id, what its text was taken from."""
        return sources_of(self.project.golden(self.run.header.suite))

    def content(self, case_id: str) -> str:
        """Digest of all in a case that can move its score; empty where it is not known. Raises `InvalidFile`."""
        record = self.run.record(case_id)
        if record is None or record.content or not self.replayed:
            return "" if record is None else record.content
        return content_digest(self._cases(case_id).case)

    @cached_property
    def _cases(self) -> StoredCases:
        return StoredCases(self.project, pick_suite(self.project, self.run.header.suite))


@contextmanager
def open_sides(
    project: Project, suite: Suite, names: tuple[str, str], options: RunOptions, named: tuple[str, ...] = ()
) -> Iterator[tuple[Side, Side]]:
    """Both sides; the files of git refs are laid out in temporary folders meanwhile.

    Args:
        names: as `row3 diff` takes them, see `side_names`.
        options: of what is replayed.
        named: prompt references that take their prompt's place in what is replayed.
    Raises `UsageError` for a name that means nothing or several things, `InvalidFile` for a broken file.
    """
    known = Names(project, suite)
    readings = known.read(*names)
    with ExitStack() as stack:
        opener = _Opener(project, suite, replace(options, explain=False), named, known, stack)
        left, right = (opener.side(name, each) for name, each in zip(names, readings, strict=True))
        yield left, right


@dataclass(frozen=True, slots=True)
class _Opener:
    project: Project
    suite: Suite
    options: RunOptions
    named: tuple[str, ...]
    names: Names
    stack: ExitStack

    def side(self, name: str, reading: Reading) -> Side:
        makers: dict[What, Callable[[str, Reading], Side]] = {
            "run": self._read,
            "baseline": self._read,
            "prompt": self._prompt,
            "model": self._model,
            "git": self._git,
        }
        return makers[reading.kind](name, reading)

    def _read(self, name: str, reading: Reading) -> Side:
        path, root = reading.file, self.project.root
        assert path is not None
        where = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
        run = read_run(path, where=where)
        header = run.header
        if (header.suite, header.kind) != (self.suite.name, self.suite.kind.name):
            raise UsageError(
                f"`{name}` is a run of suite `{header.suite}` ({header.kind})",
                where=where,
                fix=f"Compare runs of one suite; this one is `{self.suite.name}` ({self.suite.kind.name}), --suite "
                "names another",
            )
        return Side(name, where, reading.kind, run, self.project, _texts(root, header))

    def _prompt(self, name: str, reading: Reading) -> Side:
        own = tuple(text for text in self.named if not reading.ref or not _is_of(text, reading.ref.name))
        lineup = line_up(self.project, self.suite, role="candidate", named=(*own, str(reading.ref)))
        return self._replayed(name, reading, lineup, self.options)

    def _model(self, name: str, reading: Reading) -> Side:
        options = replace(self.options, overrides=replace(self.options.overrides, model=reading.value))
        lineup = line_up(self.project, self.suite, role="candidate", named=self.named)
        try:
            return self._replayed(name, reading, lineup, options)
        except RunIncomplete:
            models = recorded_models(self.project, self.suite)
            if reading.value in models:
                raise
            raise UsageError(
                f"no answer of model `{reading.value}` is recorded",
                where=f"recordings/{self.suite.name}/",
                fix=f"Recorded are {', '.join(models) or 'none'}; `row3 --mode record --model NAME` records another",
            ) from None

    def _replayed(self, name: str, reading: Reading, lineup: Lineup, options: RunOptions) -> Side:
        run = replayed(self.project, self.suite, lineup, options)
        return _side(name, "replayed now", reading.kind, run, self.project)

    def _git(self, name: str, reading: Reading) -> Side:
        repository, suite = self.names.repository, self.suite.name
        assert repository is not None
        sha = repository.resolve(reading.value)
        folder = Path(self.stack.enter_context(TemporaryDirectory(prefix="row3-diff-")))
        inside = inside_of(repository, self.project.root)
        repository.read_tree(sha, [inside + path for path in (*READ, f"golden/{suite}", f"recordings/{suite}")], folder)
        at = f"git {sha[:SHORT_SHA]}"
        if not (folder / inside / "golden" / suite).is_dir():
            what = f"the suite does not exist at {reading.value}"
            raise InvalidFile(what, where=f"golden/{suite}/ ({at})", fix="Name another commit")
        try:
            there = Project(folder / inside, read_config(folder / inside))
            its = pick_suite(there, suite)
            if its.kind.name != self.suite.kind.name:
                what = f"the suite is of kind `{its.kind.name}` at {reading.value}, and of `{self.suite.kind.name}` now"
                raise UsageError(what, where=f"{FILE} ({at})", fix="Name another commit")
            lineup = line_up(there, its, role="candidate", named=self.named)
            run = replayed(there, its, lineup, self.options)
            return replace(_side(name, f"{at}, replayed", "git", run, there), commit=sha)
        except InvalidFile as error:
            raise InvalidFile(error.what, where=f"{error.where} ({at})", fix="Name another commit") from None


def replayed(project: Project, suite: Suite, lineup: Lineup, options: RunOptions) -> Run:
    """A run of these prompts from recordings.

    Raises `InvalidFile`, `UsageError`; a case without a recording is failed, as in any replay.
    """
    asking = make_asking(suite, lineup, options)
    head = header_for(suite, asking, mode="replay")
    return collect(replay(project, suite, asking, options), suite, lineup, head, partial=options.partial)


def _side(name: str, where: str, kind: What, run: Run, project: Project) -> Side:
    """A replay as a side; raises `RunIncomplete` where no case has its answers."""
    missing = tuple(run.collected.failed)
    problem = next((text for case_id, text in run.problems if case_id in missing[:1]), "")
    if len(missing) == run.cases:
        what = f"no case has its answers recorded for `{name}`; of {missing[0]}: {problem}"
        raise RunIncomplete(what, where=f"recordings/{run.suite.name}/ ({where})", fix="Record them, or name another")
    saved = parse_run(b"".join(run_bytes(run.header, run.records)), where=name)
    texts = {prompt.ref.name: prompt.text for prompt in run.lineup.prompts}
    return Side(name, where, kind, saved, project, texts, replayed=True, missing=missing, problem=problem)


def recorded_models(project: Project, suite: Suite) -> list[str]:
    """The models whose answers are recorded, in the order of their names. Raises `InvalidFile`."""
    found = {recording.request.get("model") for recording in open_index(project.recordings(suite.name)).all()}
    return sorted(model for model in found if isinstance(model, str) and model)


def _is_of(text: str, name: str) -> bool:
    return text.removeprefix("prompts/").rpartition("-v")[0] == name


def _texts(root: Path, header: RunHeader) -> dict[str, str]:
    """The texts of a saved run's prompts, where they are still there as they were run."""
    read = partial(_text, root, header)
    return {name: text for name, version in header.prompts.items() if (text := read(name, version)) is not None}


def _text(root: Path, header: RunHeader, name: str, version: str) -> str | None:
    number = parse_version(version)
    if number is None:
        return None
    try:
        prompt = prompt_store.read_prompt(root, PromptRef(name, number))
    except InvalidFile:
        return None
    return prompt.text if prompt.digest == header.prompt_digests.get(name) else None
