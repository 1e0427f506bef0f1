"""`row3 judge`: an answer to label, a calibration, two judges compared."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from row3.domain import numbers
from row3.domain.judges import Coefficient, Rate
from row3.domain.printable import plain, shorten
from row3.gate.calibration import CalibrationReport, JudgeComparison, Labelled, RubricReport, Warranty
from row3.reports.document import Block, Document, Facts, Lines, Note, Table, Text, Title, more, strong

if TYPE_CHECKING:
    from row3.domain.prompts import Prompt

SHOWN, LONGEST = 10, 160
"""Disagreements listed, and characters shown of an answer or a reason."""
GRADE_KEYS = "1 0 · 2 25 · 3 50 · 4 75 · 5 100 · p pass · f fail · s skip · q quit"
VERDICT_KEYS = "p pass · f fail · s skip · q quit"
WINNER_KEYS = "1 the first is better · 2 the second is better · t tie · s skip · q quit"


def answer_document(
    rubric: Prompt, case_id: str, variables: Mapping[str, Any], *, place: str, with_rubric: bool, swapped: bool
) -> Document:
    """Return an answer to label, without the judge's grade, and without saying which side wrote which of two answers.

    Args:
        place: its number and the total.
        with_rubric: begin with the rubric's text.
        swapped: show the answer of `full` first.
    """
    blocks: list[Block] = []
    if with_rubric:
        blocks += [Title(f"Rubric {rubric.ref}", 4), Lines(rubric.body.strip().splitlines())]
    blocks.append(Title([strong(place), f" · {case_id} · {rubric.ref.name}"]))
    shown = dict(variables)
    if "baseline" in shown:
        pair = shown.pop("baseline"), shown.pop("full")
        shown |= dict(zip(("first answer", "second answer"), pair[::-1] if swapped else pair, strict=True))
    else:
        shown.pop("value", None)  # the same answer as JSON
        shown["answer"] = shown.pop("answer")
    for name, value in shown.items():
        if value not in (None, [], ""):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
            blocks += [Title(name.replace("_", " "), 4), Lines(text.splitlines())]
    return Document(blocks)


def _figures(said: Warranty) -> list[tuple[str, Text]]:
    """Return a judge's agreement with labels, each figure with its interval."""
    found = said.figures
    rows: list[tuple[str, Text]] = [("Accuracy", share(found.accuracy))]
    rows.append(("Sensitivity", share(found.sensitivity) if found.sensitivity else "– (no label passes)"))
    rows.append(("Specificity", share(found.specificity) if found.specificity else "– (no label fails)"))
    rows.append(("Cohen's kappa", coefficient(found.kappa)))
    if found.winner_accuracy is not None and found.winner_kappa is not None:
        rows.append(("Winner: accuracy", share(found.winner_accuracy)))
        rows.append(("Winner: kappa", coefficient(found.winner_kappa)))
        for name, found_rate in (("sensitivity", found.win_sensitivity), ("specificity", found.win_specificity)):
            rows += [(f"Full wins: {name}", share(found_rate))] if found_rate else []
    rows.append(("Weighted kappa", f"{coefficient(found.weighted_kappa)}, quadratic weights"))
    if found.position_bias is not None:
        rows.append(("Position bias", f"{share(found.position_bias)} flip with the order"))
    if found.length_bias is not None:
        rows.append(("Length bias", f"{coefficient(found.length_bias)}, Spearman's rank correlation"))
    if found.self_preference is not None:
        kappa = found.self_preference
        ends = "…".join(f"{end:+.1f}".replace("-", numbers.MINUS) for end in (kappa.low, kappa.high))
        value = f"{kappa.value:+.1f}".replace("-", numbers.MINUS)
        rows.append(("Self-preference", f"{value} points ({ends}) for answers of its own family"))
    return rows


def share(rate: Rate) -> str:
    """Return a rate with its interval and count: `84.0% (72.1…91.5, n 50)`."""
    return f"{numbers.percent(rate.value)} ({numbers.ends(rate)}, n {rate.count:,})"


def coefficient(kappa: Coefficient) -> str:
    """Return a coefficient with its interval: `0.62 (0.41…0.83)`."""
    value, low, high = (f"{each:.2f}".replace("-", numbers.MINUS) for each in (kappa.value, kappa.low, kappa.high))
    return f"{value} ({low}…{high})"


def disagreement_blocks(found: Sequence[Labelled], *, verbose: bool) -> list[Block]:
    """Return the disagreements of judge and person, worst first."""
    shown = found if verbose else found[:SHOWN]
    if not shown:
        return [Note(["Judge and person agree on every answer."])]
    rows: list[list[Text]] = [
        [each.case_id, *(_word(side.grade, side.passes, side.winner) for side in (each.person, each.judge))]
        for each in shown
    ]
    under: list[list[Text]] = [
        [
            f"{name}: {shorten(plain(text), LONGEST)}"
            for name, text in (("answer", each.answer), ("judge", each.judge.reason))
            if text
        ]
        for each in shown
    ]
    left = more(len(found) - len(shown))
    return [Table(("disagreement, worst first", "person", "judge"), rows, "lrr", under, more=left)]


def _word(grade: float, passes: bool, winner: str | None) -> str:
    word = "passes" if passes else "fails"
    return f"{grade:g} {word}" if winner is None else f"{winner}, {word}"


def calibration_document(report: CalibrationReport, *, verbose: bool = False) -> Document:
    """Return how well each rubric's judge agrees with people, whether that is enough, and the disagreements."""
    blocks: list[Block] = []
    for each in report.rubrics:
        labels = numbers.count(each.warranty.figures.labels, "label")
        blocks.append(Title(f"{each.rubric} {each.version} · {report.judge} · {labels}"))
        blocks += [Facts(_figures(each.warranty)), Note([_verdict(each, report.min_kappa)])]
        blocks += disagreement_blocks(each.warranty.disagreements, verbose=verbose)
        blocks.append(Note(_left_out(each), "quiet"))
    blocks.append(Note([f"{rubric} is not calibrated: {why}" for rubric, why in report.skipped], "warning"))
    written = f"Written to {report.written}; commit it." if report.written else "Nothing was written (--dry-run)."
    return Document([*blocks, Note([written])])


def _verdict(report: RubricReport, min_kappa: float) -> str:
    least = report.warranty.figures.least_kappa
    if least.value < min_kappa:
        return f"Kappa {least.value:.2f} is below {min_kappa:g}: this judge's grades never block."
    doubt = " The interval reaches below that: add labels to be sure." if least.low < min_kappa else ""
    return f"Kappa {least.value:.2f} is at least {min_kappa:g}: this judge's grades block like other metrics.{doubt}"


def _left_out(report: RubricReport) -> list[str]:
    lines = []
    if report.unmatched:
        lines.append(f"{numbers.count(report.unmatched, 'label')} left out: the answer is no longer recorded")
    if report.ungraded:
        lines.append(f"{numbers.count(report.ungraded, 'label')} left out: the answer has no recorded grade")
    return lines


def comparison_document(found: JudgeComparison, *, verbose: bool = False) -> Document:
    """Return two judges against the same labels, and whether one is more often right."""
    first, second = (dict(_figures(each)) for each in found.warranties)
    rows: list[list[Text]] = [
        [name, first.get(name, "–"), second.get(name, "–")] for name in dict.fromkeys([*first, *second])
    ]
    moved, (only, other) = numbers.points(found.accuracy_difference), found.only_right
    lines = [
        f"Accuracy differs by {moved} points; McNemar's exact p {numbers.p_value(found.p_value)} "
        f"({only:,} labels only {found.names[0]} is right on, {other:,} only {found.names[1]})."
    ]
    lines += [
        f"{name}: {numbers.count(left, 'label')} left out: no recorded grade"
        for name, left in zip(found.names, found.left_out, strict=True)
        if left
    ]
    labels = numbers.count(found.warranties[0].figures.labels, "label")
    blocks: list[Block] = [
        Title(f"{found.suite} · {found.rubric} · {labels} that both have graded"),
        Table(("", *found.names), rows, "lll"),
        Note(lines),
    ]
    if verbose:
        for name, each in zip(found.names, found.warranties, strict=True):
            blocks += [Title(name, 4), *disagreement_blocks(each.disagreements, verbose=True)]
    return Document(blocks)
