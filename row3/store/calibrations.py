"""`calibrations/<suite>.json`: how well each rubric's judge agrees with people."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field, to_builtins

from row3.domain.judges import Calibrated, JudgeRules, Rate
from row3.store.documents import check_schema_version, read_json, validate
from row3.store.tree import Tree

FOLDER = "calibrations"
SCHEMA_VERSION = 1
Fraction = Annotated[float, Meta(ge=0, le=1)]


class Share(Struct, frozen=True, forbid_unknown_fields=True):
    """A rate with its 95% interval and the number of labels it rests on."""

    value: Fraction
    low: Fraction
    high: Fraction
    count: int


class Coefficient(Struct, frozen=True, forbid_unknown_fields=True):
    """A kappa with its 95% interval."""

    value: float
    low: float
    high: float


class Calibration(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """One rubric's judge beside the labels of people."""

    rubric_digest: str
    models: list[str]
    votes: int
    labels: int
    labels_digest: str
    at: str
    accuracy: Share
    sensitivity: Share | None = None
    specificity: Share | None = None
    kappa: Coefficient
    weighted_kappa: Coefficient
    winner_accuracy: Share | None = None
    winner_kappa: Coefficient | None = None
    position_bias: Share | None = None
    length_bias: Coefficient | None = None
    self_preference: Coefficient | None = None

    def staleness(self, judge: JudgeRules, rubric: str) -> str:
        """Return what has changed since it was measured; empty where it still holds."""
        prompt = judge.rubrics.get(rubric)
        if prompt is None:
            return "there is no such rubric any more"
        if self.rubric_digest != prompt.digest:
            return f"the rubric is now {prompt.ref.version}, another text"
        if self.models != list(judge.models):
            return f"the judge was {', '.join(self.models)} and is {', '.join(judge.models) or 'not named'}"
        return "" if self.votes == judge.votes else f"the judge had {self.votes} votes and has {judge.votes}"

    @property
    def known(self) -> Calibrated:
        """What corrects a rate."""
        sensitivity, specificity = (
            None if each is None else Rate(each.value, each.low, each.high, each.count)
            for each in (self.sensitivity, self.specificity)
        )
        return Calibrated(sensitivity, specificity, self.labels)


class Calibrations(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """All calibrations of a suite, by name of the rubric."""

    schema_: str | None = field(default=None, name="$schema")
    schema_version: int = SCHEMA_VERSION
    rubrics: dict[str, Calibration] = {}

    def valid(self, judge: JudgeRules) -> dict[str, Calibration]:
        """Return the calibrations that hold for this judge: same rubric, models and votes. The others are stale."""
        return {name: each for name, each in self.rubrics.items() if not each.staleness(judge, name)}

    def warranted(self, judge: JudgeRules, min_kappa: float) -> frozenset[str]:
        """Return the rubrics whose judge agrees with people well enough to block."""
        return frozenset(
            name
            for name, each in self.valid(judge).items()
            if min(kappa.value for kappa in (each.kappa, each.winner_kappa) if kappa is not None) >= min_kappa
        )


def calibrations_path(suite: str) -> str:
    """Return the file of a suite's calibrations, from the project on."""
    return f"{FOLDER}/{suite}.json"


def read_calibrations(tree: Tree, suite: str) -> Calibrations:
    """Return a suite's calibrations; none where there is no file. Raises `InvalidFile`."""
    path = calibrations_path(suite)
    if not tree.exists(path):
        return Calibrations()
    value, where = read_json(tree, path), tree.place(path)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    return validate(Calibrations, value, where=where)


def calibrations_text(calibrations: Calibrations) -> str:
    """Return the text of the file."""
    import json

    value = to_builtins(calibrations) | {"$schema": "../schemas/calibration.schema.json"}
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
