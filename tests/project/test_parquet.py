"""Large saved runs as Parquet: nothing is lost, and other programs read them."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.scores import CaseScore
from row3.errors import InvalidFile, MissingExtra
from row3.project.parquet import MANY_CASES, has_parquet, records_as_parquet, records_in
from row3.project.project import open_project
from row3.project.saved_runs import CaseRecord, latest_runs, parse_record, read_log
from row3.running.collect import collect
from row3.running.run_options import RunOptions
from row3.running.session import open_session, save_log
from row3.running.suite_run import run_suite
from tests.projects import Box
from tests.systems.wanted import missing

pytestmark = pytest.mark.slow  # pyarrow comes with make test-all

METRICS = ("recall", "precision", "overall")
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=5)
SHARES = st.dictionaries(st.sampled_from(METRICS), st.floats(0, 1))
COUNT = st.none() | st.integers(0, 2**40)
SPENT = st.tuples(TEXTS, COUNT, COUNT, st.none() | st.floats(0, 9), st.booleans(), st.booleans(), TEXTS, COUNT, COUNT)
RECORDS = st.builds(
    CaseRecord,
    id=TEXTS,
    digest=TEXTS,
    status=st.sampled_from(["scored", "bad_answer", "failed"]),
    metrics=SHARES,
    found=st.dictionaries(TEXTS, st.lists(TEXTS, max_size=3).map(tuple), max_size=3),
    said=TEXTS,
    spread=SHARES,
    tally=st.dictionaries(TEXTS, st.dictionaries(TEXTS, st.integers(0, 2**40), max_size=2), max_size=2),
    requests=st.lists(TEXTS, max_size=2).map(tuple),
    answer_digests=st.lists(TEXTS, max_size=2).map(tuple),
    problem=TEXTS,
    spent=st.lists(SPENT, max_size=2).map(tuple),
)


@pytest.fixture(autouse=True)
def _pyarrow() -> None:
    if find_spec("pyarrow") is None:
        missing("pyarrow, of the extra row3[scale]")


def wanted(package: str) -> Any:
    """A program that reads what row3 writes."""
    if find_spec(package) is None:
        missing(package)
    return import_module(package)


def written(path: Path, records: list[CaseRecord]) -> Path:
    path.write_bytes(b"".join(records_as_parquet((each.line() for each in records), METRICS, "run-1")))
    return path


@settings(max_examples=40)
@given(st.lists(RECORDS, max_size=4))
def test_records_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, records: list[CaseRecord]) -> None:
    path = written(tmp_path_factory.getbasetemp() / "cases.parquet", records)
    back = [CaseRecord.model_validate(each, by_name=False) for each in records_in(path, where="cases")]
    assert back == [parse_record(each.line(), where="") for each in records]


@pytest.fixture
def large(small: Box) -> Box:
    """A saved run of one case more than a JSON log has."""
    session = open_session(small.root, None, RunOptions())
    run = run_suite(session)
    rows = [row._replace(line=line) for row, line in zip(run.rows, run.records, strict=True)]

    def numbered(number: int) -> CaseScore:
        row = rows[number % 3]
        case_id = f"case-{number:05}"
        return row._replace(
            case_id=case_id, line=row.line.replace(f'"{row.case_id}"'.encode(), f'"{case_id}"'.encode())
        )

    head = {name: getattr(run.header, name) for name in type(run.header).model_fields}
    for name in ("metrics", "pooled", "denominators", "zones", "usage", "complete", "omitted"):
        del head[name]
    many = collect(map(numbered, range(MANY_CASES + 1)), session.suite, run.lineup, head, partial=False)
    save_log(session.project, many, pytest.fail)
    return small


def test_a_large_run_is_saved_beside_its_header_and_read_as_any_run(large: Box) -> None:
    (log,) = latest_runs(open_project(large.root).local)
    assert log.stat().st_size < 10_000
    saved = read_log(log)
    assert len(saved.cases) == MANY_CASES + 1
    assert saved.header.cases_file is None
    first = saved.cases["case-00000"]
    assert (first.id, first.metrics["recall"], first.status) == ("case-00000", 1.0, "scored")
    assert len(first.requests) == len(first.answer_digests) == 1


def test_others_read_it(large: Box) -> None:
    duckdb = wanted("duckdb")
    (file,) = large.path(".row3/runs").glob("*.parquet")
    query = "select count(*), avg(metrics.recall), min(len(requests)), min(found is not null) from read_parquet(?)"
    assert duckdb.execute(query, [str(file)]).fetchall() == [(MANY_CASES + 1, 1.0, 1, True)]
    import pyarrow.parquet

    about = pyarrow.parquet.read_schema(file).metadata
    assert about[b"row3.schemaVersion"] == b"1"


COLUMNS = ["id", "digest", "status", "metrics", "found", "answers", "spread", "tally"]
COLUMNS += ["requests", "answerDigests", "problem", "spent"]
"""The columns of a saved run, as docs/scale.md lists them."""


def test_pandas_reads_it(large: Box) -> None:
    pandas = wanted("pandas")
    (file,) = large.path(".row3/runs").glob("*.parquet")
    frame = pandas.read_parquet(file)
    objects = {"metrics", "found", "spread", "tally", "requests", "answerDigests", "spent"}
    assert {name: str(kind) for name, kind in frame.dtypes.items()} == {
        name: "object" if name in objects else "str" for name in COLUMNS
    }
    (log,) = latest_runs(open_project(large.root).local)
    for metric, mean in read_log(log).header.metrics.items():
        found = pandas.json_normalize(frame["metrics"])[metric]
        assert found.mean() == pytest.approx(mean), metric
    assert len(frame) == MANY_CASES + 1


def test_polars_reads_it(large: Box) -> None:
    pl = wanted("polars")
    (file,) = large.path(".row3/runs").glob("*.parquet")
    frame = pl.read_parquet(file)
    text, texts = pl.String(), pl.List(pl.String())
    assert frame.columns == COLUMNS
    assert {frame.schema[name] for name in ("id", "digest", "status", "answers", "problem")} == {text}
    assert {frame.schema[name] for name in ("requests", "answerDigests")} == {texts}
    assert frame.schema["metrics"] == frame.schema["spread"]
    assert {each.dtype for each in frame.schema["metrics"].fields} == {pl.Float64()}
    kinds = {name: str(frame.schema[name]) for name in ("found", "tally")}
    assert kinds == {"found": "Map(String, List(String))", "tally": "Map(String, Map(String, Int64))"}
    (log,) = latest_runs(open_project(large.root).local)
    for metric, mean in read_log(log).header.metrics.items():
        found = frame.select(pl.col("metrics").struct.field(metric)).to_series()
        assert found.mean() == pytest.approx(mean), metric


def test_without_pyarrow_a_large_run_is_json_and_a_saved_one_says_what_to_install(
    large: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    (log,) = latest_runs(open_project(large.root).local)
    run = run_suite(open_session(large.root, None, RunOptions()))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert not has_parquet()
    with pytest.raises(MissingExtra, match=r"Parquet files need pyarrow. pip install 'row3\[scale\]'"):
        read_log(log)
    run.records = [json.dumps({"id": f"case-{number}"}).encode() for number in range(MANY_CASES + 1)]
    save_log(open_project(large.root), run, pytest.fail)
    assert len(list(large.path(".row3/runs").glob("*.parquet"))) == 1


def test_a_missing_or_broken_file_is_named(large: Box) -> None:
    (log,) = latest_runs(open_project(large.root).local)
    file = log.with_suffix(".parquet")
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(InvalidFile, match=f".row3/runs/{file.name}: this is not a readable Parquet file"):
        read_log(log)
    file.unlink()
    with pytest.raises(InvalidFile, match=f".row3/runs/{file.name}: the run's cases are missing"):
        read_log(log)
