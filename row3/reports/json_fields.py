"""Fields of a value as JSON, under their own names."""

from __future__ import annotations

import re
from typing import Any


def json_fields(value: object, *names: str) -> dict[str, Any]:
    """Return these fields of a value; `cost_usd` becomes `costUsd`."""
    return {re.sub(r"_(\w)", lambda match: match[1].upper(), name): getattr(value, name) for name in names}
