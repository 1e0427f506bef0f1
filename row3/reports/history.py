"""`row3 history`, one run per line, newest last, and `row3 lessons`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from row3.domain import numbers
from row3.domain.judgements import Verdict
from row3.domain.models import as_json
from row3.domain.printable import plain
from row3.domain.runs import HistoryEntry, Tier, tier_of
from row3.domain.scores import Metric
from row3.reports.document import Block, Document, Note, Span, Table, Text, strong
from row3.reports.spans import TONES, moved_span
from row3.reports.terminal import VERDICT_MARKS

if TYPE_CHECKING:
    from row3.comparing.lessons import Found

SHOWN = 20
LEGEND = "▲ better  ▼ worse; percentage points against the baseline at that time"
BASELINES = ("baseline", "promotion")
"""Actions that give a suite a new baseline."""


def history_document(
    entries: Sequence[HistoryEntry],
    metric: Metric,
    *,
    verbose: bool = False,
    action: str | None = None,
    last: int | None = None,
    flag: str = "",
) -> Document:
    """Return the last runs, all if verbose; `action` and `last` select from `entries`, the suite's whole history.

    Points are against the baseline at that time: of a comparison the one it used, of a new baseline or a promotion the
    one it replaced.
    """
    baselines: dict[Tier, HistoryEntry] = {}
    kept: list[tuple[HistoryEntry, HistoryEntry | None]] = []
    for entry in entries:
        tier, makes_one = tier_of(entry.mode), entry.action in BASELINES
        if action is None or entry.action == action:
            # Live answers compare with the live baseline, if there is one.
            kept.append((entry, baselines.get(tier) or (None if makes_one else baselines.get("replay"))))
        if makes_one:
            baselines[tier] = entry
    kept = kept[-(last or 0) :]
    if not kept:
        return Document([Note([f"No history yet: row3 --baseline{flag}, --compare and promote write it."])])
    first = 0 if verbose else max(0, len(kept) - SHOWN)
    shown = [entry for entry, _ in kept]
    under = [list(_notes(entry, before)) for entry, before in zip(shown, [None, *shown[:-1]], strict=True)]
    blocks: list[Block] = [Note([f"{shown[0].suite} · {metric.title}"])]
    if first:
        blocks.append(Note([f"{first:,} earlier (-v shows all)"], "quiet"))
    rows = [_row(entry, baseline, metric) for entry, baseline in kept[first:]]
    heads = ("when (UTC)", "action", "score", "points  ", "verdict", "commit")
    blocks.append(Table(heads, rows, "llrrll", under=under[first:]))
    if any(baseline is not None for _, baseline in kept[first:]):
        blocks.append(Note([LEGEND], "quiet"))
    return Document(blocks)


def _row(entry: HistoryEntry, baseline: HistoryEntry | None, metric: Metric) -> list[Text]:
    value = entry.metrics.get(metric.key)
    earlier = None if baseline is None else baseline.metrics.get(metric.key)
    commit = plain(entry.commit or "")[:7] or "–"
    return [
        numbers.moment(entry.at),
        strong(entry.action) if entry.action == "promotion" else entry.action,
        "–" if value is None else numbers.percent(value),
        "" if value is None or earlier is None else moved_span(metric, value - earlier),
        _verdict(entry),
        f"{commit}{' + edits' if entry.dirty else ''}",
    ]


def _verdict(entry: HistoryEntry) -> Span:
    if entry.approval is not None:
        return Span(f"{VERDICT_MARKS[Verdict.INVESTIGATE]} approved", "warning")
    verdict = next((verdict for verdict in Verdict if verdict.word == entry.verdict), None)
    return Span("–", "quiet") if verdict is None else Span(f"{VERDICT_MARKS[verdict]} {verdict.word}", TONES[verdict])


def _notes(entry: HistoryEntry, before: HistoryEntry | None) -> Iterator[str]:
    old = {} if before is None else before.prompts
    parts = [f"{name} {version}" for name, version in entry.prompts.items() if old.get(name) != version]
    parts += [f"{name} removed" for name in old if name not in entry.prompts]
    if before is None or before.model != entry.model:
        parts.append(entry.model)
    if before is not None and before.scored != entry.scored:
        parts.append("golden cases or scorer changed")
    if parts:
        yield " · ".join(parts)
    if entry.approval is not None:
        yield f"approved by {entry.approval.by}: {entry.approval.reason}"


def lessons_json(found: Sequence[Found]) -> dict[str, Any]:
    """Return the lessons as JSON."""
    return {"schemaVersion": 1, "lessons": [as_json(each.lesson) | {"kept": each.kept} for each in found]}


def lessons_text(found: Sequence[Found], query: str) -> str:
    """Return the lessons, each with its most frequent errors by name."""
    if not found:
        return f"no lesson matches `{query}`" if query else "no lessons yet: no regression has blocked a comparison"
    return "\n\n".join(map(_lesson_text, found))


def _lesson_text(found: Found) -> str:
    lesson = found.lesson
    kept = " · kept" if found.kept else ""
    lines = [f"{lesson.id} · {lesson.metadata.timestamp[:10]}{kept}", *lesson.information.splitlines()]
    common = [f"By name: {'; '.join(lesson.common)}."] if lesson.common else []
    return "\n  ".join([*lines, *common]).replace("\n  \n", "\n\n")
