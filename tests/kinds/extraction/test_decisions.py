"""Decisions about names that are spelt anew at each mention, recorded before matching was made faster.

A faster matcher decides as the slower one did. Where a decision has to change, `python -m
tests.kinds.extraction.test_decisions` writes the file anew, and its difference shows what changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.open_names import make_case
from row3.domain.asks import finish, no_vectors
from row3.domain.misfits import convert
from row3.kinds.answers import Parsed
from row3.kinds.base import Rules
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.score import KIND
from row3.matching.scorers import NameRule

FILE = Path(__file__).parents[2] / "data" / "open_decisions.jsonl"
RULES = {"all": Rules(), "plain": Rules(names=NameRule(plain=True))}
SHARE = 0.4
CASES = 6


def decisions(number: int, rules: str) -> dict[str, Any]:
    """Return what became of each concept, expected concept and relationship of a case."""
    made = make_case(number, SHARE)
    read = KIND.read_output(made.outputs["1.0"])
    assert isinstance(read, Parsed)
    score = finish(KIND.score(convert(made.golden, GoldenCase), read.value, RULES[rules]), no_vectors)
    found = score.explanation
    return {
        "case": number,
        "rules": rules,
        "concepts": [
            [m.label, m.state, m.expected, m.score, m.quote, m.grounded, m.how or m.why_not] for m in found.concepts
        ],
        "missed": [[e.label, e.nearest, e.score] for e in found.expected_concepts if e.found_by is None],
        "relationships": [[str(m.triple), m.state, m.expected and str(m.expected)] for m in found.relationships],
        "metrics": dict(score.metrics),
    }


@pytest.mark.parametrize("line", FILE.read_text(encoding="utf-8").splitlines())
def test_open_names_are_decided_as_recorded(line: str) -> None:
    recorded = json.loads(line)
    assert decisions(recorded["case"], recorded["rules"]) == recorded


if __name__ == "__main__":
    lines = [json.dumps(decisions(number, rules), ensure_ascii=False) for rules in RULES for number in range(CASES)]
    FILE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
