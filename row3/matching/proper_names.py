"""Names of places and families that have a look-alike one slip away, and that the word list leaves out."""

from __future__ import annotations

from row3.matching.lexicon import words

NAMES = words("")
