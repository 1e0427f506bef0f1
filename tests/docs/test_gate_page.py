"""The table of reason codes in docs/gate.md is the one the enum makes."""

from __future__ import annotations

from pathlib import Path

from row3.domain.judgements import Code

PAGE = Path(__file__).parents[2] / "docs" / "gate.md"


ROWS = [f"| `{code.value}` | {code.verdicts} | {code.meaning} |" for code in Code]
TABLE = "\n".join(["| Code | Verdict | Meaning |", "| :-- | :-- | :-- |", *ROWS]) + "\n"


def test_the_table_of_codes_is_made_from_the_enum():
    assert TABLE in PAGE.read_text(encoding="utf-8")
