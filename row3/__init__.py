"""row3: a prompt regression harness.

>>> import row3
>>> card = row3.score("decomposition", outputs, project=".")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from row3.running.score import score

__all__ = ["__version__", "score"]


def __getattr__(name: str) -> Any:
    # Loaded when first asked for: `import row3` stays at the price of a bare interpreter.
    if name == "score":
        from row3.running.score import score

        return score
    raise AttributeError(f"module 'row3' has no attribute {name!r}")
