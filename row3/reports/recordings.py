"""`row3 recordings list | verify | prune | import` and `row3 cases import`, as text and as plain values for JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from row3.commands.importing.write import ImportedCases
from row3.commands.recordings.import_responses import Imported
from row3.commands.recordings.upkeep import FileSummary, RecordingFinding
from row3.domain.printable import plain, visible
from row3.domain.words import count
from row3.gate.suites import JudgedSuite
from row3.reports.document import Document, Note, Table, more

LONGEST, MOST = 40, 50
"""Characters shown of a value, and rows."""

HEADERS = ("prompt", "recordings", "cases", "size", "promoted", "candidate", "stale")
SHOWN = 50


def list_document(summaries: Sequence[FileSummary], *, flag: str = "") -> Document:
    """Return a row per prompt, the models, and the stale recordings; `flag` selects the suite in commands."""
    if not summaries:
        return Document([Note(["no recordings"])])
    rows = []
    for one in summaries:
        used = (one.promoted, one.candidate, one.stale)
        figures = (f"{one.count:,}", f"{len(one.cases):,}", size(one.bytes), *(f"{n:,}" if n else "–" for n in used))
        rows.append((one.prompt, *figures))
    by_models: dict[str, list[str]] = {}
    for one in summaries:
        if one.models:  # embeddings are not answers
            by_models.setdefault(", ".join(sorted(one.models)), []).append(one.prompt)
    notes = []
    for models, prompts in by_models.items():
        whose = "" if len(by_models) == 1 else f"{', '.join(prompts)}: "
        notes.append(f"{whose}answers of {models}")
    if stale := sum(one.stale for one in summaries):
        prune = f"`row3 recordings prune{flag}` removes them"
        notes.append(f"{stale:,} stale: no prompt version asks for them; {prune}")
    return Document([Table(HEADERS, rows, "l" + "r" * 6), Note(notes)])


def list_json(summaries: Sequence[FileSummary]) -> dict[str, Any]:
    """Return the list as plain values."""
    return {
        "schemaVersion": 1,
        "recordings": [asdict(one) | {"cases": len(one.cases), "models": sorted(one.models)} for one in summaries],
    }


def findings_text(findings: Sequence[RecordingFinding]) -> str:
    """Return findings one per line, errors first."""
    if not findings:
        return "all recordings are in order"
    ordered = sorted(findings, key=lambda finding: finding.level != "error")
    lines = [f"{one.where}: {one.level} [{one.rule}] {one.message}" for one in ordered[:SHOWN]]
    if len(ordered) > SHOWN:
        lines.append(f"… and {len(ordered) - SHOWN:,} more")
    errors = sum(1 for one in findings if one.level == "error")
    return "\n".join([*lines, f"{count(errors, 'error')}, {count(len(findings) - errors, 'warning')}"])


def findings_json(findings: Sequence[RecordingFinding]) -> dict[str, Any]:
    """Return the findings as plain values."""
    return {"schemaVersion": 1, "findings": [asdict(one) for one in findings]}


def pruned_text(removed: Mapping[str, int], kept: int, *, dry_run: bool) -> str:
    """Return what pruning removed, or would remove."""
    verb = "would be removed" if dry_run else "removed"
    lines = [f"{file}: {count(number, 'stale recording')} {verb}" for file, number in removed.items()]
    return "\n".join([*lines, f"{sum(removed.values()):,} {verb}, {kept:,} kept"])


def imported_text(done: Imported) -> str:
    """Return what an import did, and the models that the answers are attributed to."""
    lines = [
        f"{prompt}: {count(number, 'recording')}, as answers from {plain(done.models[prompt])}"
        for prompt, number in done.by_prompt.items()
    ]
    new, replaced, same = done.merged
    became = [
        count(new, "recording is new", "recordings are new") if new else "",
        count(replaced, "replaces an earlier answer", "replace an earlier answer") if replaced else "",
        count(same, "is unchanged", "are unchanged") if same else "",
    ]
    merged = ", ".join(filter(None, became)) or "none can be used"
    return "\n".join([*lines, f"{count(done.responses, 'response')} read: {merged}"])


def replaced_text(replaced: Sequence[str]) -> list[str]:
    """Return a hint for each promoted version with a replaced answer: its edited prompt needs a version of its own."""
    return [
        f"{ref} is promoted; for new answers to an edited prompt, use `row3 new-version {ref.rpartition('-v')[0]}`"
        for ref in replaced
    ]


def waiting_text(waiting: Mapping[str, int], suite: JudgedSuite) -> list[str]:
    """Return how many answers of later stages are now missing, and the command that shows their requests."""
    flags = visible(suite.flags("row3", "mode"))
    return [
        f"{count(missing, 'answer')} of {prompt} {'is' if missing == 1 else 'are'} missing, which depend on these: "
        f"`row3{flags} --dry-run --mode auto --format json` has the requests"
        for prompt, missing in waiting.items()
    ]


def size(count: int) -> str:
    """Return a size in bytes for people: 512 B, 13.4 kB, 2.1 MB."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def imported_document(done: ImportedCases, *, dry_run: bool) -> Document:
    """Return how many cases are new, other files written, and a row for each part left out."""
    verb = "would be written" if dry_run else "written"
    lines = [f"{count(len(done.new), 'golden case')} of suite {done.suite} {verb}, {len(done.unchanged):,} unchanged"]
    lines += [f"{path} {verb}" for path in done.written]
    rows = [(each.case or "–", each.type, _short(each.value), each.why) for each in done.not_imported]
    headers, left = ("not imported", "type", "value", "why"), more(len(rows) - MOST, how=" in not-imported.jsonl")
    table = [Table(headers, rows[:MOST], "llll", more=left)] if rows else []
    return Document([Note(lines), *table])


def kept_text(done: ImportedCases) -> Iterator[str]:
    """Yield the warning that something was left out."""
    if left_out := len(done.not_imported):
        what = count(left_out, "part of the file was", "parts of the file were")
        yield f"{what} not imported: see not-imported.jsonl beside the cases of suite {done.suite}"


def _short(value: Any) -> str:
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
