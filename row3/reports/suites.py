"""Several suites as one document: one row each, details of those that do not pass, and the overall verdict."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain import numbers
from row3.domain.judgements import Verdict
from row3.domain.printable import plain, visible
from row3.domain.scores import Zone
from row3.gate.policy import GatePolicy
from row3.gate.results import Standing, SuiteResult, SuitesReport
from row3.reports.comparison import brief_comparison, comparison_document
from row3.reports.document import Block, Document, Facts, Fold, Items, Note, Span, Table, Text, Title, more, strong
from row3.reports.markdown import markdown_text
from row3.reports.reason_text import Words, grounds, grounds_of
from row3.reports.scorecard import scorecard_document
from row3.reports.sentences import what_runs
from row3.reports.spans import TONES, moved_span, zone_span
from row3.reports.terminal import VERDICT_MARKS
from row3.reports.verdict_text import behind_line, judgement_label, summary, verdict_label

NONE = "–"
SHOWN_REASONS = 8
SUITES, OTHERS, MOST_BYTES = 20, 4, 6_000
"""Rows and further suites of a comment, and its size: GitHub takes 65,536 characters, a screen far less."""
COMMENT_LEVEL = 3
MARKS: dict[Standing, Span] = {
    "none": Span(""),
    "proceed": Span("✓", "good"),
    "approved": Span("✓", "good"),
    "investigate": Span("!", "warning"),
    "informational": Span("!", "warning"),
    "block": Span("✗", "bad"),
    "incomplete": Span("?", "bad"),
    "unusable": Span("✗", "bad"),
}
BADNESS: tuple[Standing, ...] = tuple(MARKS)
"""Worst last: a suite that cannot be judged hides a verdict."""


def suites_document(report: SuitesReport, *, verbose: bool = False) -> Document:
    """Return all suites; in full if verbose, else only those that do not pass."""
    blocks: list[Block] = [_title(report), _table(report.results, judged=report.judged)]
    blocks += [Note([behind_line(*report.behind)], "warning")] if report.behind else []
    for result in report.results:
        blocks += _details(result, verbose=verbose)
    looked = [each for each in report.results if each.standing in ("investigate", "informational", "approved")]
    blocks += [Note(lines)] if (lines := [line for one in report.results if (line := _ceiling(one))]) else []
    return Document([*blocks, *_reasons(looked), Note(_next(report))])


def index_blocks(report: SuitesReport) -> tuple[Title, *tuple[Block, ...]]:
    """Return the index of the suites' pages: a row each, and why a suite could not be run or judged."""
    problems = [(result.suite, text) for result in report.results if (text := problem_of(result))]
    return _title(report), _table(report.results, judged=report.judged), Facts(problems)


def comment_markdown(results: Sequence[SuiteResult], *, more_at: str = "") -> str:
    """Return the comment on a pull request, one screen at most; `more_at` is the https address of the whole report."""
    ordered = sorted(results, key=_badness, reverse=True)
    if len(ordered) == 1:
        blocks = _brief(ordered[0], level=COMMENT_LEVEL)
    else:
        blocks = [Title([_verdict(ordered[0]), f" · row3 · {len(ordered):,} suites"])]
        blocks.append(_table(ordered[:SUITES], judged=True, left=len(ordered) - SUITES))
        bad = [one for one in ordered if one.standing != "proceed"]
        blocks += _brief(bad[0], level=COMMENT_LEVEL + 1) if bad else []
        blocks += _reasons(bad[1:OTHERS])
    text = _bounded(markdown_text(Document(blocks)))
    return f"{text}\n<sub>Full report: <{more_at}></sub>\n" if more_at else text


def _bounded(text: str) -> str:
    """Return whole lines up to the limit, and a remark if some are left out."""
    kept: list[str] = []
    size = 0
    for line in text.split("\n"):
        size += len(line.encode("utf-8", "replace")) + 1
        if size > MOST_BYTES:
            kept += ["", "… the rest is in the job's summary."]
            break
        kept.append(line)
    return "\n".join(kept).rstrip() + "\n"


def _badness(result: SuiteResult) -> tuple[int, float]:
    change = None if result.comparison is None else result.comparison.primary_change
    return BADNESS.index(result.standing), 0.0 if change is None else -(change.delta or 0.0)


def _brief(result: SuiteResult, *, level: int) -> list[Block]:
    if result.comparison is not None:
        return brief_comparison(result.comparison, level=level)
    title = Title([_verdict(result), f" · row3 · {result.suite}"], level)
    return [title, Note([problem_of(result), *_signing(result)])]


def _title(report: SuitesReport) -> Title:
    word, text = headword(report), counted(report)
    if not word:
        return Title(f"row3 · {text}")
    mark = "?" if report.exit_code == 3 else VERDICT_MARKS[report.verdict]
    tone = "bad" if report.exit_code else TONES[report.verdict]
    return Title([Span(f"{mark} {word}", tone), f" · row3 · {text}"])


def _table(results: Sequence[SuiteResult], *, judged: bool, left: int = 0) -> Table:
    heads = ("suite", "metric", "now", "points", "zone", "cases", "verdict" if judged else "")
    return Table(heads, [_row(result, judged=judged) for result in results], "llrrlrl", more=more(left, how=""))


def _row(result: SuiteResult, *, judged: bool) -> list[Text]:
    name = strong(result.suite)
    verdict: Text = [MARKS[result.standing], f" {result.standing}"]
    if result.standing == "none":
        verdict = [Span("not judged" if judged else "", "quiet")]
    run = result.run
    if run is None:
        return [name, "", NONE, "", "", NONE, verdict]
    key = run.suite.kind.primary
    change = None if result.comparison is None else result.comparison.primary_change
    metric = next(metric for metric in run.suite.kind.metrics if metric.key == key)
    value, limits = run.header.metrics.get(key), numbers.limits_of(run.suite.rules.thresholds.get(key))
    return [
        name,
        metric.title,
        NONE if value is None else numbers.percent(value, limits=limits),
        moved_span(metric, change.delta) if change is not None else "",
        zone_span(run.zones.get(metric.key)),
        f"{run.cases:,}",
        verdict,
    ]


def _verdict(result: SuiteResult) -> Span:
    if result.comparison is not None:
        return verdict_label(result.comparison).span
    if result.judgement is not None:
        return judgement_label(result.judgement).span
    return Span("? NOT JUDGED", "bad" if result.exit_code else "warning")


def problem_of(result: SuiteResult) -> str:
    """Return why a suite could not be run or judged, or why its removal blocks."""
    if result.judgement is None or result.comparison is not None:
        return result.problem
    return "; ".join(ground.text for ground in grounds(result.judgement.reasons, Words({}, {}, GatePolicy())))


def _details(result: SuiteResult, *, verbose: bool) -> list[Block]:
    """Return a suite that does not pass in full; others folded, if verbose."""
    run, comparison = result.run, result.comparison
    if run is None:
        text = problem_of(result)
        return [Title(result.suite), Note([text, *_signing(result)])] if text else []
    stopped = result.standing == "block"
    if not (verbose or stopped):
        if not (lacking := run.failed if comparison is None else comparison.unanswered):
            return []
        some, why = numbers.count(len(lacking), "case"), dict(run.problems).get(lacking[0], "")
        return [Title(result.suite), Note([f"{some} without {run.without}; {lacking[0]}: {why}"])]
    if comparison is None:
        inner = scorecard_document(run, declines=result.declines, verbose=verbose, headed=False)
    else:
        inner = comparison_document(comparison, verbose=verbose, headed=False)
    blocks: list[Block] = [Note([what_runs(run)]), *inner.blocks]
    return [Title(result.suite), *blocks] if stopped else [Fold(result.suite, blocks)]


def _ceiling(result: SuiteResult) -> str:
    """Return how far the labels let a primary metric rise that fails; empty if nothing says so."""
    run = result.run
    if run is None:
        return ""
    metric, values = run.suite.kind.primary_metric, run.header.metrics
    if run.zones.get(metric.key) is not Zone.FAIL or metric.explained_by not in values:
        return ""
    title = next(each.title for each in run.suite.kind.metrics if each.key == metric.explained_by)
    minimum = numbers.percent(run.suite.rules.thresholds[metric.key].minimum)
    most = numbers.percent(values[metric.explained_by])
    explained = f"{title[0].lower()}{title[1:]}: {most} of the cases, by the labels"
    return f"{result.suite}: {metric.title} is below {minimum}; {explained}"


def _signing(result: SuiteResult) -> list[str]:
    if result.judgement is None or not result.exit_code:
        return []
    return [f"Next: restore it, or accept this with row3 --compare --suite {plain(result.suite)} --approve REASON"]


def counted(report: SuitesReport) -> str:
    """Return the number of suites by result: `4 suites: 1 block · 1 incomplete · 2 proceed`."""
    words = reversed(BADNESS[1:])
    standings = [result.standing for result in report.results]
    parts = [f"{standings.count(word):,} {word}" for word in words if word in standings]
    suites = numbers.count(len(report.results), "suite")
    return f"{suites}: {' · '.join(parts)}" if parts else suites


def headword(report: SuitesReport) -> str:
    """Return the overall verdict in a word; empty if nothing was judged."""
    if report.exit_code in (2, 3):
        return "INCOMPLETE" if report.exit_code == 3 else "UNUSABLE"
    if not report.judged:
        return ""
    approved = any(result.standing == "approved" for result in report.results)
    return "APPROVED" if approved and report.verdict is Verdict.PROCEED else report.verdict.word.upper()


def _reasons(results: Sequence[SuiteResult]) -> list[Block]:
    if not results:
        return []
    shown: list[Text] = [
        [MARKS[result.standing], f" {result.suite}: {_why(result)}"] for result in results[:SHOWN_REASONS]
    ]
    left = len(results) - SHOWN_REASONS
    return [Items([*shown, *([f"others: {left:,} more"] if left > 0 else [])])]


def _why(result: SuiteResult) -> str:
    if result.comparison is None:
        return problem_of(result) or "not judged"
    found = grounds_of(result.comparison)
    rest = f"; and {numbers.count(len(found) - 1, 'more reason')}" if len(found) > 1 else ""
    return f"{found[0].text}{rest}" if found else summary(result.comparison)


def _next(report: SuitesReport) -> list[str]:
    worst = next((result for result in report.results if result.exit_code == report.exit_code), None)
    if worst is None or not report.exit_code:
        return []
    if report.behind and report.exit_code != 2:
        return [f"Next: {behind_line(*report.behind)}"]
    if report.exit_code == 2:
        return ["Next: fix the problems above; row3 lint lists all problems in files."]
    if worst.run is None:
        return _signing(worst)
    against = worst.comparison.against if worst.comparison is not None else None
    base = f" --against {visible(against)}" if against else ""
    return [f"Next: {'row3 --compare' if report.judged else 'row3'} --suite {plain(worst.suite)}{base}"]
