"""`calibrations/<suite>.json`: agreement of each rubric's judge with people."""

from __future__ import annotations

import json

from pydantic import Field

from row3.domain.judges import Agreement, JudgeRules
from row3.domain.models import CamelModel
from row3.project.documents import read_model
from row3.project.tree import Tree

FOLDER = "calibrations"
SCHEMA_VERSION = 1
LEAST_LABELS = 20
"""Labels needed before a kappa counts: two labels that agree already have a kappa of 1."""


class Calibration(Agreement):
    """Agreement of one rubric's judge with labels by people."""

    rubric_digest: str
    models: list[str]
    votes: int
    labels_digest: str
    at: str

    def staleness(self, judge: JudgeRules, rubric: str) -> str:
        """Return what has changed since the calibration; empty if it still holds."""
        prompt = judge.rubrics.get(rubric)
        if prompt is None:
            return "the rubric no longer exists"
        if self.rubric_digest != prompt.digest:
            return f"the rubric has changed and is now {prompt.ref.version}"
        if self.models != list(judge.models):
            return f"the judge was {', '.join(self.models)} and is now {', '.join(judge.models) or 'not named'}"
        return "" if self.votes == judge.votes else f"the judge had {self.votes} votes and now has {judge.votes}"


class Calibrations(CamelModel):
    """All calibrations of a suite, by rubric name."""

    schema_: str | None = Field(default=None, alias="$schema")
    schema_version: int = SCHEMA_VERSION
    rubrics: dict[str, Calibration] = {}

    def valid(self, judge: JudgeRules) -> dict[str, Calibration]:
        """Return the calibrations made with this judge's rubric, models and votes. The others are stale."""
        return {name: each for name, each in self.rubrics.items() if not each.staleness(judge, name)}

    def warranted(self, judge: JudgeRules, min_kappa: float) -> frozenset[str]:
        """Return the rubrics whose judge agrees with people well enough to block."""
        return frozenset(
            name
            for name, each in self.valid(judge).items()
            if each.labels >= LEAST_LABELS and each.least_kappa.value >= min_kappa
        )


def calibrations_path(suite: str) -> str:
    """Return the path of a suite's calibrations."""
    return f"{FOLDER}/{suite}.json"


def read_calibrations(tree: Tree, suite: str) -> Calibrations:
    """Return a suite's calibrations; none if there is no file. Raises `InvalidFile`."""
    return read_model(tree, calibrations_path(suite), Calibrations, SCHEMA_VERSION) or Calibrations()


def calibrations_text(calibrations: Calibrations) -> str:
    """Return the text of the file."""
    value = calibrations.plain() | {"$schema": "../schemas/calibration.schema.json", "schemaVersion": SCHEMA_VERSION}
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
