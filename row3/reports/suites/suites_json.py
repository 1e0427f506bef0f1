"""All suites as one JSON document: each as it is alone, in a list."""

from __future__ import annotations

import json
from collections.abc import Iterator

from row3.reports.result_json import result_json
from row3.reports.suites.suites_model import Judged, Ran, SuiteResult, SuitesReport, standing

SCHEMA_VERSION = 1


def suites_json(report: SuitesReport) -> Iterator[bytes]:
    """The text, piece by piece: `schemaVersion`, `verdict` (null where nothing was judged), `exitCode`, `suites`."""
    head = {
        "schemaVersion": SCHEMA_VERSION,
        "verdict": report.verdict.word if report.judged else None,
        "exitCode": report.exit_code,
        "standings": {result.suite: standing(result) for result in report.results if standing(result) != "none"},
    }
    yield f'{json.dumps(head, ensure_ascii=False, indent=1).removesuffix("}").rstrip()},\n"suites": ['.encode()
    between = b"\n"
    for result in report.results:
        yield between
        yield from _one(result)
        between = b",\n"
    yield b"\n]}\n"


def _one(result: SuiteResult) -> Iterator[bytes]:
    """The document of one suite; of one that could not be run, its name and why."""
    if isinstance(result, Judged):
        pieces = result_json(result.comparison.run, result.comparison)
    elif isinstance(result, Ran):
        pieces = result_json(result.run, declines=result.declines)
    else:
        why = result.note if hasattr(result, "note") else result.problem
        value = {"schemaVersion": SCHEMA_VERSION, "suite": result.suite, "verdict": None, "problem": why}
        yield json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
        return
    held = b""
    for piece in pieces:  # the document's own end of line would stand before the comma
        yield held
        held = piece
    yield held.rstrip(b"\n")
