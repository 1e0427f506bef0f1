"""Cases as Parquet: those of large saved runs, and rows that others wrote; through pyarrow, the extra `row3[scale]`.

`docs/scale.md` has the schema of saved runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from row3.errors import InvalidFile, MissingExtra

PARQUET = ".parquet"
MANY_CASES = 10_000
"""Cases above which a run is saved as Parquet, if pyarrow is installed."""
ROWS = 5_000
"""Rows of a row group, and rows in memory."""
SCHEMA_VERSION = 1
INSTALL = "pip install 'row3[scale]'"
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


def records_in(path: Path, *, where: str) -> Iterator[dict[str, Any]]:
    """Yield the case records of a file that `records_as_parquet` wrote, as JSON objects.

    Raises `InvalidFile`, `MissingExtra`.
    """
    for row in _rows(path, where):
        record = {key: value for key, value in row.items() if value is not None}
        for key in ("metrics", "spread"):
            record[key] = {name: value for name, value in record.get(key, {}).items() if value is not None}
        record["found"] = dict(record.get("found", ()))
        record["tally"] = {group: dict(counts) for group, counts in record.get("tally", ())}
        record["spent"] = [tuple(each[name] for name in SPENT) for each in record.get("spent", ())]
        yield record


def _rows(path: Path, where: str) -> Iterator[dict[str, Any]]:
    pa, pq = _pyarrow()
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        what = f"this is not a readable Parquet file ({error})"
        raise InvalidFile(what, where=where, fix="Restore the file, or delete it with its run") from None
