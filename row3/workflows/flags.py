"""What the command line says of the gate and of asking a provider, and all it says, to be said again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from row3.domain.given import Given
from row3.gate.policy import PolicyName
from row3.store.suites import Suite, with_limits
from row3.workflows.pipeline.run_suite import RunOptions

MAX_REPEATS = 5
"""Rounds of an adaptive comparison, unless more are allowed."""


@dataclass(frozen=True, slots=True)
class GateFlags:
    """What the command line says of the gate; stronger than `row3.toml`, and a looser rule blocks all the same."""

    policy: PolicyName | None = None
    inconclusive: Literal["investigate", "block"] | None = None
    fail: str | None = None
    """Limits of single metrics, as `row3.gate.policy.parse_limits` reads them."""

    def __str__(self) -> str:
        return " ".join(f"--{name} {value}" for name, value in self.given)

    @property
    def given(self) -> list[tuple[str, str]]:
        """What was said, by the names of the options."""
        options = {"policy": self.policy, "inconclusive": self.inconclusive, "fail": self.fail}
        return [(name, value) for name, value in options.items() if value]

    def applied(self, suite: Suite) -> Suite:
        """The suite under these; raises `UsageError` for limits that are none."""
        old = suite.policy
        policy = replace(old, policy=self.policy or old.policy, inconclusive=self.inconclusive or old.inconclusive)
        if self.fail:
            policy = with_limits(policy, suite.kind, self.fail, where="--fail")
        return replace(suite, policy=policy)


NO_FLAGS: Final = GateFlags()


@dataclass(frozen=True, slots=True)
class LiveFlags:
    """What the command line says of a run that asks a provider."""

    interleave: bool = True
    """A comparison asks the baseline's prompts again, in the same run."""
    adaptive: bool = False
    max_repeats: int = MAX_REPEATS
    """Rounds of an adaptive comparison."""
    max_cost: float | None = None
    """US dollars that this command may spend."""

    @property
    def given(self) -> list[tuple[str, str]]:
        """What was said, by the names of the options; no value for a switch."""
        said = {
            "adaptive": "" if self.adaptive else None,
            "max-repeats": str(self.max_repeats) if self.max_repeats != MAX_REPEATS else None,
            "max-cost": None if self.max_cost is None else f"{self.max_cost:g}",
            "no-interleave": None if self.interleave else "",
        }
        return [(name, value) for name, value in said.items() if value is not None]


def given_by(
    options: RunOptions,
    named: Sequence[str],
    gate: GateFlags = NO_FLAGS,
    live: LiveFlags | None = None,
    directory: str = "",
) -> Given:
    """Return the options that select answers and set the gate, as they were typed."""
    overrides = options.overrides
    said: list[tuple[str, Any]] = [
        ("C", directory or None),
        *(("prompt", text) for text in named),
        ("model", overrides.model),
        ("temperature", overrides.temperature),
        ("seed", overrides.seed),
        ("max-tokens", overrides.max_tokens),
        ("repeats", options.repeats if options.repeats > 1 else None),
        ("mode", None if live is not None and live.adaptive else options.mode),
        *gate.given,
        *(() if live is None else live.given),
    ]
    return Given(tuple((name, str(value)) for name, value in said if value is not None))
