"""Which types of concepts and entities are types of persons."""

from __future__ import annotations

from functools import lru_cache

from row3.matching.lexicon.lists import words
from row3.matching.variant.forms import category_key

_PERSONS = frozenset(map(category_key, ("person", "human", "individual", "per")))
_OTHERS = frozenset(
    map(
        category_key,
        words(
            "org organization company institution agency team club place location city country region gpe loc facility "
            "event date time product software work artwork law policy disease drug chemical gene protein species law "
            "concept process theory method technology industry currency language document project system award"
        ),
    )
)
"""Types whose members are not persons, even if named like one."""


@lru_cache(maxsize=256)
def is_person_type(type_: str | None) -> bool | None:
    """Return whether something of this type is a person; None if the type does not say."""
    key = category_key(type_) if type_ is not None else ""
    return True if key in _PERSONS else False if key in _OTHERS else None
