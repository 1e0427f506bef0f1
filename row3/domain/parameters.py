"""Parameters of a model's requests that are part of a recording only if they are set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

NAMES = "reasoning_effort verbosity top_p stop presence_penalty frequency_penalty service_tier extra_body api"
EXTRA: Final[Mapping[str, str]] = {name: name[0] + name.title().replace("_", "")[1:] for name in NAMES.split()}
"""By the name of OpenAI's API, their key in files."""
Extra = Mapping[str, Any]
"""Those that are set, by the API's names; not to be changed."""


def extra_json(extra: Extra) -> dict[str, Any]:
    """Return them with the keys that files use."""
    return {EXTRA[name]: value for name, value in extra.items()}


def changed_keys(value: Mapping[str, Any], *others: Mapping[str, Any]) -> list[str]:
    """Return the keys of files whose parameter differs from that of any other; one that is not set is None."""
    keys = dict.fromkeys(key for each in (value, *others) for key in each)
    return [key for key in keys if any(each.get(key) != value.get(key) for each in others)]


def extra_from(value: Mapping[str, Any]) -> dict[str, Any]:
    """Read them from a saved run, a manifest or a recording."""
    return {name: value[key] for name, key in EXTRA.items() if key in value}
