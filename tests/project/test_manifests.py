"""Baselines read case by case are those that are read whole."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.runs import Manifest, ManifestCase, ManifestPrompt
from row3.errors import Row3Error
from row3.project.manifests import SavedCases, manifest_bytes, parse_manifest, read_manifest
from row3.project.tree import WorkTree
from tests.rows import every_row

SHA = "0123456789abcdef" * 4
PATH = "baselines/s.json"
MANIFEST = Manifest(
    suite="s",
    kind="extraction",
    tier="replay",
    run_id="r",
    at="2026-01-29T00:00:00Z",
    prompts={"p": ManifestPrompt("v1.0", SHA, "concepts")},
    model="m",
    parameters={"p": {"model": "m"}},
    repeats=1,
    cases={name: ManifestCase(name, SHA, SHA, (SHA, ""), (SHA, SHA)) for name in ("b", "a", "c")},
)
RAW = manifest_bytes(MANIFEST)
DIGESTS = st.lists(st.sampled_from((SHA, "", "f" * 64)), max_size=3).map(tuple)


def read(raw: bytes) -> Manifest:
    """The baseline in a file of these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, PATH)
        path.parent.mkdir()
        path.write_bytes(raw)
        manifest = read_manifest(WorkTree(Path(folder)), PATH)
        return replace(manifest, cases=dict(manifest.cases))


def test_cases_are_read_when_they_are_needed(tmp_path: Path) -> None:
    (tmp_path / "baselines").mkdir()
    (tmp_path / PATH).write_bytes(RAW)
    cases = read_manifest(WorkTree(tmp_path), PATH).cases
    assert isinstance(cases, SavedCases)
    assert list(cases) == ["a", "b", "c"]
    assert (len(cases), cases["b"], "d" in cases, cases.get("d")) == (3, MANIFEST.cases["b"], False, None)
    assert list(cases.values()) == [cases[name] for name in "abc"]
    (tmp_path / PATH).write_bytes(b"x" * len(RAW))
    with pytest.raises(Row3Error, match="the file was changed while it was being read"):
        cases["a"]


@given(st.lists(st.tuples(st.text(), DIGESTS), max_size=6, unique_by=lambda each: each[0]))
def test_any_cases(cases: list[tuple[str, tuple[str, ...]]]) -> None:
    saved = replace(
        MANIFEST, cases={name: ManifestCase(name, SHA, "".join(some), some, some[::-1]) for name, some in cases}
    )
    raw = manifest_bytes(saved)
    assert _outcome(read, raw) == _outcome(lambda raw: parse_manifest(raw, where=PATH), raw)


@every_row(
    ("found", "instead"),
    [
        (rb'"id": "a"', rb'"id": "b"'),
        (rb'"id": "a"', rb'"id": 1'),
        (rb'"id": "a"', b'"id": "\\"a"'),
        (rb'"id": "a"', b'"id": "\xff"'),
        (rb'"id": "a"', rb'"id": "a", "id": "a"'),
        (rb'"id": "a", ', rb""),
        (rb'"answers": \["[0-9a-f]*", ', rb'"answers": ['),
        (rb'"answers": \["', rb'"answers": [1, "'),
        (rb'"input"', rb'"other"'),
        (rb'"schemaVersion": 2', rb'"schemaVersion": 3'),
        (rb'"tier": "replay"', rb'"tier": "now"'),
        (rb'"kind": "extraction",\n', b""),
        (rb"\},\n", b"}\n"),
        (rb"\}\n\]", b"},\n]"),
        (rb"\]\}\n", rb""),
        (rb"\]\}\n", b"]}\n\n"),
        (rb"\]\}\n", b"]}\n{}"),
        (rb"\n", b"\r\n"),
        (rb"\n", b"\n\n"),
        (rb"\A", b"\xef\xbb\xbf"),
        (rb"\A", b"<<<<<<< ours\n"),
        (rb'\{"id": "a"', b'<<<<<<< ours\n{"id": "a"'),
    ],
)  # fmt: skip
def test_any_other_file_is_read_whole(found: bytes, instead: bytes) -> None:
    raw = re.sub(found, lambda _: instead, RAW)
    assert raw != RAW
    assert _outcome(read, raw) == _outcome(lambda raw: parse_manifest(raw, where=PATH), raw)


def _outcome(parse: Callable[[bytes], Manifest], raw: bytes) -> Manifest | str:
    try:
        return parse(raw)
    except Row3Error as error:
        return str(error)
