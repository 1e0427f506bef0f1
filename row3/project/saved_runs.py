"""Files that are safe to delete: the log of every run in `.row3/`, and a cache of scores in the project's state."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from row3.domain.models import Reply
from row3.domain.requests import digest_json, digest_text
from row3.domain.runs import SCHEMA_VERSION, RunHeader
from row3.domain.scores import CaseScore, CaseStatus, Spent
from row3.errors import EnvironmentFault, InvalidFile
from row3.project.documents import check_schema_version, parse_json, refuse_duplicates, validate
from row3.project.files import decode, read_bytes, write_all, write_atomic
from row3.project.json_lines import LineFile, Spot
from row3.project.local_state import in_state
from row3.project.parquet import PARQUET, records_as_parquet, records_in
from row3.project.shared_folder import SharedFolder
from row3.project.tree import WorkTree

RUNS, SHARDS = "runs", "shards"
"""Folders in `.row3/` of the run logs, and of the shards that make one."""
RESTORE = "Delete the file, or restore it"
NO_SHARD = "Name the file that `row3 --shard` or `row3 score --shard` saved in .row3/shards"
CASES_FOLLOW, END = b' "cases": [\n', b"]}\n"
"""Lines of a saved run before and after its cases, one a line."""
MAX_BYTES = 2**30
MAX_CACHE_BYTES = 2**26
Fraction = Annotated[float, Field(ge=0, le=1)]
Digests = Annotated[tuple[str, ...], Field(strict=False)]


_N = int | None
_Spent = Annotated[tuple[str, _N, _N, float | None, bool, bool, str, _N, _N], Field(strict=False)]


class CaseRecord(Reply):
    """One case of a saved run."""

    id: str
    digest: str
    """Digest of the golden case's file."""
    status: CaseStatus
    metrics: Mapping[str, Fraction]
    found: Mapping[str, Digests]
    said: str = Field(default="", validation_alias="answers", serialization_alias="answers")
    """Short digest of all answers; empty for outputs made elsewhere."""
    spread: Mapping[str, Annotated[float, Field(ge=0)]] = {}
    """Standard deviation over the repeats, by metric; empty without repeats."""
    tally: Mapping[str, Mapping[str, Annotated[int, Field(ge=0)]]] = {}
    """Items by outcome, counted; empty in older runs."""
    requests: Digests = ()
    """Digests of the requests, stage by stage, repeat by repeat; empty in older runs and for outputs made elsewhere."""
    answer_digests: Digests = Field(default=(), validation_alias="answerDigests", serialization_alias="answerDigests")
    """SHA-256 of each answer's text, in the order of the requests; one fewer if the last had no answer."""
    problem: str = ""
    """Why the answer is bad or missing; empty in older runs."""
    spent: Annotated[tuple[_Spent, ...], Field(strict=False)] = ()
    """Tokens and seconds of the answers; empty in older runs, and if none is known."""

    def score(self, repeats: int, source: str | None = None) -> CaseScore:
        """Return the score, without what only a run knows: counts, costs and explanations."""
        return CaseScore(
            self.id,
            self.status,
            self.metrics,
            problem=self.problem,
            spread=self.spread,
            repeats=repeats,
            tally=self.tally,
            found=self.found,
            requests=self.requests,
            answers=self.answer_digests,
            spent=tuple(Spent(*each) for each in self.spent),
            digest=self.digest,
            source=source,
        )

    def line(self) -> bytes:
        """Return the record as JSON."""
        try:
            return self.model_dump_json(exclude_defaults=True).encode()
        except PydanticSerializationError:  # half a surrogate pair, which UTF-8 cannot hold
            return json.dumps(self.plain(), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def record_of(score: CaseScore) -> CaseRecord:
    """Return the record of a score with its `found` items."""
    return CaseRecord(
        id=score.case_id,
        digest=score.digest,
        status=score.status,
        metrics=score.metrics,
        found=score.found or {},
        said=score.said,
        spread=score.spread,
        tally=score.tally,
        requests=score.all_requests,
        answer_digests=score.all_answers,
        problem=score.problem,
        spent=score.spent if any(each.tokens or each.latency_s for each in score.spent) else (),
    )


def parse_record(line: bytes | str, *, where: str) -> CaseRecord:
    """Return the case record of a line. Raises `InvalidFile`."""
    try:
        return CaseRecord.model_validate_json(line, by_alias=True, by_name=False)
    except ValueError:
        raise InvalidFile("a case record is broken", where=where, fix="Restore the file from git") from None


class _File(RunHeader):
    schema_: str | None = Field(default=None, alias="$schema")
    cases: list[CaseRecord]


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A saved run."""

    header: RunHeader
    cases: Mapping[str, CaseRecord]
    """By case id, in the order of the run."""


def read_log(path: Path, *, where: str = "") -> SavedRun:
    """Return the run of a local log, or of another file that messages call `where`. Raises `InvalidFile`.

    A local log's cases may be anywhere; another file's are beside it, as it could name any address.
    """
    where = where or f".row3/{RUNS}/{path.name}"
    saved = parse_run(read_bytes(path, where=where, limit=MAX_BYTES), where=where)
    if saved.header.cases_file is None:
        return saved
    if saved.header.cases_file.endswith("/"):
        own = where.startswith(f".row3/{RUNS}/")
        place = saved.header.cases_file if own else f"{path.resolve().parent}/"
        values = SharedFolder(place).records()
    else:
        file = cases_path(path)
        place = f"{where.removesuffix(path.name)}{file.name}"
        if not file.is_file():
            raise InvalidFile("the run's cases are missing", where=place, fix=RESTORE)
        values = records_in(file, where=place)
    records = (validate(CaseRecord, each, where=place, fix=RESTORE) for each in values)
    cases = {record.id: record for record in records}
    if len(cases) != (saved.header.case_count or len(cases)):
        raise InvalidFile("cases of the run are missing", where=place, fix=f"Restore them, or delete {where}")
    return SavedRun(saved.header.replace(cases_file=None, case_count=None), cases)


def parse_run(raw: bytes, *, where: str) -> SavedRun:
    """Return the saved run in a file's bytes. Raises `InvalidFile`."""
    value = parse_json(decode(raw, where=where), where=where, surrogates=True)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    file = validate(_File, value, where=where, fix=RESTORE)
    refuse_duplicates((record.id for record in file.cases), where=where, fix=RESTORE)
    header = {key: getattr(file, key) for key in RunHeader.model_fields}
    return SavedRun(RunHeader(**header), {record.id: record for record in file.cases})


def run_bytes(header: RunHeader, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the file of a saved run, piece by piece."""
    yield json.dumps(header.plain(), ensure_ascii=False, allow_nan=False, indent=1)[:-2].encode()
    yield b",\n" + CASES_FOLLOW
    for number, line in enumerate(lines):
        yield b",\n" + line if number else line
    yield b"\n" + END


def write_run(path: Path, header: RunHeader, lines: Iterable[bytes], metrics: Sequence[str] = ()) -> None:
    """Write a saved run; with `metrics`, the names of all, its cases as Parquet beside it. Raises as `write_all`."""
    files = {path: run_bytes(header, lines)}
    if metrics:
        cases = cases_path(path)
        alone = run_bytes(header.replace(cases_file=cases.name), ())
        files = {cases: records_as_parquet(lines, metrics, header.run_id), path: alone}
    write_all(files, where=path.name)


def cases_path(log: Path) -> Path:
    """Return the path of the Parquet file with a log's cases."""
    return log.with_suffix(PARQUET)


_SCORE = TypeAdapter(CaseScore, config=ConfigDict(defer_build=True))


def score_line(score: CaseScore) -> bytes:
    """Return a score as JSON without its record, which `record_of` makes again."""
    bare = score._replace(line=b"")
    try:
        return _SCORE.dump_json(bare)
    except PydanticSerializationError:  # half a surrogate pair
        return json.dumps(to_jsonable_python(bare), allow_nan=False).encode()


def read_scores(path: Path, *, where: str) -> tuple[RunHeader, Iterator[CaseScore]]:
    """Return the header of a saved shard and its scores, which are read one by one. Raises `InvalidFile`."""
    lines = iter(LineFile(path, where=where, fix=RESTORE))
    head, broken = b"", InvalidFile("this is not a saved run with --shard", where=where, fix=NO_SHARD)
    for _, line in lines:
        if line == CASES_FOLLOW:
            break
        head += line
        if len(head) > MAX_CACHE_BYTES:
            raise broken
    else:
        raise broken
    value = parse_json(decode(head.rstrip()[:-1] + b"}", where=where), where=where, surrogates=True)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    header = validate(RunHeader, value, where=where, fix=RESTORE)
    if header.shard is None:
        raise broken
    return header, _scores(lines, where)


def _scores(lines: Iterator[tuple[Spot, bytes]], where: str) -> Iterator[CaseScore]:
    for spot, line in lines:
        if line == END:
            return
        text = line.rstrip(b",\n")
        try:
            score = _SCORE.validate_json(text)
        except ValidationError:
            try:  # half a surrogate pair, which is no JSON for pydantic
                score = _SCORE.validate_python(json.loads(text))
            except ValueError:
                raise InvalidFile("a case of the shard is broken", where=spot.place, fix=NO_SHARD) from None
        yield score._replace(line=record_of(score).line())
    raise InvalidFile("the file is cut off", where=where, fix="Copy it again, or run the shard again")


def answers_path(log: Path) -> Path:
    """Return the path of a log's answers that are not recorded: those of a live run."""
    return log.with_suffix(".answers.jsonl")


def context_path(log: Path) -> Path:
    """Return the path of a log's context for a sink: an experiment's name and items."""
    return log.with_suffix(".context.jsonl")


def latest_runs(local: Path, folder: str = RUNS) -> list[Path]:
    """Return the run logs in `.row3/`, or its shards, newest first. Raises `InvalidFile` for a symbolic link."""
    folder = f"{local.name}/{folder}"
    tree = WorkTree(local.parent)
    return [tree.at(path) for path in reversed(tree.files(folder)) if path.endswith(".json")]


_SCORES = TypeAdapter(dict[str, CaseScore], config=ConfigDict(defer_build=True))
KEPT_SCORES = 4000
"""Most scores in a file; the oldest are dropped."""


class ScoreCache:
    """Scores by golden case and answers, under one scorer and one set of rules."""

    def __init__(self, root: Path, name: str) -> None:
        self._root, self._path = root, f"scores/{name}.json"
        self._scores: dict[str, CaseScore] = {}
        self._new = False
        with suppress(InvalidFile, EnvironmentFault, ValidationError):  # a broken file counts as empty
            raw = read_bytes(in_state(root, self._path), where=self._path, limit=MAX_CACHE_BYTES, follow=False)
            self._scores = _SCORES.validate_json(raw)

    def get(self, case: str, answers: Sequence[str]) -> CaseScore | None:
        """Return the score of these answers to the case with this digest, without its explanation."""
        return self._scores.get(_key(case, answers))

    def put(self, case: str, answers: Sequence[str], score: CaseScore) -> None:
        """Add a score, whose `found` must already list the missed and extra items of its explanation."""
        self._scores[_key(case, answers)] = score._replace(explanation=None, output=None)
        self._new = True

    def save(self) -> None:
        """Write new scores, if the folder is writable."""
        if not self._new:
            return
        kept = dict(list(self._scores.items())[-KEPT_SCORES:])
        with suppress(
            InvalidFile, EnvironmentFault, PydanticSerializationError
        ):  # an answer may hold half a surrogate pair
            write_atomic(in_state(self._root, self._path), _SCORES.dump_json(kept))
        self._new = False


def _key(case: str, answers: Sequence[str]) -> str:
    return digest_json([case, [digest_text(text) for text in answers]])
