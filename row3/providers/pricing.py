"""What a run costs, from the price table of the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from row3.domain.local_models import family_of

# A dated or numbered release of the same model: -2026-01-01, -20260101, -0613, -002. Not -5, which is
# another model (claude-sonnet-4-5 is not claude-sonnet-4).
_RELEASE = re.compile(r"-\d{3,}(?:-\d+)*")

LOCAL = "(local)"
"""The entry of a price table for whatever runs in this process."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input_per_million: float
    output_per_million: float


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price under the model's name, else under the longest name of which it is a release, else None."""
    if model in prices:
        return prices[model]
    if LOCAL in prices and family_of(model):
        return prices[LOCAL]
    families = [name for name in prices if model.startswith(name) and _RELEASE.fullmatch(model, len(name))]
    return prices[max(families, key=len)] if families else None


def cost_usd(
    model: str, prompt_tokens: int | None, completion_tokens: int | None, prices: Mapping[str, Price]
) -> float | None:
    """US dollars; None where the model has no price or a count is not known: unknown, not zero."""
    price = price_of(model, prices)
    if price is None or prompt_tokens is None or completion_tokens is None:
        return None
    return (prompt_tokens * price.input_per_million + completion_tokens * price.output_per_million) / 1_000_000


def estimate_tokens(text: str) -> int:
    """Tokens in a text by the rule of four characters a token, rounded up.

    An estimate for `--dry-run` only: English prose is within a fifth or so, code and other scripts can
    take twice as many or more.
    """
    return (len(text) + 3) // 4
