"""The comment on a pull request: one screen, however many suites, cases and reasons there are."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain.changes import MetricChange
from row3.domain.metrics import Metric
from row3.domain.verdicts import CaseChange, Verdict
from row3.reports import numbers
from row3.reports.advice import looks_like, summary, verdict_word, what_next
from row3.reports.cases.case_changes import MOST_RELATIONSHIPS, after_values, flips, movement
from row3.reports.headline import shown_metrics, title_of, what_runs
from row3.reports.markdown import code, grid, inline
from row3.reports.markdowns.markdown import SIGNS
from row3.reports.model import ComparisonView
from row3.reports.style import plain, shorten
from row3.reports.suites.suites_model import Broken, Gone, Judged, Ran, Standing, SuiteResult, standing
from row3.reports.told_reasons import told_reasons

MOST_BYTES = 6_000
"""Of the whole comment; GitHub takes 65,536 characters, a screen far less."""
METRICS, REASONS, CASES, ITEMS, SUITES, OTHERS = 6, 4, 5, 4, 20, 4
"""How many rows, lines and names are shown before the rest is only counted."""
ITEM_ROOM, LINE_ROOM = 40, 220
"""Columns of one name and of one sentence."""
LEAST_MOVE = 5e-4
"""What rounds to 0.0 points did not move."""
UNKNOWN = "❔"


BADNESS: tuple[Standing, ...] = (
    "none",
    "proceed",
    "investigate",
    "informational",
    "approved",
    "block",
    "incomplete",
    "unusable",
)
"""What cannot be judged is the worst; what a change only begins to have hides nothing else."""
NO_VERDICT = ("none", "incomplete", "unusable")


def comment_markdown(results: Sequence[SuiteResult], *, more: str = "") -> str:
    """The comment: the worst verdict first, then the suites; nothing in it comes alive on GitHub.

    Args:
        results: what the gate says, suite by suite.
        more: where the whole report is, such as the address of the run; a plain `https` address.
    """
    ordered = sorted(results, key=_badness, reverse=True)
    parts = [_one(ordered[0])] if len(ordered) == 1 else [_overview(ordered), *_worst(ordered)]
    text = _bounded([line for part in parts for line in (*part, "")])
    return f"{text}\n<sub>The whole report: <{more}></sub>\n" if more else text


def _bounded(lines: list[str]) -> str:
    """Whole lines up to the limit, and a word where some are left out."""
    kept: list[str] = []
    size = 0
    for line in lines:
        size += len(line.encode("utf-8", "replace")) + 1
        if size > MOST_BYTES:
            kept += ["", "… the rest is in the job's summary."]
            break
        kept.append(line)
    return "\n".join(kept).rstrip() + "\n"


def _badness(one: SuiteResult) -> tuple[int, float]:
    """By what became of it, then by the loss."""
    change = _primary(one.comparison) if isinstance(one, Judged) else None
    return BADNESS.index(standing(one)), 0.0 if change is None else -(change.delta or 0.0)


def _primary(comparison: ComparisonView) -> MetricChange | None:
    primary = comparison.run.suite.kind.primary
    return next((change for change in comparison.metrics if change.key == primary), None)


def _sign(one: SuiteResult) -> str:
    word = standing(one)
    if word in NO_VERDICT:
        return UNKNOWN
    if isinstance(one, Judged):
        return SIGNS[looks_like(one.comparison)]
    return SIGNS[Verdict.BLOCK if one.exit_code else Verdict.INVESTIGATE]


def _word(one: SuiteResult) -> str:
    word = standing(one)
    if isinstance(one, Judged):
        return f"{verdict_word(one.comparison)}{', informational' if word == 'informational' else ''}"
    return {"block": "BLOCK", "approved": "BLOCK, approved"}.get(word, "NOT JUDGED")


def _short(text: str) -> str:
    return inline(shorten(plain(text), LINE_ROOM))


def _why(one: SuiteResult) -> str:
    """The first that there is to say of a suite, in a sentence."""
    if isinstance(one, Judged):
        return next((each.text for each in told_reasons(one.comparison)), summary(one.comparison))
    if isinstance(one, Broken | Gone):
        return one.problem
    return "" if isinstance(one, Ran) else one.note


def _one(result: SuiteResult, *, level: str = "###") -> list[str]:
    head = [f"{level} {_sign(result)} {_word(result)} · row3 · {inline(result.suite)}", ""]
    if not isinstance(result, Judged):
        signing = [f"> Next: {_short(result.signing)}"] if isinstance(result, Gone) and result.exit_code else []
        return [*head, _short(_why(result)), *(["", *signing] if signing else [])]
    one = result.comparison
    lines = [*head, f"**{_short(summary(one))}**<br>{_short(what_runs(one.run))}"]
    lines += ["", _short(result.note)] if result.note else []
    for part in (_metrics(one), _reasons(one), _cases(one)):
        lines += ["", *part] if part else []
    return [*lines, "", f"> {'<br>'.join(_short(text) for text in what_next(one))}"]


def _overview(ordered: Sequence[SuiteResult]) -> list[str]:
    worst = ordered[0]
    head = [f"### {_sign(worst)} {_word(worst)} · row3 · {len(ordered):,} suites", ""]
    rows = [_suite_row(one) for one in ordered[:SUITES]]
    lines = grid(("Suite", "Verdict", "Metric", "Before", "Now", "Points", "95% interval"), "lllrrrr", rows)
    if len(ordered) > SUITES:
        lines += ["", f"and {len(ordered) - SUITES:,} more"]
    return [*head, *lines]


def _suite_row(one: SuiteResult) -> list[str]:
    first = [inline(shorten(plain(one.suite), ITEM_ROOM)), f"{_sign(one)} {_word(one).lower()}"]
    if not isinstance(one, Judged) or (change := _primary(one.comparison)) is None:
        return [*first, "", "–", "–", "–", "–"]
    return [*first, inline(title_of(one.comparison.run.suite, change.key)), *_figures(change)]


def _figures(change: MetricChange) -> list[str]:
    known = change.interval
    return [
        "–" if change.baseline is None else numbers.percent(change.baseline),
        "–" if change.current is None else numbers.percent(change.current),
        "–" if change.delta is None else numbers.points(change.delta),
        "–" if known is None else numbers.interval(known.low, known.high),
    ]


def _worst(ordered: Sequence[SuiteResult]) -> list[list[str]]:
    """The worst suite in full; of the others that do not proceed, why; and how one was judged that the base has not."""
    bad = [one for one in ordered if standing(one) != "proceed"]
    fine = [one for one in ordered if isinstance(one, Judged) and one.note and standing(one) == "proceed"]
    lines = [*((one, _why(one)) for one in bad[1:OTHERS]), *((one, one.note) for one in fine[: OTHERS - 1])]
    told = [[f"{_sign(one)} **{inline(one.suite)}**: {_short(why)}"] for one, why in lines]
    return [*([_one(bad[0], level="####")] if bad else []), *told]


def _metrics(comparison: ComparisonView) -> list[str]:
    """The metrics that moved, those that the gate minds first; the composite always."""
    suite = comparison.run.suite
    known: dict[str, Metric] = {metric.key: metric for metric in shown_metrics(suite, companion=False)}
    known |= {metric.key: metric for metric in shown_metrics(suite, companion=True)}
    primary = suite.kind.primary
    moved = [
        change
        for change in comparison.metrics
        if change.key in known
        and (change.key == primary or change.verdict is not Verdict.PROCEED or abs(change.delta or 0.0) >= LEAST_MOVE)
    ]
    moved.sort(key=lambda c: (c.key != primary, known[c.key].companion, -c.verdict, -abs(c.delta or 0.0)))
    rows = []
    for change in moved[:METRICS]:
        title = inline(known[change.key].title)
        judged = "" if change.verdict is Verdict.PROCEED else f"{SIGNS[change.verdict]} {change.verdict.word}"
        rows.append([f"**{title}**" if change.key == primary else title, *_figures(change), judged])
    if not rows:
        return ["No case could be compared."]
    left = [f"and {len(moved) - METRICS:,} more that moved"] if len(moved) > METRICS else []
    table = grid(("Metric", "Before", "Now", "Points", "95% interval", "Gate"), "lrrrrl", rows)
    return [*table, *(["", *left] if left else [])]


def _reasons(comparison: ComparisonView) -> list[str]:
    told = told_reasons(comparison)
    lines = [f"- {SIGNS[reason.verdict]} {_short(reason.text)}" for reason in told[:REASONS]]
    if len(told) > REASONS:
        lines.append(f"- and {numbers.count(len(told) - REASONS, 'more reason')}")
    if (approval := comparison.approval) is not None:
        lines.append(f"- approved by {_short(approval.by)}: {_short(approval.reason)}")
    return lines


def _cases(comparison: ComparisonView) -> list[str]:
    bad = [change for change in comparison.cases if change.move in ("regressed", "broke", "failed")]
    bad = [change for change in bad if change.move != "regressed" or abs(change.delta) >= LEAST_MOVE]
    bad.sort(key=lambda change: (change.move == "regressed", change.delta))
    after = after_values(comparison.run)
    problems = dict(comparison.run.problems)
    lines = [_case(change, *movement(change, after), problems.get(change.case_id, "")) for change in bad[:CASES]]
    count = sum(comparison.moves.get(move, 0) for move in ("regressed", "broke", "failed"))
    if count > len(lines):
        lines.append(f"- and {count - len(lines):,} more that are worse")
    return ["**Worst cases**", "", *lines] if lines else []


def _case(change: CaseChange, between: str, delta: str, problem: str) -> str:
    lost = [
        inline(flip.what) if flip.named == MOST_RELATIONSHIPS else f"{inline(flip.what)} {_items(flip.items)}"
        for flip in flips(change)
        if not flip.good
    ]
    if change.move == "broke" and problem:
        lost = [_short(problem)]
    moved = inline(f"{between} ({delta})" if delta else between)
    return f"- {code(shorten(plain(change.case_id), ITEM_ROOM))} {moved}{': ' if lost else ''}{'; '.join(lost[:3])}"


def _items(items: Sequence[str]) -> str:
    shown = ", ".join(code(shorten(plain(item), ITEM_ROOM)) for item in items[:ITEMS])
    return shown if len(items) <= ITEMS else f"{shown} and {len(items) - ITEMS:,} more"
