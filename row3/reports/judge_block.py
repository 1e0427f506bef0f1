"""A run's judges in reports: corrected rates, calibration, and judges of the same family as the model."""

from __future__ import annotations

from typing import Any

from row3.domain import numbers
from row3.domain.judges import Rate, model_family
from row3.domain.models import as_json
from row3.domain.printable import visible
from row3.gate.calibration import Corrected, corrected_rates
from row3.gate.results import Run
from row3.kinds.judging import JUDGED
from row3.reports.document import Block, Facts, Note, Span, Table, Text, Title
from row3.reports.headline import judge_cost
from row3.reports.judges import coefficient, share

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
    judged = [metric for metric in kind.metrics if metric.key in kind.judged_metrics]
    titles = ", ".join(metric.title for metric in judged)
    blocks = judge.warranted.issuperset(judge.rubrics)
    does = "block like other metrics" if blocks else "never block; a drop only needs a look"
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


def _corrected_table(run: Run) -> list[Block]:
    judge = run.suite.rules.judge
    found = () if judge is None else corrected_rates(run.tally, judge, run.header.repeats)
    rows = [_corrected_row(each) for each in found]
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
        return "too few labels, or too little agreement with people (kappa): its grades do not block"
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
    corrected = {(each.rubric, each.of): each for each in corrected_rates(run.tally, judge, run.header.repeats)}
    rubrics: dict[str, Any] = {}
    for rubric in found:
        state = "valid" if rubric in judge.calibrated else "stale" if rubric in judge.stale else "missing"
        value: dict[str, Any] = {"calibration": state, "warranted": rubric in judge.warranted}
        if (passes := corrected.get((rubric, "passes"))) is not None:
            value |= _corrected_json(passes)
        if (wins := corrected.get((rubric, "wins"))) is not None:
            value["wins"] = _corrected_json(wins)
        rubrics[rubric] = value
    return {"judges": rubrics, **({"judgeFamily": lines[0]} if (lines := family_lines(run)) else {})}


def _corrected_json(found: Corrected) -> dict[str, Any]:
    rates = {"raw": as_json(found.raw), "corrected": as_json(found.corrected)}
    return rates | {"method": found.method, "labels": found.labels}
