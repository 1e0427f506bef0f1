"""Why a metric says nothing of an answer, where the answer alone is why: there is nothing in it to be judged."""

from __future__ import annotations

NO_EVENT_FOUND = "no event was found"
NO_EVENT_EXTRACTED = "no event was extracted"
NO_ENTITY_FOUND = "no entity was found"
NO_MENTION_FOUND = "no mention was found"
NONE_VALID = "no connection is valid"
NONE_RETURNED = "no connection was returned"
NO_RESULTS = "there are no results"

EMPTY = frozenset(
    (NO_EVENT_FOUND, NO_EVENT_EXTRACTED, NO_ENTITY_FOUND, NO_MENTION_FOUND, NONE_VALID, NONE_RETURNED, NO_RESULTS)
)
"""All of them. Every other reason lies in the case."""
