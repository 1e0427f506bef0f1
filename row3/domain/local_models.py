"""The small models that run in this process: their names, and how they are shown."""

from __future__ import annotations

DEFAULT = "gemma3"
NAMES = {"smollm2": "smollm2-135m", "gemma3": "gemma3-270m"}
"""Full name by family."""
WEAK = "(local, weak)"
"""Said wherever such a model is named to people."""


def family_of(name: str) -> str | None:
    """The family that the local provider takes a model's name for, as `smollm2` for `SmolLM2-135M`; None for none."""
    asked = name.lower().removesuffix(WEAK).strip().replace("gemma-3", "gemma3")
    if asked in ("", "local", "default"):
        return DEFAULT
    return next((family for family in NAMES if asked == family or asked.startswith(f"{family}-")), None)


def labelled(model: str) -> str:
    """The name of a model, or of those of several stages, as people are shown it where the local provider answers."""
    names = model.split(", ")
    return ", ".join(f"{name} {WEAK}" if name and family_of(name) else name for name in names)
