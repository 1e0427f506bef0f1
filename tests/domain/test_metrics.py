from __future__ import annotations

from row3.domain.metrics import Zone


def test_the_worst_zone_is_the_smallest() -> None:
    assert Zone.FAIL < Zone.MARGINAL < Zone.PASS < Zone.EXCELLENT
    assert min([Zone.PASS, Zone.FAIL, Zone.EXCELLENT]) is Zone.FAIL


def test_zones_are_spelled_as_in_the_vocabulary() -> None:
    assert [zone.word for zone in Zone] == ["fail", "marginal", "pass", "excellent"]
