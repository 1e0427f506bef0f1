"""Parquet files, through pyarrow, the extra `row3[scale]`: cases of large saved runs, and rows that others wrote.

`docs/scale.md` has the schema of saved runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from io import BytesIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import Any, BinaryIO

from row3.errors import EnvironmentFault, InvalidFile, MissingExtra
from row3.project.documents import dump_line, parse_json

PARQUET = ".parquet"
MAGIC = b"PAR1"
"""The first bytes of a Parquet file."""
MANY_CASES = 10_000
"""Cases above which a run is saved as Parquet, if pyarrow is installed."""
ROWS = 5_000
"""Rows of a row group, and rows in memory."""
SCHEMA_VERSION = 1
INSTALL = "pip install 'row3[scale]'"
RESTORE = "Restore the file, or delete it with its run"
SPENT = (
    *("model", "promptTokens", "completionTokens", "latencyS", "replayed", "truncated", "by"),
    *("cachedTokens", "reasoningTokens"),
)
"""Names of a `spent` entry, a list in JSON."""


def has_parquet() -> bool:
    """Return whether pyarrow is installed, without importing it."""
    return find_spec("pyarrow") is not None


def _pyarrow() -> tuple[Any, Any]:
    if not has_parquet():
        raise MissingExtra("Parquet files need pyarrow", fix=INSTALL)
    import pyarrow
    import pyarrow.parquet

    return pyarrow, pyarrow.parquet


def _schema(pa: Any, metrics: Sequence[str], run_id: str) -> Any:
    texts, whole = pa.list_(pa.string()), pa.int64()
    values = pa.struct([pa.field(key, pa.float64()) for key in metrics])
    kinds = dict.fromkeys(SPENT, whole) | dict.fromkeys(("model", "by"), pa.string())
    kinds |= {"latencyS": pa.float64(), "replayed": pa.bool_(), "truncated": pa.bool_()}
    columns = {
        "id": pa.string(),
        "digest": pa.string(),
        "status": pa.string(),
        "metrics": values,
        "found": pa.map_(pa.string(), texts),
        "answers": pa.string(),
        "spread": values,
        "tally": pa.map_(pa.string(), pa.map_(pa.string(), whole)),
        "requests": texts,
        "answerDigests": texts,
        "problem": pa.string(),
        "spent": pa.list_(pa.struct([pa.field(name, kinds[name]) for name in SPENT])),
    }
    about = {"row3.schemaVersion": str(SCHEMA_VERSION), "row3.runId": run_id}
    return pa.schema([pa.field(name, each) for name, each in columns.items()], metadata=about)


def records_as_parquet(lines: Iterable[bytes], metrics: Sequence[str], run_id: str) -> Iterator[bytes]:
    """Yield a Parquet file of case records, piece by piece. Raises `MissingExtra`."""
    pa, pq = _pyarrow()
    schema, sink, left = _schema(pa, metrics, run_id), BytesIO(), iter(lines)
    with pq.ParquetWriter(_Written(sink), schema, compression="zstd") as writer:
        while rows := [_row(json.loads(line)) for line in islice(left, ROWS)]:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            yield sink.getvalue()
            sink.seek(0)
            sink.truncate()
    yield sink.getvalue()


class _Written:
    """A file that is only written: its place counts what was taken from the buffer, too."""

    closed = False

    def __init__(self, buffer: BytesIO) -> None:
        self._buffer, self._place = buffer, 0

    def write(self, data: Any) -> int:
        self._place += len(data)
        return self._buffer.write(data)

    def tell(self) -> int:
        return self._place

    def flush(self) -> None: ...

    def close(self) -> None: ...


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    tally = [(group, list(counts.items())) for group, counts in record.get("tally", {}).items()]
    spent = [dict(zip(SPENT, each, strict=True)) for each in record.get("spent", ())]
    return {**record, "found": list(record["found"].items()), "tally": tally, "spent": spent}


def records_in(source: Path | BinaryIO, *, where: str) -> Iterator[dict[str, Any]]:
    """Yield the case records of a file that `records_as_parquet` wrote, as JSON objects.

    Raises `InvalidFile`, `MissingExtra`.
    """
    for record in _rows(source, where, RESTORE):
        yield {**record, "spent": [tuple(map(each.get, SPENT)) for each in record["spent"]]}


def count_records(source: BinaryIO, *, where: str) -> int:
    """Return how many case records a file has, which only reads its end. Raises as `records_in`."""
    with _opened(source, where, RESTORE) as file:
        return int(file.metadata.num_rows)


def rows_as_lines(source: BinaryIO, *, where: str) -> BinaryIO:
    """Return a file on disk without a name that has each row as a line of JSON. Raises `InvalidFile`, `MissingExtra`.

    Lines are found again by their place; a row would be found only by reading its row group.
    """
    with ExitStack() as unless_whole:
        lines = unless_whole.enter_context(TemporaryFile())
        for number, row in enumerate(_rows(source, where, "Write it again as Parquet"), 1):
            try:
                lines.write(f"{dump_line(row)}\n".encode())
            except OSError as error:
                what = f"the rows of {where} cannot be unpacked ({error.strerror or error})"
                fix = "Free some space, or set TMPDIR to a folder on another disk"
                raise EnvironmentFault(what, where=gettempdir(), fix=fix) from None
            except (TypeError, ValueError) as error:
                fix = "Convert the column to text or to a number, or leave the value out"
                raise InvalidFile(f"the row is not JSON: {error}", where=f"{where}, row {number}", fix=fix) from None
        lines.seek(0)
        unless_whole.pop_all()
        return lines


def _rows(source: Path | BinaryIO, where: str, fix: str) -> Iterator[dict[str, Any]]:
    """Yield the rows as JSON objects; a null is a field that is absent, as a column has a value in every row."""
    pa, _ = _pyarrow()
    with _opened(source, where, fix) as file:
        rows = (row for batch in file.iter_batches(ROWS) for row in batch.to_struct_array())
        for number, row in enumerate(rows, 1):
            yield _as_json(pa, row.as_py(maps_as_pydicts="strict"), row.type, f"{where}, row {number}")


@contextmanager
def _opened(source: Path | BinaryIO, where: str, fix: str) -> Iterator[Any]:
    pa, pq = _pyarrow()
    try:
        with pq.ParquetFile(source, pre_buffer=False) as file:
            yield file
    except (pa.ArrowException, KeyError, OSError, ValueError) as error:
        raise InvalidFile(f"this is not a readable Parquet file ({error})", where=where, fix=fix) from None


def _as_json(pa: Any, value: Any, of: Any, where: str) -> Any:
    """Return a value without the nulls of structs, and the value of a text of Parquet's type JSON."""
    if isinstance(of, pa.JsonType) and isinstance(value, str):
        return parse_json(value, where=where)
    if isinstance(value, list):
        return [_as_json(pa, each, of.value_type, where) for each in value]
    if isinstance(value, dict):
        kinds = {} if pa.types.is_map(of) else {field.name: field.type for field in of}
        named = {key: (each, kinds.get(key) or of.item_type) for key, each in value.items()}
        return {key: _as_json(pa, each, kind, where) for key, (each, kind) in named.items() if each is not None}
    return value
