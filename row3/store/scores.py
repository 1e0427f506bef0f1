"""`.row3/scores/`: scores of recorded answers, cached by content; safe to delete."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from row3.domain.requests import digest_json, digest_text
from row3.domain.scores import CaseScore
from row3.errors import EnvironmentFault, InvalidFile
from row3.store.files import read_bytes, write_atomic

KEPT = 4000
"""Scores that a file holds; beyond it the oldest go."""
MAX_BYTES = 2**26
_DECODER = msgspec.msgpack.Decoder(dict[str, CaseScore])


class ScoreCache:
    """Scores by golden case and answers, under one scorer and one set of rules."""

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / f"{name}.msgpack"
        self._scores: dict[str, CaseScore] = {}
        self._new = False
        with suppress(InvalidFile, EnvironmentFault, msgspec.DecodeError):  # a broken file is as good as none
            if self._path.exists():
                self._scores = _DECODER.decode(read_bytes(self._path, where=self._path.name, limit=MAX_BYTES))

    def get(self, case: str, answers: Sequence[str]) -> CaseScore | None:
        """Return the score of these answers' texts to the case of that digest, without its explanation."""
        return self._scores.get(_key(case, answers))

    def put(self, case: str, answers: Sequence[str], score: CaseScore) -> None:
        """Take in a score; `found` has to say what its explanation says of missed and extra items."""
        self._scores[_key(case, answers)] = msgspec.structs.replace(score, explanation=None, output=None)
        self._new = True

    def save(self) -> None:
        """Write what is new; a folder that cannot be written to keeps nothing."""
        if not self._new:
            return
        kept = dict(list(self._scores.items())[-KEPT:])
        with suppress(EnvironmentFault, UnicodeEncodeError):  # an answer may hold half a surrogate pair
            write_atomic(self._path, msgspec.msgpack.encode(kept), where=self._path.name)
        self._new = False


def _key(case: str, answers: Sequence[str]) -> str:
    return digest_json([case, [digest_text(text) for text in answers]])
