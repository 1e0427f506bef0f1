"""Read CSV and JSON Lines as cases of any kind."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from row3.commands.importing.drafts import Draft, Drafts
from row3.domain.models import Model, choices, item_in, keys_of, models_in
from row3.errors import InvalidFile, UsageError
from row3.kinds.base import Kind
from row3.kinds.checks.model import TYPES, ChecksCase
from row3.project.cases import ID_KEYS
from row3.project.files import decode, read_bytes
from row3.project.json_lines import LineFile, parse_line

SHAPE = 'Write a golden case a line, or {"input": …, "expected": …}'
CASE_COLUMNS = ("id", "tags")
"""Columns that are fields of the case, not part of its input."""
PAIR = frozenset({"id", "input", "expected", "tags"})
ASSERTION = re.compile(
    r"((?:not-)?(?:equals|i?contains(?:-all|-any)?|starts-with|regex|(?:is|contains)-(?:json|xml|html|sql)|is-refusal"
    r"|cost|latency|similar|llm-rubric|grade|g-eval|factuality|model-graded-\w+|answer-relevance|context-[a-z]+"
    r"|classifier|moderation|javascript|fn|eval|python|webhook|levenshtein|rouge-n|bleu|gleu|meteor|perplexity"
    r"|perplexity-score|word-count|is-valid-[a-z-]+|select-best|max-score|guardrails|pi))"
    r"(?:\((\d{0,9}\.?\d{1,9})\))?(?::\s*(.*))?",
    re.DOTALL,
)
"""promptfoo's assertion in a cell: `contains: Paris`, `similar(0.8): Paris`, `is-json`."""
WITHOUT_VALUE = ("is-json", "contains-json", "cost", "latency")
"""Types of assertion that need no value."""
ALIASES = {"grade": "llm-rubric", "fn": "javascript", "eval": "javascript"}


class Row(NamedTuple):
    """A row of a table."""

    where: str
    """File and line."""
    cells: dict[str, str]
    """Text by column name."""


def read_rows(file: Path) -> Iterator[Row]:
    """Yield the rows of a CSV file with a header. Raises `InvalidFile` that names the line."""
    where = str(file)
    reader = csv.reader(io.StringIO(decode(read_bytes(file, where=where), where=where), newline=""), strict=True)
    line, header = 1, None
    try:
        for row in reader:
            if header is None:
                header = [name.strip() for name in row]
                if "" in header:
                    raise InvalidFile("a column has no name", where=f"{where}:1", fix="Name every column")
                if twice := next((name for name in header if header.count(name) > 1), None):
                    raise InvalidFile(f"two columns are called `{twice}`", where=f"{where}:1", fix="Rename one")
            elif row and len(row) != len(header):
                what = f"the row has {len(row)} cells, but the header has {len(header)}"
                fix = "Put cells that contain a comma in quotes"
                if len(header) == 1 and ";" in header[0]:
                    fix = "Separate columns with commas, not semicolons"
                raise InvalidFile(what, where=f"{where}:{line}", fix=fix)
            elif row:
                yield Row(f"{where}:{line}", dict(zip(header, row, strict=True)))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidFile(f"not CSV: {error}", where=f"{where}:{line}", fix="Correct the line") from None


def test_of(row: Row) -> dict[str, Any]:
    """Return a row as promptfoo's test: `__expected` columns are its assertions, columns without `__` its variables."""
    test: dict[str, Any] = {"vars": {}, "assert": []}
    for name, cell in row.cells.items():
        if not name.startswith("__"):
            test["vars"][name] = cell
        elif re.fullmatch(r"__expected\d*", name):
            test["assert"] += [assertion_of(cell)] if cell.strip() else []
        elif cell.strip():
            test[name.removeprefix("__")] = cell
    return test


def assertion_of(cell: str) -> dict[str, Any]:
    """Return promptfoo's assertion in a cell; any other text is the expected answer."""
    found = ASSERTION.fullmatch(cell.strip())
    if found is None or (found[3] is None and found[1] not in WITHOUT_VALUE):
        return {"type": "equals", "value": cell}
    assertion: dict[str, Any] = {"type": ALIASES.get(found[1], found[1])}
    if found[2] is not None:
        assertion["threshold"] = float(found[2])
    return assertion | ({"value": found[3]} if found[3] else {})


def read_csv(file: Path, expected: str | None, check: str, at: str | None) -> Drafts:
    """Return the rows of a table as cases of kind checks. Raises `InvalidFile`, `UsageError`.

    Args:
        expected: the column with the expected answer; the others are the input.
        check: the type of check to make of it.
        at: JSON path of the part of the answer to check.
    """
    drafts = Drafts()
    if expected is not None:
        refuse_unknown(check)
    for row in read_rows(file):
        wanted: dict[str, Any] = {"checks": []}
        if expected is not None:
            if expected not in row.cells:
                fix = f"Columns: {', '.join(row.cells)}"
                raise UsageError(f"there is no column `{expected}`", where="--expected", fix=fix)
            answer = row.cells.pop(expected)
            if not answer.strip():
                raise InvalidFile(f"`{expected}` is empty", where=row.where, fix="Fill it, or remove the row")
            wanted = {"expected": answer, "checks": [_check(check, answer, at)]}
        own = {key: row.cells.pop(key) for key in CASE_COLUMNS if key in row.cells}
        value = _fields(own, ChecksCase, row.where) | {"input": row.cells, **wanted}
        drafts.cases.append(Draft(row.where, value))
    return drafts


def read_columns(file: Path, kind: Kind) -> Drafts:
    """Return the rows of a table as cases of a kind, each column a field of the case; empty cells are left out.

    A list is JSON, or texts separated by semicolons; in a list of objects, each text is an object's first field.
    Raises `InvalidFile`.
    """
    drafts = Drafts()
    model: type[Model] = kind.case_model
    needed = [key for key, field in keys_of(model).items() if field.is_required() and key not in ID_KEYS]
    for row in read_rows(file):
        if missing := next((key for key in needed if key not in row.cells), None):
            what = f"there is no column `{missing}`, and a case of kind `{kind.name}` needs it"
            fix = f"Columns: {', '.join(row.cells)}. Add it, or choose another suite or kind"
            raise InvalidFile(what, where=f"{file}:1", fix=fix)
        drafts.cases.append(Draft(row.where, _fields(row.cells, model, row.where)))
    return drafts


def _fields(cells: dict[str, str], model: type[Model], where: str) -> dict[str, Any]:
    types = {key: field.annotation for key, field in keys_of(model).items()}
    found = {}
    for key, cell in cells.items():
        if text := cell.strip():
            try:
                found[key] = _field(text, types.get(key, str))
            except ValueError as error:
                raise InvalidFile(f"column `{key}` is not JSON: {error}", where=where, fix="Correct the cell") from None
    return found


def _field(cell: str, annotation: Any) -> Any:
    """Return a cell as a value of this type if possible, else its text. Raises `ValueError` for broken JSON."""
    item = item_in(annotation)
    if str in choices(annotation):
        return cell
    if cell[0] in "[{":
        return json.loads(cell)
    if item is not None:
        texts, model = [text.strip() for text in cell.split(";") if text.strip()], next(iter(models_in(item)), None)
        return texts if model is None else [{next(iter(keys_of(model))): text} for text in texts]
    with suppress(ValueError):
        return json.loads(cell.lower() if cell.lower() in ("true", "false") else cell)
    return cell


def read_lines(file: Path, shape: str = "Write a golden case a line") -> Drafts:
    """Return the lines of a file, each a golden case, as cases. Raises `InvalidFile`."""
    lines = LineFile(file, where=str(file), fix=shape)
    return Drafts([Draft(spot.place, parse_line(raw, where=spot.place, shape=shape)) for spot, raw in lines])


def read_jsonl(file: Path, check: str, at: str | None) -> Drafts:
    """Return the lines of a file as cases of kind checks: golden cases, or pairs of input and expected answer.

    Raises `InvalidFile`, `UsageError`.
    """
    refuse_unknown(check)
    drafts = read_lines(file, SHAPE)
    for draft in drafts.cases:
        if "checks" not in draft.value:
            if draft.value.keys() - PAIR or "input" not in draft.value:
                raise InvalidFile("the line is neither a case nor a pair", where=draft.where, fix=SHAPE)
            draft.value["checks"] = [_check(check, draft.value["expected"], at)] if "expected" in draft.value else []
    return drafts


def _check(check: str, wanted: Any, at: str | None) -> dict[str, Any]:
    return {check: wanted} if at is None else {check: wanted, "path": at}


def refuse_unknown(check: str) -> None:
    """Raise `UsageError` for an unknown type of check."""
    if check not in TYPES:
        raise UsageError(f"there is no check `{check}`", where="--check", fix=f"Checks: {', '.join(TYPES)}")
