"""The small model that runs in this process: its name, and how it is shown."""

from __future__ import annotations

NAME = "gemma3-270m"
WEAK = "(local, weak)"
"""Shown wherever such a model is named to people."""
_MEANT = ("", "local", "default", "gemma3")


def is_local(name: str) -> bool:
    """Return whether the local provider takes a model's name for its own: `Gemma-3-270M`, `local` or nothing."""
    asked = name.lower().removesuffix(WEAK).strip().replace("gemma-3", "gemma3")
    return asked in _MEANT or asked.startswith("gemma3-")


def labelled(model: str) -> str:
    """Return the name of a model, or of those of several stages, as people see it where the local provider answers."""
    names = model.split(", ")
    return ", ".join(f"{name} {WEAK}" if name and is_local(name) else name for name in names)
