"""A request that nothing recorded answers: which recording is the nearest, and what it differs in."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from row3.domain.prompts import parse_reference
from row3.domain.requests import NoAnswer, Request
from row3.domain.spoken import marked
from row3.errors import Row3Error
from row3.store.prompts import read_version_text
from row3.store.recording_index import RecordingIndex
from row3.workflows.pipeline.lineup import Lineup


def miss(index: RecordingIndex, request: Request, lineup: Lineup) -> NoAnswer:
    """Why a request has no recording: the nearest one, and the first field that differs."""
    near = index.nearest(request, likeness(request, lineup))
    if near is None:
        return NoAnswer(
            f"no recording, and none of {request.prompt.rpartition('-v')[0]} for this case",
            "Record it with --mode record",
        )
    recording, field, there, wanted = near
    words = {
        "promptDigest": "the prompt's text was changed after it",
        "inputDigest": "the case's input or the earlier prompt's output is another",
        "schemaDigest": "the output schema is another",
        "rendered text": "the rendered text is another",
    }
    if recording.prompt != request.prompt:
        words["promptDigest"] = f"it is of {recording.prompt}, whose text is another"
    if not request.schema:  # of a system, which is told none
        words["promptDigest"] = "the version, arguments or setup of the call, or a file of its corpus, changed after it"
    how = words.get(field, f"{field} is {marked(there)} there and {marked(wanted)} here")
    return NoAnswer(
        f"no recording; the nearest is {index.place(recording.digest)}, first difference in {field}: {how}",
        "Record it with --mode record",
    )


def likeness(request: Request, lineup: Lineup) -> Callable[[str], tuple[float, ...]]:
    """How like the request's prompt the one of a recording is: by their texts, then whether it is the promoted one.

    A new version is a copy of the promoted one, so that is what it was made from where the texts say nothing.
    """
    own = next((prompt for prompt in lineup.prompts if str(prompt.ref) == request.prompt), None)

    def of(prompt: str) -> tuple[float, ...]:
        ref = parse_reference(prompt)
        if own is None or ref is None:
            return (0.0, 0.0)
        promoted = lineup.promoted.get(ref.name) == str(ref.version)
        if ref == own.ref or lineup.tree is None:
            return (float(ref == own.ref), float(promoted))
        try:
            text = read_version_text(lineup.tree, ref)
        except Row3Error:  # the version is gone, and its recordings are still there
            return (0.0, float(promoted))
        return (_alike(text, own.text), float(promoted))

    return of


@lru_cache(maxsize=64)
def _alike(a: str, b: str) -> float:
    return Levenshtein.normalized_similarity(a, b)
