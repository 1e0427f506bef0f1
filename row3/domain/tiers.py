"""The two tiers of a suite: recorded answers for every change, live ones for the night and the release."""

from __future__ import annotations

from typing import Literal

Tier = Literal["replay", "live"]
TIERS: tuple[Tier, ...] = ("replay", "live")


def tier_of(mode: str) -> Tier:
    """The tier of a run in this mode.

    Only `live` leaves no recording. What `record` and `auto` answer can be replayed, so it belongs to the replay tier.
    """
    return "live" if mode == "live" else "replay"


def file_stem(suite: str, tier: Tier) -> str:
    """How the files of a suite's tier begin: `bread`, `bread.live`; no suite of row3.toml has a dot in its name."""
    return suite if tier == "replay" else f"{suite}.{tier}"


def suite_of_stem(stem: str) -> str:
    """The suite that a file of any tier belongs to."""
    return stem.removesuffix(".live")
