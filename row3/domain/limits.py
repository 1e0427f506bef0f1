"""Bounds that the command line and files share."""

from __future__ import annotations

MOST_REPEATS = 100
"""How often a case may be asked."""
