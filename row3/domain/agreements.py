"""How well a judge agrees with people. Rates are fractions; every figure has its 95% interval."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Fraction = Annotated[float, Meta(ge=0, le=1)]


class Rate(Struct, frozen=True, forbid_unknown_fields=True):
    """A share with the number of labels or answers that it rests on."""

    value: Fraction
    low: Fraction
    high: Fraction
    count: int


class Coefficient(Struct, frozen=True, forbid_unknown_fields=True):
    """A kappa (1 is perfect, 0 is what chance gives), a correlation, or a difference in points."""

    value: float
    low: float
    high: float


class Agreement(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """A judge beside people's labels of the same answers."""

    labels: int
    accuracy: Rate
    sensitivity: Annotated[Rate | None, Meta(description="Of the answers that a person passes.")] = None
    specificity: Annotated[Rate | None, Meta(description="Of the answers that a person fails.")] = None
    kappa: Annotated[Coefficient, Meta(description="On whether an answer passes.")]
    weighted_kappa: Annotated[Coefficient, Meta(description="On the grades, or the winners; quadratic weights.")]
    winner_accuracy: Annotated[Rate | None, Meta(description="Of two answers.")] = None
    winner_kappa: Annotated[Coefficient | None, Meta(description="Of two answers.")] = None
    win_sensitivity: Annotated[
        Rate | None, Meta(description="Of the pairs whose `full` answer a person finds better.")
    ] = None
    win_specificity: Annotated[Rate | None, Meta(description="Of the other pairs.")] = None
    position_bias: Annotated[Rate | None, Meta(description="Judgements that flip with the order.")] = None
    length_bias: Annotated[Coefficient | None, Meta(description="Judge minus person with length, Spearman.")] = None
    self_preference: Annotated[
        Coefficient | None, Meta(description="Judge minus person for its own family less that for others, points.")
    ] = None

    @property
    def least_kappa(self) -> Coefficient:
        """The kappa that decides whether the judge may block: the lower one, of two answers."""
        kappas = [each for each in (self.kappa, self.winner_kappa) if each is not None]
        return min(kappas, key=lambda each: each.value)
