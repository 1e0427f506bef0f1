"""Cases, outputs and recordings in Parquet: its rows are read as lines are."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.requests import digest_json
from row3.project.json_lines import LineFile
from tests.projects import CASES, Box, flawless
from tests.rows import every_row
from tests.systems.wanted import missing

pytestmark = pytest.mark.slow  # pyarrow comes with make test-all


@pytest.fixture(autouse=True)
def _pyarrow() -> None:
    if find_spec("pyarrow") is None:
        missing("pyarrow, of the extra row3[scale]")


JSON = st.recursive(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=5) | st.integers(-(2**53), 2**53) | st.booleans(),
    lambda of: st.lists(of, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=3), of, max_size=3),
)


def table(path: Path, rows: Iterable[dict[str, Any]], *, as_json: tuple[str, ...] = ()) -> Path:
    """Write rows as others would; the columns `as_json` have Parquet's type JSON."""
    import pyarrow as pa
    import pyarrow.parquet

    rows = list(rows)
    names = list(dict.fromkeys(key for row in rows for key in row))
    columns = [
        pa.ExtensionArray.from_storage(
            pa.json_(), pa.array([json.dumps(row[name]) if name in row else None for row in rows], pa.string())
        )
        if name in as_json
        else pa.array([row.get(name) for row in rows])
        for name in names
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.Table.from_arrays(columns, names), path, row_group_size=2)
    return path


@settings(max_examples=60)
@given(st.lists(st.dictionaries(st.sampled_from(["id", "input", "more"]), JSON, max_size=3), max_size=5).filter(any))
def test_a_row_is_the_object_that_a_line_has(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    path = table(tmp_path_factory.getbasetemp() / "rows.parquet", rows, as_json=("id", "input", "more"))
    for source in (path, path.read_bytes()):  # on disk, and as git holds it
        lines = list(LineFile(source, where="rows"))
        back = [json.loads(spot.read()) for spot, _ in lines]
        assert [digest_json(each) for each in back] == [digest_json(row) for row in rows]
        assert [spot.place for spot, _ in lines] == [f"rows, row {number}" for number in range(1, len(rows) + 1)]


def test_structs_lists_and_maps_are_objects_and_lists(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    said = pa.map_(pa.string(), pa.list_(pa.struct([("n", pa.int64()), ("of", pa.dictionary(pa.int8(), pa.string()))])))
    rows = [{"a": {"b": None, "c": {"d": 1.5}}, "said": {"x": [{"n": 1, "of": "y"}, {"n": None, "of": None}]}}, {}]
    schema = pa.schema([("a", pa.struct([("b", pa.bool_()), ("c", pa.struct([("d", pa.float64())]))])), ("said", said)])
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "a.parquet")
    found = [json.loads(raw) for _, raw in LineFile(tmp_path / "a.parquet", where="a")]
    assert found == [{"a": {"c": {"d": 1.5}}, "said": {"x": [{"n": 1, "of": "y"}, {}]}}, {}]


def cases_as(box: Box, *, parquet: bool) -> None:
    """Put the cases of a small project into one file."""
    values = [{"id": name, **case} for name, case in CASES.items()]
    for name in CASES:
        box.path(f"golden/bread/{name}.gold.json").unlink()
    if parquet:
        table(box.path("golden/bread/all.parquet"), values)
    else:
        box.write("golden/bread/all.jsonl", "".join(f"{json.dumps(value)}\n" for value in values))


def recordings_as_parquet(box: Box, prompt: str) -> Path:
    """Put the recordings of a prompt of a small project into a Parquet file."""
    lines = box.path(f"recordings/bread/{prompt}.jsonl")
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    lines.unlink()
    return table(lines.with_name("shard-1.parquet"), rows)


def result(box: Box, *args: str) -> dict[str, Any]:
    """The result of a run, without its id and time."""
    found: dict[str, Any] = json.loads(box.row3(*args, "--format", "json", code=0).out)
    return {key: value for key, value in found.items() if key not in ("runId", "at")}


def test_a_project_in_parquet_has_the_results_of_one_in_json_lines(small: Box, tmp_path: Path) -> None:
    other = small.copy(tmp_path / "other")
    answers = [{"caseId": name, "output": flawless(case)} for name, case in CASES.items()]
    for box in (small, other):
        cases_as(box, parquet=box is other)
    small.write("outputs/all.jsonl", "".join(f"{json.dumps(each)}\n" for each in answers))
    table(other.path("outputs/a.parquet"), answers[:2], as_json=("output",))
    texts = [{**each, "output": json.dumps(each["output"])} for each in answers[2:]]
    table(other.path("outputs/b.parquet"), texts)  # raw text, as a model would give it
    recordings_as_parquet(other, "extract-v1.1")
    for args in ((), ("score", "bread", "--outputs", "outputs")):
        assert result(small, *args) == result(other, *args)
    for box in (small, other):
        for number in (1, 2):
            box.row3("--shard", f"{number}/2", code=0)
        box.row3("lint", code=0)
        box.row3("recordings", "verify", code=0)
    shards = [[*map(str, box.path(".row3/shards").glob("*.json"))] for box in (small, other)]
    assert result(small, "merge", *shards[0]) == result(other, "merge", *shards[1])


def test_a_commit_with_parquet_is_the_base_of_a_comparison(small: Box) -> None:
    cases_as(small, parquet=True)
    recordings_as_parquet(small, "extract-v1.1")
    small.row3("promote", "extract-v1.1", code=0)
    small.init()
    cases = [{"id": name, **case} for name, case in CASES.items()]
    expected = cases[1]["expectedConcepts"]
    for demands, code in (([*expected, {"label": "sour bread"}], "added"), (expected[1:], "removed"), (expected, "")):
        table(small.path("golden/bread/all.parquet"), [cases[0], {**cases[1], "expectedConcepts": demands}, cases[2]])
        found = json.loads(small.row3("--compare", "--against", "main", "--format", "json").out)
        codes = [each["code"] for each in found["reasons"] if each["code"].startswith("criteria_")]
        assert codes == ([f"criteria_{code}"] if code else [])
        if code == "removed":
            issues = json.loads(small.row3("--compare", "--against", "main", "--format", "codequality").out)
            assert "golden/bread/all.parquet" in {each["location"]["path"] for each in issues}


def test_recordings_are_written_as_lines(small: Box) -> None:
    file = recordings_as_parquet(small, "extract-v1.1")
    before = file.read_bytes()
    small.row3("recordings", "prune", code=0)
    assert file.read_bytes() == before
    answer = {"caseId": "rye", "prompt": "extract-v1.1", "response": json.dumps({"concepts": [], "relationships": []})}
    small.write("answers.jsonl", json.dumps(answer) + "\n")
    small.row3("recordings", "import", "answers.jsonl", code=0)
    assert not file.exists()
    kept = [each.read_text().splitlines() for each in small.path("recordings/bread").glob("*.jsonl")]
    held = sorted((line["caseId"], line["prompt"]) for lines in kept for line in map(json.loads, lines))
    assert held == sorted((case_id, f"extract-v{version}") for case_id in CASES for version in ("1.0", "1.1"))
    small.row3("recordings", "verify", code=0)


RYE = {"id": "rye", **CASES["rye"]}


@every_row(
    ("case", "message"),
    [
        ({**RYE, "id": None}, "golden/bread/all.parquet, row 2: field `id`"),
        ({**RYE, "expectedConcept": "salt"}, "golden/bread/all.parquet, row 2: "),
        (RYE, "golden/bread/all.parquet, row 2: the id `rye` is already used by golden/bread/all.parquet, row 1"),
        ({**RYE, "source": date(2026, 1, 1)}, "golden/bread/all.parquet, row 2: the row is not JSON: "),
        ({**RYE, "source": float("nan")}, "golden/bread/all.parquet, row 2: the row is not JSON: "),
    ],
)
def test_a_faulty_row_of_cases_is_named(small: Box, case: dict[str, Any], message: str) -> None:
    for path in small.path("golden/bread").glob("*.json"):
        path.unlink()
    table(small.path("golden/bread/all.parquet"), [RYE, case])
    assert message in small.row3(code=2).err
    found = small.row3("lint", code=2)
    assert "golden/bread/all.parquet:2 " in found.out or message in found.err


@every_row(
    ("outputs", "message"),
    [
        ([{"caseId": "rye", "output": "{}"}, {"caseId": "rye", "output": "{}"}], "occurs twice, in rows 1 and 2"),
        ([{"caseId": "rye", "output": "{}"}, {"id": "oven", "output": "{}"}], "row 2: field `caseId` is missing"),
        ([{"caseId": "rye", "output": "{}"}, {"caseId": "rice", "output": "{}"}], "row 2: `rice` is not a golden case"),
        ([{"caseId": "rye"}], "row 1: the line has neither an `output` nor an `error`"),
    ],
)
def test_a_faulty_row_of_outputs_is_named(small: Box, outputs: list[dict[str, Any]], message: str) -> None:
    table(small.path("outputs.parquet"), outputs)
    error = small.row3("score", "bread", "--outputs", "outputs.parquet", code=2).err
    assert "outputs.parquet, row" in error
    assert message in error


def test_a_file_that_is_no_parquet_and_a_missing_pyarrow_are_told(small: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    small.write("outputs.parquet", json.dumps({"caseId": "rye", "output": {}}))
    score = "score", "bread", "--outputs", "outputs.parquet"
    assert "outputs.parquet: this is not a readable Parquet file" in small.row3(*score, code=2).err
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "Parquet files need pyarrow. pip install 'row3[scale]'" in small.row3(*score, code=2).err
