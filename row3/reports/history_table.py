"""`row3 history` on a terminal: one run a line, newest last, and what it changed beneath it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from row3.domain.tiers import Tier, tier_of
from row3.domain.verdicts import Verdict
from row3.reports import numbers
from row3.reports.charting.charts import sparkline
from row3.reports.model import HistoryView
from row3.reports.style import VERDICT_MARKS, WIDTH, YELLOW, Style, arrow, plain, shorten, visible
from row3.reports.terminal import table

SHOWN = 20
SPARKS = 40
BESIDE = 72
"""Columns of the widest row without its score."""
LEGEND = "▲ better  ▼ worse; percentage points against the baseline until then"
BASELINES = ("baseline", "promotion")
"""Actions after which a suite has another baseline."""


def history_table(
    entries: Sequence[HistoryView],
    *,
    primary: str = "overall",
    colour: bool = False,
    verbose: bool = False,
    width: int = WIDTH,
    action: str | None = None,
    last: int | None = None,
    flag: str = "",
) -> str:
    """The last runs (all when verbose), at most `width` columns wide.

    A line's points are against the baseline that was in force when it ran: a comparison's against what it was compared
    with, a new baseline's or a promotion's against the one it replaced.

    Args:
        entries: the whole history.
        action, last: show only these of it.
        flag: what a command has to be given to be about the suite.
    """
    style = Style(colour, width)
    both = zip(entries, _in_force(entries), strict=True)
    kept = [(entry, baseline) for entry, baseline in both if action is None or entry.action == action][-(last or 0) :]
    entries, held = [entry for entry, _ in kept], [baseline for _, baseline in kept]
    if not entries:
        return f"No history yet: row3 --baseline{visible(flag)}, --compare and promote write it.\n"
    before = _previous(entries)
    first = 0 if verbose else max(0, len(entries) - SHOWN)
    shown = range(first, len(entries))
    rows = [_row(entries[i], held[i], primary, style) for i in shown]
    named = primary if len(primary) <= width - BESIDE else "score"  # the line of the trend has its name
    lines = table(("when (UTC)", "action", named, "points  ", "verdict", "commit"), rows, "llrrll", style)
    suites = len({entry.suite for entry in entries}) > 1
    out = [*_trends(entries, primary, style), ""]
    if first:
        out += [style.dim(f"{first:,} earlier (-v shows all)"), ""]
    out += lines[:2]
    for line, i in zip(lines[2:], shown, strict=True):
        out.append(line)
        for text in _notes(entries[i], before[i], suites=suites):
            out += [style.dim(each) for each in style.wrap(text, first=" " * 18)]
    if any(held[i] is not None for i in shown):
        out += ["", *(style.dim(line) for line in style.wrap(LEGEND))]
    return "\n".join(out) + "\n"


def _previous(entries: Sequence[HistoryView]) -> list[HistoryView | None]:
    """For each entry the one before it of the same suite."""
    last: dict[str, HistoryView] = {}
    found: list[HistoryView | None] = []
    for entry in entries:
        found.append(last.get(entry.suite))
        last[entry.suite] = entry
    return found


def _in_force(entries: Sequence[HistoryView]) -> list[HistoryView | None]:
    """For each entry the baseline that its suite had until then; of live answers the live one, where there is one."""
    baselines: dict[tuple[str, Tier], HistoryView] = {}
    found: list[HistoryView | None] = []
    for entry in entries:
        own = (entry.suite, tier_of(entry.mode))
        makes_one = entry.action in BASELINES
        found.append(baselines.get(own) or (None if makes_one else baselines.get((entry.suite, "replay"))))
        if makes_one:
            baselines[own] = entry
    return found


def _trends(entries: Sequence[HistoryView], primary: str, style: Style) -> list[str]:
    """A sparkline for each suite."""
    lines = []
    for suite in dict.fromkeys(entry.suite for entry in entries):
        values = [e.metrics[primary] for e in entries if e.suite == suite and primary in e.metrics]
        if values:
            ends = f"{numbers.percent(values[0])} → {numbers.percent(values[-1])}" if len(values) > 1 else ""
            name = style.bold(shorten(plain(suite), 26))
            lines.append(f"{name}  {primary}  {sparkline(values[-SPARKS:])}  {ends}".rstrip())
    return lines


def _row(entry: HistoryView, baseline: HistoryView | None, primary: str, style: Style) -> list[str]:
    value = entry.metrics.get(primary)
    earlier = None if baseline is None else baseline.metrics.get(primary)
    delta = None if value is None or earlier is None else value - earlier
    good = None if delta is None or abs(delta) < 5e-4 else delta > 0
    words = {verdict.word: verdict for verdict in Verdict}
    judged = style.verdict(words[entry.verdict]) if entry.verdict in words else style.dim("–")
    if entry.approval is not None:
        judged = style.paint(f"{VERDICT_MARKS[Verdict.INVESTIGATE]} approved", YELLOW)
    commit = plain(entry.commit or "")[:7] or "–"
    return [
        numbers.moment(plain(entry.at)),
        style.bold(entry.action) if entry.action == "promotion" else plain(entry.action),
        "–" if value is None else numbers.percent(value),
        "" if delta is None else style.moved(f"{numbers.points(delta)} {arrow(good)}", good),
        judged,
        f"{commit}{' + edits' if entry.dirty else ''}",
    ]


def _notes(entry: HistoryView, before: HistoryView | None, *, suites: bool) -> Iterable[str]:
    """What ran, where it is not what ran before; and an approval."""
    parts = [plain(entry.suite)] if suites else []
    old = {} if before is None else before.prompts
    parts += [plain(f"{name} {version}") for name, version in entry.prompts.items() if old.get(name) != version]
    parts += [plain(f"{name} removed") for name in old if name not in entry.prompts]
    if before is None or before.model != entry.model:
        parts.append(plain(entry.model))
    if parts[suites:]:
        yield " · ".join(parts)
    elif suites:
        yield parts[0]
    if entry.approval is not None:
        yield f"approved by {plain(entry.approval.by)}: {plain(entry.approval.reason)}"
