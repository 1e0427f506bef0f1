"""CSV and JSON Lines: rows, promptfoo's cells, and the line of every fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from row3.commands.importing.tables import assertion_of, read_csv, read_jsonl, read_rows
from row3.errors import InvalidFile, UsageError
from tests.rows import every_row

CELLS = [
    ("Paris", {"type": "equals", "value": "Paris"}),
    ("equals: Paris", {"type": "equals", "value": "Paris"}),
    ("contains: a: b", {"type": "contains", "value": "a: b"}),
    ("not-icontains:x", {"type": "not-icontains", "value": "x"}),
    ("contains-any: a, b", {"type": "contains-any", "value": "a, b"}),
    ("similar(0.8): x", {"type": "similar", "value": "x", "threshold": 0.8}),
    ("latency(900)", {"type": "latency", "threshold": 900.0}),
    ("is-json", {"type": "is-json"}),
    ("grade: is kind", {"type": "llm-rubric", "value": "is kind"}),
    ("fn: output === 1", {"type": "javascript", "value": "output === 1"}),
    ("warning: wet floor", {"type": "equals", "value": "warning: wet floor"}),
    ("contains", {"type": "equals", "value": "contains"}),
    ("Contains: x", {"type": "equals", "value": "Contains: x"}),
]


@every_row(("cell", "wanted"), CELLS)
def test_a_cell_is_an_assertion_or_the_answer(cell: str, wanted: dict[str, Any]) -> None:
    assert assertion_of(cell) == wanted


def rows(tmp_path: Path, content: str) -> list[tuple[str, dict[str, str]]]:
    file = tmp_path / "t.csv"
    file.write_bytes(content.encode())
    return [(row.where.removeprefix(str(file)), row.cells) for row in read_rows(file)]


def test_a_row_is_named_by_its_first_line(tmp_path: Path) -> None:
    text = '\ufeffa, b\r\n"one\r\ntwo",2\r\n\r\n"x ""y""",\r\n'
    assert rows(tmp_path, text) == [(":2", {"a": "one\ntwo", "b": "2"}), (":5", {"a": 'x "y"', "b": ""})]


@every_row(
    ("content", "line", "message"),
    [
        ("a,b\n1,2,3\n", 2, "the row has 3 cells, but the header has 2"),
        ("a,b\n1,2\n1\n", 3, "the row has 1 cells"),
        ("a;b\n1;2,5\n", 2, "Separate columns with commas, not semicolons"),
        ('a\n1\n"2\n', 3, "not CSV"),
        ('a\n"1"x\n', 2, "not CSV"),
        ("a,a\n", 1, "two columns are called `a`"),
        ("a,\n", 1, "a column has no name"),
    ],
)
def test_a_broken_table_names_the_line(tmp_path: Path, content: str, line: int, message: str) -> None:
    with pytest.raises(InvalidFile) as caught:
        rows(tmp_path, content)
    assert message in f"{caught.value.what}. {caught.value.fix}"
    assert caught.value.where.endswith(f"t.csv:{line}")


def test_a_column_says_what_is_expected(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("question,answer\nWhere?,Here\n")
    (draft,) = read_csv(file, "answer", "contains", None).cases
    assert draft.value == {"input": {"question": "Where?"}, "expected": "Here", "checks": [{"contains": "Here"}]}
    with pytest.raises(UsageError, match="no column `reply`"):
        read_csv(file, "reply", "contains", None)
    with pytest.raises(UsageError, match="no check `holds`"):
        read_csv(file, "answer", "holds", None)
    file.write_text("question,answer\nWhere?, \n")
    with pytest.raises(InvalidFile, match="`answer` is empty"):
        read_csv(file, "answer", "contains", None)


def test_a_line_is_a_case_or_a_pair(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    whole = '{"id": "a", "input": 1, "checks": [{"max_words": 2}], "critical": true}'
    file.write_text(whole + '\n\n{"input": {"x": 1}, "expected": [1], "tags": ["t"]}\n')
    one, two = read_jsonl(file, "equals", None).cases
    assert one.value == {"id": "a", "input": 1, "checks": [{"max_words": 2}], "critical": True}
    assert two.value == {"input": {"x": 1}, "expected": [1], "tags": ["t"], "checks": [{"equals": [1]}]}
    assert two.where == f"{file}:3"


@every_row("line", ["{", "[]", '{"expected": 1}', '{"input": 1, "expected": 1, "x": 1}'])
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(f'{{"input": 1, "expected": 2}}\n{line}\n')
    with pytest.raises(InvalidFile) as caught:
        read_jsonl(file, "equals", None)
    assert caught.value.where == f"{file}:2"


@every_row("number", ["0.8.1", ".", "9" * 400])
def test_a_threshold_that_is_no_number_makes_a_text(number: str) -> None:
    assert assertion_of(f"similar({number}): x") == {"type": "equals", "value": f"similar({number}): x"}
    assert assertion_of("similar(0.8): x") == {"type": "similar", "threshold": 0.8, "value": "x"}
