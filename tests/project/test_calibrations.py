"""A calibration holds for one rubric, one judge and one number of votes."""

from __future__ import annotations

import json
from dataclasses import replace

from row3.domain.judges import Coefficient, JudgeRules, Rate
from row3.domain.misfits import convert
from row3.domain.models import as_json
from row3.domain.prompts import Prompt, PromptRef, Version
from row3.project.calibrations import Calibration, Calibrations, calibrations_text
from tests.rows import every_row

RUBRIC = Prompt(PromptRef("help", Version(1, 0)), "", "grade", {}, "", "d1", "", "prompts/help-v1.0.md")
JUDGE = JudgeRules(("m",), 1, 0.0, {"help": RUBRIC})


def calibration(kappa: float = 0.7, winner_kappa: float | None = None) -> Calibration:
    return Calibration(
        labels=50,
        accuracy=Rate(0.9, 0.8, 1.0, 50),
        kappa=Coefficient(kappa, 0.5, 0.9),
        weighted_kappa=Coefficient(0.7, 0.5, 0.9),
        winner_kappa=None if winner_kappa is None else Coefficient(winner_kappa, 0.0, 1.0),
        rubric_digest="d1",
        models=["m"],
        votes=1,
        labels_digest="l",
        at="2026-11-24T07:00:00Z",
    )


@every_row(
    ("judge", "why"),
    [
        (JUDGE, ""),
        (replace(JUDGE, votes=3), "the judge had 1 votes and now has 3"),
        (replace(JUDGE, models=("m", "n")), "the judge was m and is now m, n"),
        (replace(JUDGE, rubrics={}), "the rubric no longer exists"),
        (
            replace(JUDGE, rubrics={"help": replace(RUBRIC, ref=PromptRef("help", Version(1, 1)), digest="d2")}),
            "the rubric has changed and is now v1.1",
        ),
    ],
)
def test_what_makes_it_stale(judge: JudgeRules, why: str) -> None:
    assert calibration().staleness(judge, "help") == why
    assert bool(Calibrations(rubrics={"help": calibration()}).valid(judge)) is (why == "")


def test_both_kappas_must_reach_the_minimum() -> None:
    for kappa, winner, warranted in ((0.7, None, True), (0.7, 0.59, False), (0.59, 0.7, False), (0.6, 0.6, True)):
        found = Calibrations(rubrics={"help": calibration(kappa, winner)}).warranted(JUDGE, 0.6)
        assert (found == {"help"}) is warranted
    few = calibration(1.0).replace(labels=19)
    assert not Calibrations(rubrics={"help": few}).warranted(JUDGE, 0.6)


def test_a_calibration_is_read_back_as_it_was_written() -> None:
    text = calibrations_text(Calibrations(rubrics={"help": calibration()}))
    assert convert(json.loads(text), Calibrations).rubrics == {"help": calibration()}
    assert '"$schema": "../schemas/calibration.schema.json"' in text
    assert json.loads(text)["schemaVersion"] == 1
    assert "winnerKappa" not in as_json(calibration())
