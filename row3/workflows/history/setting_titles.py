"""What settings are called beside one another: two of the same versions and model are told apart by what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from row3.domain.counts import spoken
from row3.workflows.recorded.recorded_scores import Setting

DIGITS = 8
"""Of a prompt's digest, that tell one text of a version from another."""


def titles_of(settings: Sequence[Setting]) -> list[str]:
    """The title of each; where several have the same one, with the parameters and texts that they do not share."""
    alike = Counter(setting.title for setting in settings)
    return [
        " · ".join([setting.title, *(_differences(setting, settings) if alike[setting.title] > 1 else ())])
        for setting in settings
    ]


def _differences(setting: Setting, settings: Sequence[Setting]) -> Iterator[str]:
    """What is this setting's alone among those of its title: `map-ontology maxTokens 400`, `text 5f2a91c0`."""
    others = [other for other in settings if other.title == setting.title and other != setting]
    several = len(setting.prompts) > 1
    for i, (name, _, digest) in enumerate(setting.prompts):
        whose = f"{name} " if several else ""
        own = setting.parameters[i].as_json()
        for key, value in own.items():
            if any(other.parameters[i].as_json()[key] != value for other in others):
                yield f"{whose}{key} {spoken(value)}"
        if any(other.prompts[i][2] != digest for other in others):
            yield f"{whose}text {digest[:DIGITS] or 'unknown'}"
