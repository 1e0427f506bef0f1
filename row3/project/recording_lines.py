"""Recordings as lines of JSON, and the files that hold them.

A line begins with its digest, so that many megabytes can be indexed without parsing. There is one file per prompt,
sorted by case, prompt and repeat, so that branches merge in git. Parquet files are read as well, but not written: one
that loses a recording becomes a file of lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import CamelModel
from row3.domain.requests import EXTRA, Answer, Request, digest_text, extra_json
from row3.errors import InvalidFile
from row3.project.cases import LINES
from row3.project.documents import check_schema_version, dump_line, parse_json, quick_json
from row3.project.embeddings import is_embeddings
from row3.project.files import write_all
from row3.project.json_lines import decode_line, lines_in
from row3.project.parquet import PARQUET
from row3.project.tree import Tree, WorkTree

SCHEMA_VERSION = 1
HEAD = re.compile(rb'\{"digest": "([0-9a-f]{64})", "schemaVersion": 1, "caseId": ("[^"\\]*(?:\\.[^"\\]*)*")')
"""Start of a line that row3 wrote, with its digest and case id; other lines are parsed completely."""
Count = Annotated[int, Field(ge=0, le=2**53)]
UNSET = extra_json(dict.fromkeys(EXTRA))
"""The parameters that a recording has only if they are set."""


class Response(CamelModel, extra="ignore"):
    """The recorded part of an answer."""

    text: str
    finish_reason: str | None = None
    served_model: str | None = None
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    latency_s: Annotated[float, Field(ge=0)] | None = None
    instead: str = ""
    omitted: Annotated[tuple[str, ...], Field(strict=False)] = ()
    cached_tokens: Count | None = None
    reasoning_tokens: Count | None = None


class Recording(CamelModel, extra="ignore"):
    """One line of a recordings file."""

    digest: str
    schema_version: int = 1
    case_id: str
    prompt: str
    repeat: int
    request: dict[str, Any]
    response: Response
    answer_digest: str = ""
    recorded_at: str = ""

    @property
    def answer(self) -> Answer:
        """The answer, to replay."""
        r = self.response
        tokens, parts = (r.prompt_tokens, r.completion_tokens), (r.cached_tokens, r.reasoning_tokens)
        finish = r.finish_reason or "stop"
        return Answer(r.text, finish, r.served_model, *tokens, r.latency_s, True, r.instead, r.omitted, *parts)


def to_line(request: Request, answer: Answer, *, recorded_at: str) -> str:
    """Return a recording as its line, without anything of the connection: no key, no header, no account."""
    fields = request.fields()
    return dump_line(
        {
            "digest": request.digest,
            "schemaVersion": SCHEMA_VERSION,
            "caseId": request.case_id,
            "prompt": fields.pop("prompt"),
            "repeat": fields.pop("repeat"),
            "request": fields,
            "response": {
                "text": answer.text,
                "finishReason": answer.finish_reason,
                "servedModel": answer.served_model,
                "promptTokens": answer.prompt_tokens,
                "completionTokens": answer.completion_tokens,
                "latencyS": None if answer.latency_s is None else round(answer.latency_s, 3),
                **({"instead": answer.instead} if answer.instead else {}),
                **({"omitted": list(answer.omitted)} if answer.omitted else {}),
                **({} if answer.cached_tokens is None else {"cachedTokens": answer.cached_tokens}),
                **({} if answer.reasoning_tokens is None else {"reasoningTokens": answer.reasoning_tokens}),
            },
            "answerDigest": digest_text(answer.text),
            "recordedAt": recorded_at,
        }
    )


def from_line(line: str | bytes, *, where: str) -> Recording:
    """Return the recording of a line. Raises `InvalidFile`."""
    raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    try:
        value = quick_json(raw)
    except ValueError:
        # Slower, but this accepts half a surrogate pair, which a model can write, and names any fault.
        value = parse_json(decode_line(raw, where).rstrip("\r\n"), where=where, surrogates=True)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    try:
        return convert(value, Recording)
    except MisfitsError as error:
        what = f"not a recording: {error.summary()}"
        raise InvalidFile(what, where=where, fix="Restore the file from git") from None


def other_field(recording: Recording, wanted: Request) -> tuple[str, Any, Any] | None:
    """Return the first recorded field that differs from the request, with both values; None if all agree.

    Prompt and input may differ, since another prompt or input can render to the same request.
    """
    recorded = {**UNSET, **recording.request, "repeat": recording.repeat}
    sent = {
        "model": wanted.model,
        "temperature": wanted.temperature,
        "seed": wanted.seed,
        "maxTokens": wanted.max_tokens,
        **UNSET,
        **extra_json(wanted.extra),
        "repeat": wanted.repeat,
        "schemaDigest": wanted.schema_digest,
    }
    differing = (key for key in sent if key in recorded and recorded[key] != sent[key])
    return next(((key, recorded[key], sent[key]) for key in differing), None)


def recording_files(tree: Tree, suite: str) -> list[str]:
    """Return the paths of a suite's recordings files, without those of embeddings."""
    return [path for path in tree.files(f"recordings/{suite}") if path.endswith(LINES) and not is_embeddings(path)]


class Merged(NamedTuple):
    """How many recordings a merge added, replaced and left alone."""

    new: int
    """Requests without a recording before."""
    replaced: int
    """Requests whose recorded answer differed."""
    same: int
    """Requests whose recorded answer was the same."""


def merge(root: Path, suite: str, lines: Iterable[str]) -> Merged:
    """Merge recordings into the suite's sorted files, one per prompt. Raises `InvalidFile`, `EnvironmentFault`.

    A new answer replaces that of the same digest in any file, since a copy of a prompt makes the same request.
    """
    fresh: dict[str, tuple[Recording, str]] = {}
    for line in lines:
        recording = from_line(line, where="a new recording")
        fresh[recording.digest] = recording, line.strip()
    tree = WorkTree(root)
    own = {digest: f"recordings/{suite}/{recording.prompt}.jsonl" for digest, (recording, _) in fresh.items()}
    files: dict[str, list[str]] = {path: [] for path in own.values()}
    said: dict[str, bool] = {}
    changed = set(files)
    for path in recording_files(tree, suite):
        kept = files.setdefault(path, [])
        for spot, raw in lines_in(tree, path):
            held, line = from_line(raw, where=spot.place), decode_line(raw, spot.place).strip()
            if held.digest in fresh:
                recording = fresh[held.digest][0]
                same = held.answer.said == recording.answer.said
                said[held.digest] = said.get(held.digest, True) and same
                if not same or path == own[held.digest]:
                    if same and held.replace(recorded_at="") == recording.replace(recorded_at=""):
                        fresh[held.digest] = held, line  # keep the date of the first recording
                    changed.add(path)
                    continue
            kept.append(line)
    for digest, (_, line) in fresh.items():
        files[own[digest]].append(line)
    changed |= {path.replace(PARQUET, LINES[0]) for path in changed}
    # New lines are written first: a kill in between leaves two answers, which is an error, but never none.
    write_files({tree.at(path): dict.fromkeys(files[path]) for path in files if path in changed})
    return Merged(len(fresh) - len(said), sum(not same for same in said.values()), sum(said.values()))


def write_files(files: Mapping[Path, Iterable[str]]) -> None:
    """Write recordings files with sorted lines, and remove empty ones. Raises as `write_all`.

    The lines of a Parquet file go into the file of lines with its name, which must be among `files` if it exists.
    """
    written: dict[Path, list[str]] = {}
    for path, lines in files.items():
        written.setdefault(path.with_suffix(LINES[0]), []).extend(lines)
    if written:
        texts = {path: "".join(f"{line}\n" for line in sorted(lines, key=_sort_key)) for path, lines in written.items()}
        contents = dict.fromkeys(files) | {path: text or None for path, text in texts.items()}
        write_all(contents, where=f"recordings/{next(iter(files)).parent.name}/")


def _sort_key(line: str) -> tuple[str, str, int, str]:
    value = json.loads(line)
    return value["caseId"], value["prompt"], value["repeat"], value["digest"]
