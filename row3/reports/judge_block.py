"""What a scorecard says of its judges: corrected pass rates, what warrants them, and a judge of the same family."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from row3.domain.agreements import Rate
from row3.domain.judges import model_family
from row3.gate.calibration import Corrected, corrected_rates
from row3.gate.results import Run
from row3.kinds.judging import JUDGED
from row3.reports import numbers
from row3.reports.document import Block, Note, Table, Text
from row3.reports.style import visible

METHODS = {"rogan-gladen": "Rogan–Gladen", "prediction-powered": "prediction-powered", "labels": "the labels"}


def judge_blocks(run: Run) -> list[Block]:
    """Return what stands beneath judged metrics: corrected rates, what is not warranted, a judge of the same family."""
    rubrics = _rubrics(run)
    judge = run.suite.rules.judge
    if judge is None or not rubrics:
        return []
    corrected = list(corrected_rates(run.tally, judge, run.header.repeats))
    blocks: list[Block] = []
    if corrected:
        rows = [_corrected_row(each) for each in corrected]
        blocks.append(Table(("judged rate", "raw", "corrected", "labels", "by"), rows, "lrrrl"))
    lines = [line for rubric in rubrics if (line := _unwarranted(run, rubric))]
    if text := family_text(run):
        lines.append(text)
    return [*blocks, Note(list(lines), "quiet")]


def _corrected_row(found: Corrected) -> list[Text]:
    corrected = "– (too few labels, or chance)" if found.corrected is None else _rate(found.corrected)
    method = "" if found.corrected is None else METHODS[found.method]
    name = f"{found.rubric} {found.of}"
    return [name, f"{_rate(found.raw)}, n {found.raw.count:,}", corrected, f"{found.labels:,}", method]


def _rate(rate: Rate) -> str:
    return f"{numbers.percent(rate.value)} ({numbers.ends(rate)})"


def _rubrics(run: Run) -> list[str]:
    """The rubrics that judged something of a run."""
    return list(dict.fromkeys(label.split()[0] for label in run.tally.get(JUDGED, {})))


def _unwarranted(run: Run, rubric: str) -> str:
    """Why a rubric's judge is not warranted; empty where it is."""
    judge = run.suite.rules.judge
    flag = visible(run.suite.flag)
    if judge is None or rubric in judge.warranted:
        return ""
    if rubric in judge.calibrated:
        return f"{rubric}: the judge agrees too little with people (kappa), so what it judges does not block"
    if rubric in judge.stale:
        return f"{rubric}: the calibration is stale, measure again: row3 judge calibrate LABELS.jsonl{flag}"
    return f"{rubric}: the judge is not calibrated, label some answers: row3 judge label{flag}"


def family_text(run: Run) -> str:
    """Return that the judge is of the family of the model that answers; empty where it is not."""
    judge = run.suite.rules.judge
    if judge is None:
        return ""
    answering = sorted({str(each.get("model", "")) for each in run.header.parameters.values()})
    for judging in judge.models:
        mine = [model for model in answering if model and model_family(model) == model_family(judging)]
        if mine:
            return f"the judge {judging} is of the family of {mine[0]}, which answers: it may prefer its own answers"
    return ""


def judges_json(run: Run) -> dict[str, Any]:
    """Return what a run's judges are worth, by rubric; nothing where nothing was judged."""
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
    return {"judges": rubrics, **({"judgeFamily": text} if (text := family_text(run)) else {})}


def _corrected_json(found: Corrected) -> dict[str, Any]:
    rates = {"raw": to_builtins(found.raw), "corrected": to_builtins(found.corrected)}
    return rates | {"method": found.method, "labels": found.labels}
