"""Price a run, and keep to `--max-cost`: send no request that would exceed it.

Prices in `row3.toml` come first, then the table of the package genai-prices, by address of the service and model. It is
part of the package, so a price is as new as the installed release. Scores never depend on it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from row3.domain.calls import CALLED
from row3.domain.endpoints import LITELLM, PRESETS, is_here
from row3.domain.numbers import decimal, money
from row3.domain.requests import JUDGE, Answer, NoAnswer, Request
from row3.errors import UsageError
from row3.project.config import JudgeConfig, PriceConfig, ProviderConfig
from row3.project.judges import judge_settings
from row3.project.project import Project
from row3.project.recordings import open_index
from row3.project.suites import Owner, Suite
from row3.project.system_config import is_started_by_row3

if TYPE_CHECKING:
    import asyncio

    from genai_prices.types import ModelPrice

# A dated or numbered release of the same model: -2026-01-01, -20260101, -0613, -002. Not -5: claude-sonnet-4-5 is not
# a release of claude-sonnet-4.
_RELEASE = re.compile(r"-\d{3,}(?:-\d+)*$")

BATCH_SHARE = 0.5
"""Price of a batch's answers as a share of the live price: https://platform.openai.com/docs/guides/batch."""
FREE = PriceConfig.model_construct(input=0.0, output=0.0)


def price_of(model: str, prices: Mapping[str, PriceConfig]) -> PriceConfig | None:
    """Return the price of a model, or of the longest listed name it is a release of; None if neither is listed."""
    if model in prices:
        return prices[model]
    families = [name for name in prices if model.startswith(name) and _RELEASE.fullmatch(model, len(name))]
    return prices[max(families, key=len)] if families else None


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a suite's answers."""

    table: Mapping[str, PriceConfig]
    """Prices in `row3.toml`, by model, or by a system's type such as `mcp`."""
    free: Mapping[tuple[str, bool], bool] = field(default_factory=dict)
    """Free providers, by `Request.by` and whether it is a system: True if set to free, False if free unless priced."""
    services: Mapping[str, str] = field(default_factory=dict)
    """Addresses by `Request.by`, for the prices of known models; none, if only configured prices count."""
    halved: frozenset[str] = frozenset()
    """Providers that answer in batches, by `Request.by`."""

    def of(self, model: str, by: str = "") -> PriceConfig | None:
        """Return the price of a model or system; None if unknown."""
        free = self.free.get((by, model in CALLED))
        return FREE if free else price_of(model, self.table) or (None if free is None else FREE)

    def usd(
        self, model: str, prompt_tokens: int | None, completion_tokens: int | None, by: str = "", cached_tokens: int = 0
    ) -> float | None:
        """Return the cost in US dollars; None if the price or a count is unknown. The prompt's includes the cached."""
        share = BATCH_SHARE if by in self.halved and model not in CALLED else 1.0
        price = self.of(model, by)
        if price is FREE:
            return 0.0
        if prompt_tokens is None or completion_tokens is None:
            return None
        cached = min(cached_tokens, prompt_tokens)
        if price is None:
            service = "" if model in CALLED else self.services.get(by, "")
            known = known_usd(model, service, prompt_tokens, completion_tokens, cached) if service else None
            return None if known is None else share * known
        saved = 0.0 if price.cached is None else cached * (price.input - price.cached)
        return share * (prompt_tokens * price.input - saved + completion_tokens * price.output) / 1_000_000


def known_usd(model: str, service: str, prompt_tokens: int, completion_tokens: int, cached: int = 0) -> float | None:
    """Return the cost in US dollars by the table of genai-prices; None for a model unknown at this address."""
    from genai_prices import Usage

    price = _known_price(model, service)
    if price is None:
        return None
    usage = Usage(input_tokens=prompt_tokens, cache_read_tokens=cached, output_tokens=completion_tokens)
    return float(price.calc_price(usage)["total_price"])


@cache
def _known_price(model: str, service: str) -> ModelPrice | None:
    from genai_prices import Usage, calc_price

    for name in dict.fromkeys((model, _RELEASE.sub("", model))):
        try:
            return calc_price(Usage(), name, provider_api_url=service).model_price
        except LookupError:
            continue
    return None


def estimate_tokens(text: str) -> int:
    """Return the tokens in a text at four characters each, rounded up.

    About 20% off for English prose; half the true number for code and other scripts.
    """
    return (len(text) + 3) // 4


FILE_TOKENS = 1500
"""Estimate for a file: a picture of 1,000 by 1,000 pixels, or a page."""


def estimate_sent(request: Request) -> int:
    """Return the tokens in a request's texts and files."""
    return sum(map(estimate_tokens, request.texts)) + FILE_TOKENS * len(request.files)


FIRST_GUESS = 1000
"""Tokens assumed for the first answer to a request without a limit."""


def prices_of(project: Owner, suite: Suite, *, known_models: bool = False) -> Prices:
    """Return the prices of a suite's answers; what runs on this machine is free unless `row3.toml` sets a price.

    `known_models` adds those of genai-prices (0.2 s), and halves those of batches: to show and limit what is spent, and
    never to score it.
    """
    judge = judge_settings(project.config, suite.name)
    known, services = [(JUDGE, False, judge.cost, _keyless(judge))], {JUDGE: _service(judge)}
    for by, arm in (suite.arms or {"": suite}).items():
        known.append((by, False, arm.provider.cost, _keyless(arm.provider)))
        services[by] = _service(arm.provider)
        if arm.system is not None:
            known.append((by, True, arm.system.cost, is_started_by_row3(arm.system)))
    halved = [by for by, arm in (suite.arms or {"": suite}).items() if arm.provider.batch]
    halved += [JUDGE] if judge.batch else []
    free = {(by, called): cost is not None for by, called, cost, here in known if here or cost is not None}
    if not known_models:
        return Prices(project.config.prices, free)
    return Prices(project.config.prices, free, services, frozenset(halved))


def _service(provider: ProviderConfig | JudgeConfig) -> str:
    return provider.base_url or PRESETS[provider.preset or "openai"].base_url


def _keyless(provider: ProviderConfig | JudgeConfig) -> bool:
    """Return whether a model runs on this machine behind no key."""
    key = provider.key_variable or PRESETS[provider.preset or "openai"].key_variable
    cloud = provider.preset in LITELLM
    return key is None and not cloud and (not (url := _service(provider)) or is_here(url))


class Budget:
    """US dollars that one command may spend.

    Each request reserves an estimate: its text at four characters per token, corrected by the provider's counts so far,
    and the longest answer to its prompt so far (at first: among those `recorded`). So spending can exceed the limit by
    no more than the error of that estimate.
    """

    def __init__(self, limit: float, recorded: Callable[[], Mapping[str, int]] = dict) -> None:
        self.limit = limit
        self.spent = 0.0
        self.cut = False
        """Whether a request was refused."""
        self._reserved = 0.0
        self._under_way = 0
        self._longest: dict[str, int] = {}
        self._counted = 1.0
        """Highest ratio so far of the provider's token count to the estimate."""
        self._recorded = recorded
        self._settled: asyncio.Event | None = None

    def check(self, models: Iterable[tuple[str, str]], prices: Prices) -> None:
        """Raise `UsageError` for a model without a price; each is given with its `Request.by`."""
        for model, by in dict.fromkeys(models):
            if prices.usd(model, 0, 0, by) is None:
                fix = f'Add [prices."{model}"] to row3.toml: input and output, US dollars per million tokens; '
                fix += 'or set `cost = "free"` for its provider'
                raise UsageError(f"the price of `{model}` is unknown", where="--max-cost", fix=fix)

    async def admit(self, request: Request, prices: Prices) -> float | NoAnswer:
        """Reserve the cost of a request and return it; a `NoAnswer` if it would exceed the limit."""
        import asyncio

        estimate = self._estimate(request, prices)
        while not self.cut and self.spent + self._reserved + estimate > self.limit:
            if not self._under_way:
                self.cut = True
                break
            # Answers under way may cost less than reserved.
            self._settled = self._settled or asyncio.Event()
            await self._settled.wait()
        if self.cut:
            what = f"not sent: {money(self.spent)} of --max-cost ${decimal(self.limit)} is spent"
            if estimate > self.limit:
                return NoAnswer(f"{what}, and one request may cost {money(estimate)}", "Raise --max-cost")
            return NoAnswer(what, "Run it with --continue, with the same budget again")
        self._reserved += estimate
        self._under_way += 1
        return estimate

    def settle(self, reserved: float, request: Request, answer: Answer | NoAnswer | None, prices: Prices) -> None:
        """Release a reservation and book the answer; None if the request was interrupted."""
        self._under_way -= 1
        self._reserved = self._reserved - reserved if self._under_way else 0.0
        if isinstance(answer, Answer):
            written = answer.completion_tokens
            written = estimate_tokens(answer.text) if written is None else written
            guessed = estimate_sent(request)
            read = guessed if answer.prompt_tokens is None else answer.prompt_tokens
            self._counted = max(self._counted, read / max(1, guessed))
            self.spent += prices.usd(request.model, read, written, request.by, answer.cached_tokens or 0) or 0.0
            self._longest[request.prompt] = max(self._longest.get(request.prompt, 0), written)
        if self._settled is not None:
            self._settled.set()
            self._settled = None

    def _estimate(self, request: Request, prices: Prices) -> float:
        written = self._longest.get(request.prompt) or self._guess(request)
        read = self._counted * estimate_sent(request)
        return prices.usd(request.model, math.ceil(read), written, request.by) or 0.0

    def _guess(self, request: Request) -> int:
        size = self._recorded().get(request.prompt.rpartition("-v")[0])
        if size is None:
            return request.max_tokens or FIRST_GUESS
        return size if request.max_tokens is None else min(size, request.max_tokens)


def open_budget(project: Project, suites: Sequence[Suite], limit: float) -> Budget:
    """Return the budget of a command over these suites; recorded answers give the first estimates of length."""

    @cache
    def longest() -> dict[str, int]:
        sizes: dict[str, int] = {}
        for recording in chain.from_iterable(open_index(project.tree, suite.name).all() for suite in suites):
            name = recording.prompt.rpartition("-v")[0]
            tokens = recording.answer.completion_tokens or estimate_tokens(recording.answer.text)
            sizes[name] = max(sizes.get(name, 0), tokens)
        return sizes

    return Budget(limit, longest)
