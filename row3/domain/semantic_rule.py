"""The settings of the semantic tier; apart from it, so that a suite without it loads nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Similarity = Callable[[Sequence[str], Sequence[str]], Sequence[Sequence[float]]]
"""Of every text of the first to every text of the second, in [0, 1]."""

VERSION = 1
"""Of `row3.kinds.extraction.semantic`: raise it with every change that can move a match."""

LOCAL = "local"
"""What `row3.toml` calls the model in this process."""
LOCAL_MODEL = "local/all-minilm-l6-v2"
"""What recordings and signature call it, so that another one behind the same word is another."""

THRESHOLD = 0.80
"""Default. Measured for the local model: `docs/matching.md`."""


@dataclass(frozen=True, slots=True)
class SemanticRule:
    """How a suite matches by meaning."""

    model: str
    """Whose embeddings, as recordings name it."""
    threshold: float = THRESHOLD
    """Similarity in (0, 1] from which two names may be one."""

    def signature(self) -> str:
        """All that can move a match, as one word."""
        return f"semantic/{VERSION}={'_'.join(self.model.replace(':', '_').split())}>={self.threshold:g}"
