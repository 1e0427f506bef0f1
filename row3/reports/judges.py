"""`row3 judge`: an answer to label, a calibration, two judges compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from row3.domain import numbers
from row3.domain.judges import Coefficient, Rate, model_family
from row3.domain.models import as_json
from row3.domain.printable import plain, shorten, visible
from row3.domain.prompts import Prompt
from row3.gate.results import Run
from row3.kinds.judging import JUDGED
from row3.reports.document import Block, Document, Facts, Lines, Note, Span, Table, Text, Title, more, strong
from row3.reports.sentences import judge_cost

if TYPE_CHECKING:
    from row3.gate.calibration import (
        CalibrationReport,
        Corrected,
        JudgeComparison,
        Labelled,
        RubricReport,
        Warranty,
    )

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
        blocks += [Facts(_figures(each.warranty)), Note([_verdict(each, report)])]
        blocks += disagreement_blocks(each.warranty.disagreements, verbose=verbose)
        blocks.append(Note(_left_out(each), "quiet"))
    blocks.append(Note([f"{rubric} is not calibrated: {why}" for rubric, why in report.skipped], "warning"))
    written = f"Written to {report.written}; commit it." if report.written else "Nothing was written (--dry-run)."
    return Document([*blocks, Note([written])])


def _verdict(rubric: RubricReport, report: CalibrationReport) -> str:
    least, min_kappa = rubric.warranty.figures.least_kappa, report.min_kappa
    if least.value < min_kappa:
        does = "block all the same" if report.uncalibrated == "block" else "never block"
        return f"Kappa {least.value:.2f} is below {min_kappa:g}: this judge's grades {does}."
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
    what = "Accuracy" if found.of == "passes" else "Accuracy on the winner"
    lines = [
        f"{what} differs by {moved} points; McNemar's exact p {numbers.p_value(found.p_value)} "
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


METHODS = {"rogan-gladen": "Rogan–Gladen", "prediction-powered": "prediction-powered", "labels": "the labels"}


def judge_blocks(run: Run) -> list[Block]:
    """Return the lines below judged metrics: corrected rates, uncalibrated judges, a judge of the same family."""
    rubrics = _rubrics(run)
    if run.suite.rules.judge is None or not rubrics:
        return []
    lines = [f"{rubric}: {line}" for rubric in rubrics if (line := _unwarranted(run, rubric))]
    return [*_corrected_table(run), Note([*lines, *family_lines(run)], "quiet")]


def judge_card(run: Run) -> list[Block]:
    """Return a run's judges for a page: model, rubrics with their calibration, cost, and effect on the verdict."""
    judge, kind = run.suite.rules.judge, run.suite.kind
    if judge is None or not run.usage.judgements:
        return []
    votes = f", {numbers.count(judge.votes, 'vote')} each" if judge.votes > 1 else ""
    rows: list[tuple[str, Text]] = [("model", f"{', '.join(judge.models)}{votes}")]
    rows += [(f"{rubric} {judge.rubrics[rubric].ref.version}", _warranty(run, rubric)) for rubric in _rubrics(run)]
    judged = [metric for metric in kind.metrics if metric.key in kind.judgeable.metrics]
    titles = ", ".join(metric.title for metric in judged)
    held = run.suite.policy.held
    does = "never block; a drop only needs a look" if held else "block like other metrics"
    rows.append(("warranty", f"judged metrics ({titles}) {does}"))
    rows += [(metric.title, share(run.rates[metric.key])) for metric in judged if metric.key in run.rates]
    rows += [("cost", text) for text in judge_cost(run.usage)]
    if (flips := run.rates.get("positionBias")) is not None:
        rows.append(("position bias", f"{share(flips)} of the judgements flip with the order"))
    if failed := run.tally.get("judgements", {}).get("failed", 0):
        rows.append(("failed", Span(f"{numbers.count(failed, 'score')} missing, left out of every mean", "bad")))
    return [Title("Judge", 4), Facts(rows), *_corrected_table(run), Note(family_lines(run), "quiet")]


def _warranty(run: Run, rubric: str) -> str:
    """Return how well a rubric's judge agrees with people, and why it is not warranted."""
    judge, found = run.suite.rules.judge, []
    if judge is not None and (known := judge.calibrated.get(rubric)) is not None:
        found += [f"calibrated, accuracy {share(known.accuracy)}", f"kappa {coefficient(known.kappa)}"]
        found += [f"on the winner {coefficient(known.winner_kappa)}"] if known.winner_kappa is not None else []
    return ", ".join(filter(None, [*found, _unwarranted(run, rubric)]))


def _corrected(run: Run) -> Iterable[Corrected]:
    """Return the judged rates of a run, corrected by its judge's errors; empty without a judge."""
    judge = run.suite.rules.judge
    if judge is None:
        return ()
    from row3.gate.calibration import corrected_rates  # few suites have a judge

    return corrected_rates(run.tally, judge, run.header.repeats)


def _corrected_table(run: Run) -> list[Block]:
    rows = [_corrected_row(each) for each in _corrected(run)]
    return [Table(("judged rate", "raw", "corrected", "labels", "by"), rows, "lrrrl")] if rows else []


def _corrected_row(found: Corrected) -> list[Text]:
    corrected = "– (too few labels, or chance)" if found.corrected is None else _rate(found.corrected)
    method = "" if found.corrected is None else METHODS[found.method]
    name = f"{found.rubric} {found.of}"
    return [name, f"{_rate(found.raw)}, n {found.raw.count:,}", corrected, f"{found.labels:,}", method]


def _rate(rate: Rate) -> str:
    return f"{numbers.percent(rate.value)} ({numbers.ends(rate)})"


def _rubrics(run: Run) -> list[str]:
    """Return the rubrics used in a run."""
    return list(dict.fromkeys(label.split()[0] for label in run.tally.get(JUDGED, {})))


def _unwarranted(run: Run, rubric: str) -> str:
    """Return why a rubric's judge is not warranted; empty if it is."""
    judge = run.suite.rules.judge
    flag = visible(run.suite.flag)
    if judge is None or rubric in judge.warranted:
        return ""
    if rubric in judge.calibrated:
        held = ": its grades do not block" if run.suite.policy.held else ""
        return f"too few labels, or too little agreement with people (kappa){held}"
    if rubric in judge.stale:
        return f"the calibration is stale, calibrate again: row3 judge calibrate LABELS.jsonl{flag}"
    return f"the judge is not calibrated, label some answers: row3 judge label{flag}"


def family_lines(run: Run) -> list[str]:
    """Return a warning if judge and answering model are of one family."""
    judge = run.suite.rules.judge
    if judge is None:
        return []
    answering = sorted({str(each.get("model", "")) for each in run.header.parameters.values()})
    for judging in judge.models:
        mine = [model for model in answering if model and model_family(model) == model_family(judging)]
        if mine:
            return [
                f"the judge {judging} is of the same family as {mine[0]}, which answers: it may prefer such answers"
            ]
    return []


def judges_json(run: Run) -> dict[str, Any]:
    """Return the calibration of a run's judges by rubric; empty if nothing was judged."""
    judge, found = run.suite.rules.judge, _rubrics(run)
    if judge is None or not found:
        return {}
    corrected = {(each.rubric, each.of): each for each in _corrected(run)}
    rubrics: dict[str, Any] = {}
    for rubric in found:
        state = "valid" if rubric in judge.calibrated else "stale" if rubric in judge.stale else "missing"
        value: dict[str, Any] = {"calibration": state, "warranted": rubric in judge.warranted}
        if (passes := corrected.get((rubric, "passes"))) is not None:
            value |= _corrected_json(passes)
        if (wins := corrected.get((rubric, "wins"))) is not None:
            value["wins"] = _corrected_json(wins)
        rubrics[rubric] = value
    return rubrics


def _corrected_json(found: Corrected) -> dict[str, Any]:
    rates = {"raw": as_json(found.raw), "corrected": as_json(found.corrected)}
    return rates | {"method": found.method, "labels": found.labels}
