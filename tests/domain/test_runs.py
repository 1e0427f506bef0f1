"""Tiers of modes, and their file names."""

from __future__ import annotations

from row3.domain.runs import TIERS, file_stem, suite_of_stem, tier_of
from tests.rows import every_row


@every_row(("mode", "tier"), [("replay", "replay"), ("record", "replay"), ("auto", "replay"), ("live", "live")])
def test_only_the_live_mode_is_of_the_live_tier(mode: str, tier: str) -> None:
    assert tier_of(mode) == tier


def test_a_file_name_gives_its_suite() -> None:
    assert [file_stem("bread", tier) for tier in TIERS] == ["bread", "bread.live"]
    assert {suite_of_stem(file_stem("bread", tier)) for tier in TIERS} == {"bread"}
