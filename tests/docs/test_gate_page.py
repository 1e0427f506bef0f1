"""The table of reason codes in docs/gate.md has every code of the enum, with the verdicts that it can lead to."""

from __future__ import annotations

import re
from pathlib import Path

from row3.domain.judgements import Code

PAGE = Path(__file__).parents[2] / "docs" / "gate.md"
ROW = re.compile(r"^\| `([a-z_]+)` \| (?:(?:block|investigate|note|incomplete)(?:, )?)+ \| \S.*\. \|$", re.MULTILINE)


def test_the_table_has_every_code_in_the_order_of_the_enum():
    assert ROW.findall(PAGE.read_text(encoding="utf-8")) == list(Code)
