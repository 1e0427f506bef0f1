"""Where golden cases lie, as messages name it."""

from __future__ import annotations

from pathlib import Path

GOLDEN = "golden"


def shown(folder: Path) -> str:
    """A folder of golden cases from the project on: `golden/decomposition`, `golden/memory/documents`."""
    parts = folder.parts
    if GOLDEN not in parts:
        return f"{GOLDEN}/{folder.name}"
    last = len(parts) - 1 - parts[::-1].index(GOLDEN)
    return "/".join(parts[last:])
