"""Prompts that tell what is to be found: they score high on their cases and on nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from row3.domain.prompts import Prompt
from row3.kinds.base import Kind

NAMED = frozenset({"concept", "entity", "event"})
"""What an answer has to name."""
LEAST, SHARE = 3, 0.5
"""A prompt's examples may name a thing that some case expects, but not half of what one case does."""
SHOWN = 3


def leak(prompt: Prompt, kind: Kind, cases: Sequence[Any]) -> str:
    """Return which case's expectations stand in a prompt, in words; empty for none."""
    text = " ".join(prompt.body.casefold().split())
    for case in cases:
        names = {each.name for each in kind.expected(case) if each.what in NAMED}
        told = sorted(name for name in names if re.search(rf"\b{re.escape(name.casefold())}\b", text))
        if len(told) >= LEAST and len(told) >= SHARE * len(names):
            shown = ", ".join(f"`{name}`" for name in told[:SHOWN])
            return f"names {len(told)} of {len(names)} items that case `{case.id}` expects ({shown} …): take them out"
    return ""
