"""`--max-cost`: what is reserved, what is booked, and what is no longer sent."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.requests import Answer, NoAnswer, Request, messages_of
from row3.errors import UsageError
from row3.project.config import PriceConfig
from row3.project.project import open_project
from row3.project.suites import make_suite
from row3.running.budget import Budget, Prices, estimate_tokens, known_usd, price_of, prices_of
from row3.running.concurrency import many
from tests.rows import every_row

PRICES = Prices({"m": PriceConfig(input=1.0, output=4.0)})


def admitted(budget: Budget) -> float:
    """What is reserved for a request that may be sent."""
    aside = asyncio.run(budget.admit(request(), PRICES))
    assert isinstance(aside, float)
    return aside


def request(text: str = "x" * 400, max_tokens: int | None = None, prompt: str = "find-v1.0") -> Request:
    """One hundred tokens, by the estimate."""
    return Request("case", prompt, 0, "m", None, None, max_tokens, messages_of("", text), "s", {}, "", "", {}, "digest")


def answer(tokens: int | None = 100, prompt: int | None = 100) -> Answer:
    return Answer("y" * 40, prompt_tokens=prompt, completion_tokens=tokens)


async def asked(budget: Budget, sent: list[Request], *, tokens: int = 100, jobs: int = 4) -> list[Answer | NoAnswer]:
    """What comes of requests that take a moment each."""
    under_way = 0

    async def one(each: Request) -> Answer | NoAnswer:
        nonlocal under_way
        aside = await budget.admit(each, PRICES)
        if isinstance(aside, NoAnswer):
            return aside
        under_way += 1
        await asyncio.sleep(0)
        under_way -= 1
        budget.settle(aside, each, answer(tokens), PRICES)
        return answer(tokens)

    results = await many(sent, one, jobs=jobs)
    assert under_way == 0
    return results


def test_a_model_without_a_price_is_refused() -> None:
    Budget(1.0).check([("m", ""), ("m", "judge")], PRICES)
    with pytest.raises(UsageError, match="the price of `other` is unknown"):
        Budget(1.0).check([("m", ""), ("other", "")], PRICES)


def test_reported_tokens_are_booked_and_missing_ones_estimated() -> None:
    budget = Budget(1.0)
    budget.settle(admitted(budget), request(), answer(), PRICES)
    assert budget.spent == pytest.approx((100 + 400) / 1e6)
    budget.settle(admitted(budget), request(), answer(None, None), PRICES)
    assert budget.spent == pytest.approx((200 + 400 + 40) / 1e6)
    budget.settle(admitted(budget), request(), None, PRICES)
    assert budget.spent == pytest.approx((200 + 400 + 40) / 1e6)


@every_row(
    ("recorded", "limit", "tokens"),
    [({}, None, 1000), ({}, 50, 50), ({"find": 300}, None, 300), ({"find": 300}, 50, 50)],
)
def test_the_first_estimate(recorded: dict[str, int], limit: int | None, tokens: int) -> None:
    just, less = ((100 + 4 * tokens) / 1e6 * share for share in (1.001, 0.999))
    assert not isinstance(
        asyncio.run(Budget(just, lambda: recorded).admit(request("x" * 400, limit), PRICES)), NoAnswer
    )
    refused = asyncio.run(Budget(less, lambda: recorded).admit(request("x" * 400, limit), PRICES))
    assert isinstance(refused, NoAnswer)
    assert "and one request may cost" in refused.error


def test_it_waits_for_requests_under_way_before_refusing() -> None:
    # The first two are taken to be of 1000 tokens, so that the others must wait; they turn out to be of 10.
    budget = Budget(0.0085)
    results = asyncio.run(asked(budget, [request()] * 20, tokens=10))
    assert all(isinstance(each, Answer) for each in results)
    assert not budget.cut


@given(st.floats(0.0006, 0.02), st.integers(1, 8), st.integers(1, 200))
@settings(deadline=None, max_examples=50)
def test_exact_estimates_never_exceed_the_limit(limit: float, jobs: int, tokens: int) -> None:
    budget = Budget(limit, lambda: {"find": tokens})
    results = asyncio.run(asked(budget, [request()] * 40, tokens=tokens, jobs=jobs))
    assert budget.spent <= limit * (1 + 1e-9)
    given_up = [each for each in results if isinstance(each, NoAnswer)]
    assert budget.cut is bool(given_up)
    if given_up:
        # Nothing that would have fitted was left out, and nothing was sent after the first that did not fit.
        assert budget.spent + (100 + 4 * tokens) / 1e6 > limit
        assert results[: len(results) - len(given_up)] == [answer(tokens)] * (len(results) - len(given_up))


def test_a_higher_token_count_corrects_the_estimate() -> None:
    budget = Budget(0.01, lambda: {"find": 1})
    aside = admitted(budget)
    assert aside == pytest.approx(104 / 1e6)
    budget.settle(aside, request(), answer(1, 300), PRICES)
    assert asyncio.run(budget.admit(request(), PRICES)) == pytest.approx(304 / 1e6)


class TestMany:
    def run(self, items: Any, one: Any, jobs: int = 3) -> list[Any]:
        return asyncio.run(many(items, one, jobs=jobs))

    def test_results_in_the_order_of_the_items(self) -> None:
        async def one(item: int) -> int:
            for _ in range(10 - item):
                await asyncio.sleep(0)
            return item * item

        assert self.run(iter(range(10)), one) == [i * i for i in range(10)]
        assert self.run([], one) == []

    def test_the_first_error_cancels_the_rest(self) -> None:
        ended: list[int] = []

        async def one(item: int) -> int:
            try:
                if item == 2:
                    raise UsageError("no")
                await asyncio.sleep(60)
            finally:
                ended.append(item)
            return item

        with pytest.raises(UsageError, match="no"):
            self.run(range(100), one)
        assert sorted(ended) == [0, 1, 2]


TABLE = {
    "gpt-5": PriceConfig(input=1.25, output=10.0),
    "gpt-5-mini": PriceConfig(input=0.25, output=2.0),
    "claude-sonnet-4": PriceConfig(input=3.0, output=15.0),
    "free": PriceConfig(input=0.0, output=0.0),
}


def test_cost_by_hand() -> None:
    # 1,200 × 0.25 / 1e6 = 0.0003; 300 × 2 / 1e6 = 0.0006
    assert Prices(TABLE).usd("gpt-5-mini", 1200, 300) == pytest.approx(0.0009)
    assert Prices(TABLE).usd("free", 10, 10) == 0.0
    assert Prices(TABLE).usd("gpt-5", 0, 0) == 0.0


@every_row(
    ("cached_price", "cached", "usd"),
    [
        (None, 0, 0.0009),
        (None, 800, 0.0009),  # no price of its own
        (0.025, 800, 0.00072),  # 400 × 0.25 + 800 × 0.025 + 300 × 2, per million
        (0.0, 1200, 0.0006),
        (0.0, 5000, 0.0006),  # a provider cannot cache more than it was sent
    ],
)
def test_cached_input_has_its_own_price(cached_price: float | None, cached: int, usd: float) -> None:
    prices = Prices({"gpt-5-mini": PriceConfig(input=0.25, output=2.0, cached=cached_price)})
    assert prices.usd("gpt-5-mini", 1200, 300, "", cached) == pytest.approx(usd)


@every_row("model", ["gpt-5-mini", "gpt-4.1", "gpt-5-mini-2099-01-01"])
def test_the_known_price_of_cached_input_is_lower(model: str) -> None:
    costs = [known_usd(model, "https://api.openai.com/v1", 10_000, 100, cached) for cached in (0, 4000, 8000)]
    assert None not in costs
    dear, less, least = (cost or 0.0 for cost in costs)
    assert dear > less > least > 0
    assert dear - less == pytest.approx(less - least)
    assert known_usd("gpt-of-tomorrow", "https://api.openai.com/v1", 10, 10, 5) is None


@every_row(
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
    assert price_of(model, TABLE) == (TABLE[name] if name else None)


def test_an_unknown_cost_is_none() -> None:
    assert Prices(TABLE).usd("mystery", 10, 10) is None
    assert Prices(TABLE).usd("gpt-5", None, 10) is None
    assert Prices(TABLE).usd("gpt-5", 10, None) is None
    assert Prices({}).usd("gpt-5", 10, 10) is None


@every_row(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("x" * 400, 100)])
def test_estimate(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


MCP = 'type = "mcp"\nversion = "1.0"\ntool = "recall"\n'
STDIO, HTTP = f'{MCP}command = "python"\n', f'{MCP}url = "http://localhost:8000/mcp"\n'
COMMAND = 'type = "command"\nversion = "1.0"\ncommand = "./ask"\n'
FUNCTION = 'type = "python"\nversion = "1.0"\ncallable = "notes:find"\n'
FREE = 'cost = "free"\n'


@every_row(
    ("settings", "more", "model", "usd"),
    [
        (STDIO, "", "mcp", 0.0),
        (COMMAND, "", "command", 0.0),
        (FUNCTION, "", "python", 0.0),
        (HTTP, "", "mcp", None),
        (HTTP + FREE, "", "mcp", 0.0),
        (HTTP, "[prices.mcp]\ninput = 1\noutput = 1\n", "mcp", 3e-6),
        (STDIO, "[prices.mcp]\ninput = 1\noutput = 1\n", "mcp", 3e-6),
        (STDIO + FREE, "[prices.mcp]\ninput = 1\noutput = 1\n", "mcp", 0.0),
        ('preset = "vllm"\nmodel = "m"\n', "", "m", 0.0),
        ('preset = "gemini"\nmodel = "m"\n', "", "m", None),
        ('preset = "gemini"\nmodel = "m"\n' + FREE, "", "m", 0.0),
        ('preset = "local"\n', "", "smollm", 0.0),
        ("", f"[provider]\n{FREE}", "m", 0.0),
        ('base_url = "https://paid.example.org/v1"\n', f"[provider]\n{FREE}", "m", None),
    ],
)
def test_free_providers(settings: str, more: str, model: str, usd: float | None, tmp_path: Path) -> None:
    (tmp_path / "row3.toml").write_text(
        f'{more}[suites.notes]\nkind = "retrieval"\n[suites.notes.provider]\n{settings}'
    )
    project = open_project(tmp_path)
    prices = prices_of(project, make_suite(project.config, "notes"))
    assert prices.usd(model, 1, 2) == (None if usd is None else pytest.approx(usd))
    if usd == 0.0:
        assert prices.usd(model, None, None) == 0.0  # what is free needs no count


def test_an_arm_and_a_judge_have_separate_prices(tmp_path: Path) -> None:
    arms = f"[suites.a.arms.baseline.provider]\n{STDIO}[suites.a.arms.full.provider]\n{HTTP}"
    (tmp_path / "row3.toml").write_text(f'[judge]\ncost = "free"\n[suites.a]\nkind = "outcome"\n{arms}')
    project = open_project(tmp_path)
    prices = prices_of(project, make_suite(project.config, "a"))
    assert [prices.of("mcp", arm) is None for arm in ("baseline", "full")] == [False, True]
    assert [prices.of("m", by) is None for by in ("judge", "baseline", "full")] == [False, True, True]


@every_row(
    ("provider", "model", "priced"),
    [
        ("", "gpt-5-mini", True),
        ('preset = "openai"\n', "gpt-5-mini-2099-01-01", True),  # a release
        ('preset = "anthropic"\n', "claude-sonnet-4-5", True),
        ('preset = "gemini"\n', "gemini-2.5-flash", True),
        ('preset = "openrouter"\n', "openai/gpt-5-mini", True),
        ('preset = "anthropic"\n', "gpt-5-mini", False),  # of another provider
        ('preset = "vllm"\nbase_url = "https://paid.example.org/v1"\n', "gpt-5-mini", False),
        ('preset = "vllm"\nkey_variable = "PAID"\n', "gpt-5-mini", False),
        ('base_url = "https://paid.example.org/v1"\n', "gpt-5-mini", False),
        ("", "gpt-of-tomorrow", False),
        ("", "mcp", False),
    ],
)
def test_known_models_have_prices_at_their_provider(provider: str, model: str, priced: bool, tmp_path: Path) -> None:
    (tmp_path / "row3.toml").write_text(f'[provider]\n{provider}[suites.notes]\nkind = "retrieval"\n')
    project = open_project(tmp_path)
    suite = make_suite(project.config, "notes")
    assert prices_of(project, suite).usd(model, 1000, 1000) is None  # scores and replay know only row3.toml
    prices = prices_of(project, suite, known_models=True)
    one, two = prices.usd(model, 1000, 1000), prices.usd(model, 2000, 2000)
    assert (one is not None and two == pytest.approx(2 * one) and one > 0) if priced else one is None
    assert prices.usd(model, None, 10) is None
    if not priced:
        with pytest.raises(UsageError, match="the price of .* is unknown"):
            Budget(1.0).check([(model, "")], prices)
    else:
        Budget(1.0).check([(model, "")], prices)


@every_row(
    "provider",
    [
        *(f'preset = "{preset}"' for preset in ("vllm", "ollama", "llama.cpp", "local")),
        'preset = "vllm"\nbase_url = "http://127.0.0.1:9/v1"',
        'preset = "vllm"\nbase_url = "http://[::1]:9/v1"',
    ],
)
def test_what_runs_here_is_free_unless_priced(provider: str, tmp_path: Path) -> None:
    config = tmp_path / "row3.toml"
    config.write_text(f'[provider]\n{provider}\n[suites.notes]\nkind = "retrieval"\n')
    project = open_project(tmp_path)
    prices = prices_of(project, make_suite(project.config, "notes"), known_models=True)
    assert prices.usd("qwen", None, None) == 0.0
    Budget(1.0).check([("qwen", "")], prices)
    config.write_text(f"{config.read_text()}[prices.qwen]\ninput = 1\noutput = 3\n")
    project = open_project(tmp_path)
    prices = prices_of(project, make_suite(project.config, "notes"))
    assert prices.usd("qwen", 1_000_000, 1_000_000) == pytest.approx(4.0)


def test_a_price_of_the_project_comes_first(tmp_path: Path) -> None:
    (tmp_path / "row3.toml").write_text(
        '[prices."gpt-5-mini"]\ninput = 1\noutput = 3\n[suites.notes]\nkind = "retrieval"\n'
    )
    project = open_project(tmp_path)
    prices = prices_of(project, make_suite(project.config, "notes"), known_models=True)
    assert prices.usd("gpt-5-mini", 1_000_000, 1_000_000) == pytest.approx(4.0)
