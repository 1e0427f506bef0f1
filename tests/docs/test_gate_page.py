"""The table of reason codes in docs/gate.md is the one the enum makes."""

from __future__ import annotations

from pathlib import Path

from row3.reports.reason_text import code_table

PAGE = Path(__file__).parents[2] / "docs" / "gate.md"


def test_the_table_of_codes_is_made_from_the_enum():
    assert code_table() in PAGE.read_text(encoding="utf-8")
