"""The folder of a run that workers share: what is written comes back, and every refusal is told."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.errors import EnvironmentFault, InvalidFile, MissingExtra, Row3Error, UsageError
from row3.project.parquet import records_as_parquet
from row3.project.saved_runs import CaseRecord
from row3.project.shared_folder import CASES, DETAILS, SharedFolder, make_folder
from tests.rows import every_row
from tests.systems.wanted import missing

pytestmark = pytest.mark.slow  # pyarrow and fsspec come with make test-all


@pytest.fixture(autouse=True)
def _extra() -> None:
    if find_spec("pyarrow") is None or find_spec("fsspec") is None:
        missing("pyarrow and fsspec, of the extra row3[scale]")


def lines(ids: list[str]) -> list[bytes]:
    return [
        CaseRecord(id=each, digest="0", status="scored", metrics={"recall": 0.1 * (i % 7)}, found={}).line()
        for i, each in enumerate(ids)
    ]


def part(ids: list[str]) -> list[bytes]:
    return list(records_as_parquet(lines(ids), ("precision", "recall"), "run"))


@settings(max_examples=30)
@given(st.lists(st.lists(st.text(max_size=4), min_size=1, max_size=5), max_size=5), st.booleans())
def test_parts_come_back_in_order(parts: list[list[str]], local: bool) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        folder = make_folder(f"file://{place}/shared" if local else f"memory://{place}", "run-1")
        starts = [sum(map(len, parts[:number])) * 999 for number in range(len(parts))]
        for start, ids in reversed([*zip(starts, parts, strict=True)]):
            folder.write(DETAILS.format(start), [b"%a\n" % each for each in ids])
            folder.write(CASES.format(start), part(["to be replaced"] * 9))
            folder.write(CASES.format(start), part(ids))
        assert folder.count_cases() == sum(map(len, parts))
        back = [CaseRecord.model_validate(each, by_name=False).line() for each in folder.records()]
        assert back == [line for ids in parts for line in lines(ids)]
        assert list(folder.details()) == [b"%a" % each for ids in parts for each in ids]


def test_a_local_folder_is_named_by_its_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for url in ("out", "out/", "./out", "file://out", f"file://{tmp_path}/out/", str(tmp_path / "out")):
        assert make_folder(url, "r").url == f"{tmp_path}/out/r/", url
    assert make_folder("memory://", "r").url == "memory://r/"
    assert make_folder("memory://a/b", "r").url == "memory://a/b/r/"
    assert make_folder("filecache::memory://a", "r").url == "filecache::memory://a/r/"


@every_row(
    "url, kind, says",
    [
        ("nope://x", UsageError, "fsspec cannot open this URL (Protocol not known: nope). Name a folder"),
        ("file.parquet/x", EnvironmentFault, "file.parquet/x/r/: cannot be written (Not a directory). Check space"),
        (
            "http://localhost:9/x",
            UsageError,
            "run.json: this kind of URL cannot be written. Name a folder, or a URL",
        ),
    ],
)
def test_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, kind: type[Row3Error], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.parquet").touch()
    with pytest.raises(kind) as found:
        make_folder(url, "r").write("run.json", [])
    assert says in str(found.value)
    assert str(found.value).startswith((url, str(tmp_path)))


def test_no_secret_is_part_of_a_url() -> None:
    for url in ("ftp://baker:crumbs@ftp.example.com/x", "s3://AK:cr/umbs@bucket/x", "https://example.com/x?sig=crumbs"):
        with pytest.raises(UsageError, match="--results: the URL has a password or a query") as found:
            make_folder(url, "r")
        assert "umbs" not in str(found.value)
    assert make_folder("memory://a@b:c", "r").url == "memory://a@b:c/r/"


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "s3fs", None)
        with pytest.raises(MissingExtra, match=r"s3://b/x: fsspec lacks a package for this URL. Install s3fs"):
            make_folder("s3://b/x", "r")
    for package in ("pyarrow", "fsspec"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            with pytest.raises(MissingExtra, match=rf"need {package}. pip install 'row3\[scale\]'"):
                make_folder("memory://x", "r")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
def test_a_full_disk(tmp_path: Path) -> None:
    folder = make_folder(str(tmp_path), "r")
    (tmp_path / "r/cases-000000000.parquet").symlink_to("/dev/full")
    with pytest.raises(
        EnvironmentFault, match=r"cases-000000000.parquet: cannot be written \(No space left on device\)"
    ):
        folder.write(CASES.format(0), part(["a"]))


def test_a_broken_part_is_named(tmp_path: Path) -> None:
    folder = make_folder(str(tmp_path), "r")
    for content in (b"", b"PAR1", b"".join(part(["a", "b"]))[:-9], b"x" * 99):
        folder.write(CASES.format(7), [content])
        for read in (folder.count_cases, lambda: list(folder.records())):
            with pytest.raises(InvalidFile, match=r"/r/cases-000000007.parquet: this is not a readable Parquet file"):
                read()


def test_errors_of_a_file_system_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An object store has errors of its own."""
    import fsspec
    from fsspec.implementations.memory import MemoryFileSystem

    class Store(MemoryFileSystem):
        protocol = "flaky"

        def ls(self, path: str, detail: bool = True, **more: object) -> Iterator[str]:
            raise RuntimeError("the bucket said no")

    fsspec.register_implementation("flaky", Store, clobber=True)
    folder = make_folder("flaky://b", "r")
    with pytest.raises(EnvironmentFault, match=r"flaky://b/r/: cannot be read \(the bucket said no\). Check space"):
        folder.count_cases()


def test_a_folder_that_is_gone_has_no_parts(tmp_path: Path) -> None:
    assert list(SharedFolder(f"{tmp_path}/gone/").records()) == []
    assert SharedFolder("memory://gone/").count_cases() == 0
