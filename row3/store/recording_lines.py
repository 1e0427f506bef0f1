"""One recording as one line of JSON, and the files of these lines.

A line begins with its digest, so that an index over many megabytes is made without parsing them. A file is sorted by
case, prompt and repeat, one file a prompt: two branches that record merge in git.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct
from msgspec.json import Decoder
from msgspec.structs import replace

from row3.domain.requests import Answer, Request, digest_text
from row3.domain.structs import MisfitsError, convert
from row3.errors import InvalidFile
from row3.store.documents import check_schema_version, dump_line, parse_json
from row3.store.embeddings import is_embeddings
from row3.store.files import write_all
from row3.store.json_lines import decoded, lines_in
from row3.store.tree import Tree, WorkTree

SCHEMA_VERSION = 1
HEAD = re.compile(rb'\{"digest": "([0-9a-f]{64})", "schemaVersion": 1, "caseId": "[^"\\]*(?:\\.[^"\\]*)*"')
"""How row3 begins a line; one that a hand wrote is read as a whole."""
Count = Annotated[int, Meta(ge=0, le=2**53)]


class Response(Struct, frozen=True, rename="camel", gc=False):
    """What a line keeps of an answer."""

    text: str
    finish_reason: str | None = None
    served_model: str | None = None
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    latency_s: Annotated[float, Meta(ge=0)] | None = None


class Recording(Struct, frozen=True, kw_only=True, rename="camel", gc=False):
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
        """Return the answer, to be replayed."""
        r = self.response
        tokens = r.prompt_tokens, r.completion_tokens
        return Answer(r.text, r.finish_reason or "stop", r.served_model, *tokens, r.latency_s, replayed=True)


_DECODER = Decoder(Recording)


def to_line(request: Request, answer: Answer, *, recorded_at: str) -> str:
    """Return a recording as its line. Nothing of the connection is in it: no key, no header, no account."""
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
            },
            "answerDigest": digest_text(answer.text),
            "recordedAt": recorded_at,
        }
    )


def from_line(line: str | bytes, *, where: str) -> Recording:
    """Return a recording from its line; raises `InvalidFile`."""
    raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    try:
        recording = _DECODER.decode(raw)
        if recording.schema_version == SCHEMA_VERSION:
            return recording
    except ValueError:
        pass
    # Half a surrogate pair, which a model can write, or a fault: this way reads the one and names the other.
    value = parse_json(decoded(raw, where).rstrip("\r\n"), where=where, surrogates=True)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    try:
        return convert(value, Recording)
    except MisfitsError as error:
        what = f"not a recording: {error.summary()}"
        raise InvalidFile(what, where=where, fix="Restore the file from git") from None


def other_field(recording: Recording, wanted: Request) -> tuple[str, Any, Any] | None:
    """Return the first field of the digest that contradicts the request, with both values; prompt and input are none of
    these, since another text or input may be rendered to the same request.
    """
    there = {**recording.request, "repeat": recording.repeat}
    sent = {
        "model": wanted.model,
        "temperature": wanted.temperature,
        "seed": wanted.seed,
        "maxTokens": wanted.max_tokens,
        "repeat": wanted.repeat,
        "schemaDigest": wanted.schema_digest,
    }
    return next(((key, there[key], sent[key]) for key in sent if key in there and there[key] != sent[key]), None)


def recording_files(tree: Tree, suite: str) -> list[str]:
    """Return the files of a suite's recordings, without those of embeddings."""
    return [path for path in tree.files(f"recordings/{suite}") if path.endswith(".jsonl") and not is_embeddings(path)]


class Merged(NamedTuple):
    """What became of recordings that were merged into a suite's."""

    new: int
    """Requests without a recording before."""
    replaced: int
    """Requests whose recorded answer was another one."""
    same: int
    """Requests whose recorded answer was the same."""


def merge(root: Path, suite: str, lines: Iterable[str]) -> Merged:
    """Put recordings into the suite's files, one a prompt, sorted; the newer of two equal digests wins, over other
    prompts' files too, since a copy of a prompt asks the same. Raises `InvalidFile`, `EnvironmentFault`.
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
        for _, number, raw in lines_in(tree, path):
            where = f"{tree.place(path)}:{number}"
            held, line = from_line(raw, where=where), decoded(raw, where).strip()
            if held.digest in fresh:
                recording = fresh[held.digest][0]
                same = held.answer.said == recording.answer.said
                said[held.digest] = said.get(held.digest, True) and same
                if not same or path == own[held.digest]:
                    if same and replace(held, recorded_at="") == replace(recording, recorded_at=""):
                        fresh[held.digest] = held, line  # when it was first recorded is what counts
                    changed.add(path)
                    continue
            kept.append(line)
    for digest, (_, line) in fresh.items():
        files[own[digest]].append(line)
    # The new lines first: after a kill in between there are two answers, which is an error, and never none.
    write_files({tree.at(path): dict.fromkeys(files[path]) for path in files if path in changed})
    return Merged(len(fresh) - len(said), sum(not same for same in said.values()), sum(said.values()))


def write_files(files: Mapping[Path, Iterable[str]]) -> None:
    """Write recordings files: sorted, one line each; an empty one is removed. All, or none on a disk that refuses."""
    contents: dict[Path, bytes | None] = {}
    for path, lines in files.items():
        text = "".join(f"{line}\n" for line in sorted(lines, key=_sort_key))
        contents[path] = text.encode() if text else None
    if contents:
        folder = next(iter(contents)).parent
        write_all(contents, where=f"recordings/{folder.name}/")


def _sort_key(line: str) -> tuple[str, str, int, str]:
    value = json.loads(line)
    return value["caseId"], value["prompt"], value["repeat"], value["digest"]
