"""The sentence under a block that says which of the two moved, the provider or the prompt."""

from __future__ import annotations

from typing import Literal

from row3.domain.intervals import Interval
from row3.gate.drift import Drift, known_text, moved_text, signed, steady_text

Moved = Literal["prompt", "provider", "both", "neither", "open"]


def interleaved(drift: Drift, *, fell: bool) -> tuple[Moved, str]:
    """Which of the two, where both sides were asked in one run.

    Args:
        drift: of the metric that blocks.
        fell: the candidates are worse than the baseline's prompts now by more than the gate's limit. If not, they block
            for what they are: in a fail zone.
    """
    if fell:
        beside = "the prompt: the candidates fall behind the baseline's prompts, asked in the same run"
        match drift.state:
            case "moved":
                return "both", f"{beside}; the provider moved as well: the baseline's own prompts {moved_text(drift)}"
            case "steady":
                return "prompt", f"the prompt: the baseline's prompts answer as before: {steady_text(drift)}"
        return "prompt", f"{beside}; whether these moved since their baseline is open: {steady_text(drift)}"
    holds = "beside them the candidates are within the limit"
    match drift.state:
        case "moved":
            return "provider", f"the provider moved: the baseline's own prompts {moved_text(drift)}; {holds}"
        case "steady":
            return "neither", f"neither moved: {holds}, and these answer as before: {steady_text(drift)}"
    return "open", f"not the prompt: {holds}; whether the provider moved is open: {steady_text(drift)}"


def by_sample(drift: Drift, beside: Interval | None) -> tuple[Moved, str]:
    """Which of the two, where the comparison was with the saved baseline and its prompts were asked again on a sample.

    Args:
        drift: of the metric that blocks, over the sample.
        beside: the candidates less the baseline's prompts, both as of now, over the sample.
    """
    now = ""
    if beside is not None:
        known = known_text(beside, beside.units)
        now = f"; as of now the candidates are at {signed(beside.estimate)} points from them ({known})"
    match drift.state:
        case "moved":
            text = f"the provider moved: the baseline's own prompts {moved_text(drift)}{now}"
            return "provider", f"{text}; --mode live compares both as of now"
        case "steady":
            return "prompt", f"the prompt: the baseline's prompts answer as before: {steady_text(drift)}"
    return "open", f"which of the two moved is open: the baseline's prompts are at {steady_text(drift)}{now}"


def not_known(why: str) -> str:
    """Where the baseline's prompts could not be asked again."""
    return f"which of the two moved is not known: the baseline's prompts could not be asked again: {why}"
