"""`--results`: the run of one process, but its cases are where the workers wrote them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks.scale import small_cases
from row3.cli.formats import RUN_FORMATS
from row3.project.project import open_project
from row3.project.saved_runs import latest_runs, read_log
from tests.projects import CASES, Box, copy_of, flawless, worse
from tests.rows import every_row
from tests.systems.wanted import missing

pytestmark = pytest.mark.slow  # pyarrow and fsspec come with make test-all
MANY = 330


@pytest.fixture(autouse=True)
def _extra() -> None:
    if find_spec("pyarrow") is None or find_spec("fsspec") is None:
        missing("pyarrow and fsspec, of the extra row3[scale]")


def wanted(package: str) -> Any:
    """A program that reads what row3 writes."""
    if find_spec(package) is None:
        missing(package)
    return import_module(package)


@pytest.fixture(scope="module")
def scored_once(tmp_path_factory: pytest.TempPathFactory) -> Box:
    return Box(small_cases(tmp_path_factory.mktemp("scored") / "many", MANY, recordings=False))


@pytest.fixture(scope="module")
def recorded_once(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Enough cases for two processes, with a baseline; the candidate is worse in some."""
    made = Box(small_cases(tmp_path_factory.mktemp("recorded") / "many", MANY, recordings=True))
    made.row3("--baseline", code=0, XDG_STATE_HOME=str(tmp_path_factory.mktemp("state")))
    return made


scored, recorded = copy_of("scored_once"), copy_of("recorded_once")
SCORE = ("score", "small", "--outputs", "outputs")


def latest(box: Box) -> Path:
    return latest_runs(open_project(box.root).local)[0]


def told(text: str, log: Path) -> str:
    """A text without a run's id and times."""
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "-", text.replace(log.stem, "-"))


def both(box: Box, tmp_path: Path, url: str, *command: str, code: int, own: tuple[str, ...] = ()) -> tuple[Box, Path]:
    """Run a command with and without results at a URL, `own` options being those of the first; compare all they leave.

    Returns the project of the run with, and its folder of results if that is on disk.
    """
    other = box.copy(tmp_path / f"with-{len(list(tmp_path.iterdir()))}")
    there, here = other.row3(*command, "--results", url, *own, code=code), box.row3(*command, code=code)
    boxes, logs = (other, box), (latest(other), latest(box))
    assert told(there.out, logs[0]) == told(here.out, logs[1])
    assert told(there.err, logs[0]) == told(here.err, logs[1])
    run, plain = map(read_log, logs)
    assert run.header.replace(run_id="", at="") == plain.header.replace(run_id="", at="")
    assert [each.line() for each in run.cases.values()] == [each.line() for each in plain.cases.values()]
    there_files, here_files = (
        {name: told(text.decode(), log) for name, text in each.tree().items()}
        for each, log in zip(boxes, logs, strict=True)
    )
    assert there_files == here_files
    head = json.loads(logs[0].read_text())
    assert head["cases"] == []
    folder = Path(head["casesFile"])
    assert folder.name == head["runId"]
    if url != "memory://x":
        assert (folder / "run.json").read_bytes() == logs[0].read_bytes()
        assert {each.name for each in folder.parent.iterdir()} == {folder.name}
    assert not logs[0].with_suffix(".parquet").exists()
    return other, folder


WAYS = [("file", ("--jobs", "1")), ("file", ("--jobs", "2")), ("memory", ("--jobs", "1"))]


def shared(scheme: str, tmp_path: Path, number: object) -> str:
    return "memory://x" if scheme == "memory" else f"file://{tmp_path}/shared-{number}"


@pytest.mark.parametrize(("scheme", "own"), WAYS)
def test_outputs_in_every_format(scored: Box, tmp_path: Path, scheme: str, own: tuple[str, ...]) -> None:
    for form in RUN_FORMATS:
        url = shared(scheme, tmp_path, form)
        both(scored, tmp_path, url, *SCORE, "--format", form, code=0, own=own)


@pytest.mark.parametrize(("scheme", "own"), WAYS)
@every_row("command, code", [((), 0), (("--compare",), 0), (("--baseline",), 0), (("--case", "case-00000*"), 0)])
def test_replays(
    recorded: Box, tmp_path: Path, scheme: str, own: tuple[str, ...], command: tuple[str, ...], code: int
) -> None:
    box = recorded.copy(tmp_path / "own")
    url = shared(scheme, tmp_path, 0)
    _, folder = both(box, tmp_path, url, "--mode", "replay", *command, "--format", "json", code=code, own=own)
    if own[-1] == "2" and "--case" not in command:
        assert len(list(folder.glob("cases-*.parquet"))) == 8


def test_a_regression_blocks(box: Box, tmp_path: Path) -> None:
    worse(box)
    both(box, tmp_path, f"{tmp_path}/shared", "--compare", "--format", "json", code=1)


def test_criteria_of_two_sides_leave_one_run(box: Box, tmp_path: Path) -> None:
    box.case("rye", expectedConcepts=CASES["rye"]["expectedConcepts"][:3])
    worse(box)
    both(box, tmp_path, f"{tmp_path}/shared", "--compare", "--against", "HEAD", "--format", "json", code=1)


def test_all_suites(suites: Box, tmp_path: Path) -> None:
    command = ("--all", "--mode", "replay", "--format", "json")
    there, here = (suites.row3(*command, *more, code=0).json["suites"] for more in (("--results", "shared"), ()))
    gone = {"runId": "", "at": ""}
    assert [each | gone for each in there] == [each | gone for each in here]
    assert {each.parent.name for each in suites.path("shared").glob("*/run.json")} == {each["runId"] for each in there}


def test_a_case_without_an_output_is_written_like_others(small: Box, tmp_path: Path) -> None:
    lines = [json.dumps({"caseId": case_id, "output": flawless(case)}) for case_id, case in CASES.items()]
    small.write("outputs.jsonl", "\n".join([*lines[:-1], ""]))
    command = ("score", "bread", "--outputs", "outputs.jsonl")
    _, folder = both(small, tmp_path, f"{tmp_path}/shared", *command, code=3)
    duckdb = wanted("duckdb")
    found = duckdb.execute(f"select id, status, problem from '{folder}/*.parquet' order by id").fetchall()
    assert found[0] == ("oven", "failed", "no output for this case")
    assert [status for _, status, _ in found] == ["failed", "scored", "scored"]


def test_others_read_all_parts_at_once(scored: Box, tmp_path: Path) -> None:
    other, folder = both(scored, tmp_path, f"{tmp_path}/shared", *SCORE, code=0, own=("--jobs", "2"))
    query = f"select count(*), avg(metrics.recall), count(distinct id) from '{folder}/*.parquet'"
    ((count, recall, ids),) = wanted("duckdb").execute(query).fetchall()
    assert (count, ids) == (MANY, MANY)
    assert recall == pytest.approx(read_log(latest(other)).header.metrics["recall"])


def test_a_saved_run_is_read_from_there(scored: Box, tmp_path: Path) -> None:
    url = str(tmp_path / "shared")
    scored.row3(*SCORE, code=0)
    here = scored.row3("diff", "latest", "latest", code=0).out
    scored.row3(*SCORE, "--results", url, code=0)
    assert scored.row3("diff", "latest", "latest", code=0).out != here  # the id
    (folder,) = Path(url).iterdir()
    assert "nothing" in scored.row3("diff", str(folder / "run.json"), "latest", code=0).out
    part = folder / "cases-000000000.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:-20])
    error = scored.row3("diff", "latest", "latest", code=2).err
    assert error.startswith(f"error: {part}: this is not a readable Parquet file")
    part.unlink()
    assert scored.row3("diff", "latest", "latest", code=2).err == (
        f"error: {folder}/: cases of the run are missing. Restore them, or delete .row3/runs/{folder.name}.json.\n"
    )
    part.write_bytes(whole)
    scored.row3("diff", "latest", "latest", code=0)


def test_a_run_of_others_is_read_beside_its_file_only(scored: Box, tmp_path: Path) -> None:
    scored.row3(*SCORE, "--results", str(tmp_path / "shared"), code=0)
    (folder,) = (tmp_path / "shared").iterdir()
    moved = folder.rename(tmp_path / "moved")
    assert "nothing" in scored.row3("diff", str(moved / "run.json"), str(moved / "run.json"), code=0).out
    alone = tmp_path / "alone" / "run.json"
    alone.parent.mkdir()
    alone.write_text((moved / "run.json").read_text().replace(f"{folder}/", "http://127.0.0.1:9/stolen/"))
    error = scored.row3("diff", str(alone), str(alone), code=2).err
    assert error.startswith(f"error: {alone.parent}/: cases of the run are missing.")


def test_old_runs_are_left_where_they_are(small: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("row3.running.session.KEPT_RUNS", 1)
    for _ in range(3):
        small.row3("--results", "shared", code=0)
    assert len(latest_runs(open_project(small.root).local)) == 1
    assert len(list(small.path("shared").glob("*/run.json"))) == 3


@every_row(
    "command, says",
    [
        (("--results", "x", "--mode", "auto"), "--results: workers have the results of a replay only. Record the"),
        (("--results", "x", "--mode", "record", "--compare"), "Record the answers, then add --mode replay"),
        (("--results", "x", "--mode", "live", "--all"), "--results: workers have the results of a replay only"),
        (
            ("--results", "x", "--shard", "1/2"),
            "--shard: a shard has its results in one file. Leave",
        ),
        (("score", "bread", "--outputs", "o", "--results", "x", "--shard", "1/2"), "Leave out --results or --shard"),
        (("--results", "x", "--dry-run"), "--dry-run and --results exclude each other; --dry-run has no results"),
        (("--results", "s3://b/x"), "s3://b/x: fsspec lacks a package for this URL. Install s3fs to access S3"),
        (("--results", "what://b/x"), "what://b/x: fsspec cannot open this URL (Protocol not known: what). Name a"),
        (("--results", "row3.toml/x"), "row3.toml/x/"),
        (
            ("--results", "http://127.0.0.1:9/x"),
            "this kind of URL cannot be written. Name a folder, or a URL",
        ),
    ],
)
def test_what_cannot_be(small: Box, command: tuple[str, ...], says: str) -> None:
    done = small.row3(*command, code=2)
    assert says in done.err
    assert not small.path("x").exists()
    assert not small.path(".row3/runs").exists()


def test_a_disk_that_fills_up(small: Box, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", str(disk)], check=False).returncode:
        pytest.skip("needs the right to mount a disk")
    try:
        (disk / "full").write_bytes(b"0" * 8192)
        error = small.row3("--results", str(disk), code=2).err
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert re.search(r"cases-000000000.parquet: cannot be written \(No space left on device\). Check space", error)


def test_a_place_that_workers_do_not_share_is_told(scored: Box) -> None:
    done = scored.row3(*SCORE, "--results", "memory://y", "--jobs", "2", code=2)
    assert re.fullmatch(
        rf"error: memory://y/\S+/: the workers wrote the results of {MANY} cases, but here are those of 0. Choose a "
        r"path that every worker and this command share; memory:// needs --jobs 1.\n",
        done.err,
    )


@pytest.mark.parametrize("package", ["pyarrow", "fsspec"])
def test_without_the_extra(small: Box, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert f"need {package}. pip install 'row3[scale]'" in small.row3("--results", "x", code=2).err
    assert small.row3(code=0).out
