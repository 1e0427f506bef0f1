from __future__ import annotations

import pytest

from row3.providers.pricing import Price, cost_usd, estimate_tokens, price_of

PRICES = {
    "gpt-5": Price(1.25, 10.0),
    "gpt-5-mini": Price(0.25, 2.0),
    "claude-sonnet-4": Price(3.0, 15.0),
    "free": Price(0.0, 0.0),
}


def test_cost_by_hand() -> None:
    # 1,200 × 0.25 / 1e6 = 0.0003; 300 × 2 / 1e6 = 0.0006
    assert cost_usd("gpt-5-mini", 1200, 300, PRICES) == pytest.approx(0.0009)
    assert cost_usd("free", 10, 10, PRICES) == 0.0
    assert cost_usd("gpt-5", 0, 0, PRICES) == 0.0


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-5", "gpt-5"),
        ("gpt-5-2026-01-01", "gpt-5"),
        ("gpt-5-mini", "gpt-5-mini"),
        ("gpt-5-mini-2026-01-01", "gpt-5-mini"),
        ("gpt-5-mini-001", "gpt-5-mini"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("claude-sonnet-4-5", None),
        ("claude-sonnet-4-5-20250929", None),
        ("gpt-5-nano", None),
        ("gpt-5.1", None),
        ("gpt-50", None),
        ("gpt-5-2026-01-01-batch", None),
        ("my-gpt-5", None),
        ("GPT-5", None),
        ("", None),
    ],
)
def test_which_price_a_model_has(model: str, name: str | None) -> None:
    assert price_of(model, PRICES) == (PRICES[name] if name else None)


def test_unknown_is_none_and_not_zero() -> None:
    assert cost_usd("mystery", 10, 10, PRICES) is None
    assert cost_usd("gpt-5", None, 10, PRICES) is None
    assert cost_usd("gpt-5", 10, None, PRICES) is None
    assert cost_usd("gpt-5", 10, 10, {}) is None


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("x" * 400, 100)])
def test_estimate(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
