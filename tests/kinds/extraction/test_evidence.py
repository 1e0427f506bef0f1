"""Which source quotes count as evidence, tested through whole scores."""

from __future__ import annotations

from typing import Any

import pytest

from row3.kinds.answers import Parsed
from row3.kinds.base import Rules
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from tests.scoring import case_of, score_by

CASE: dict[str, Any] = {
    "id": "leaf",
    "sourceText": (
        "The plants use photosynthesis. Isaac Newton studied optics; Newton's method came later. "
        "Ribonucleic acid (RNA) carries it. Four percent of leaves fall; the party ended in 2012."
    ),
    "expectedConcepts": [
        {"label": "Photosynthesis"},
        {"label": "Isaac Newton", "aliases": ["Newton"]},
        {"label": "Ribonucleic acid"},
        {"label": "Leaf colour", "inferred": True},
    ],
}


def quote_state(label: str, quote: str) -> str:
    parsed = EXTRACTION.read_output({"concepts": [{"label": label, "sourceQuote": quote}]})
    assert isinstance(parsed, Parsed)
    result = score_by(EXTRACTION, case_of(GoldenCase, CASE), parsed.value, Rules())
    assert (result.metrics["provenanceVerified"] == 1.0) is (result.explanation.concepts[0].quote == "verified")
    return str(result.explanation.concepts[0].quote)


@pytest.mark.parametrize(
    ("label", "quote", "state"),
    [
        ("Photosynthesis", "use photosynthesis", "verified"),
        ("Photosynthesis", "the", "unsupported"),
        ("Photosynthesis", "Isaac Newton studied optics", "unsupported"),
        ("photosynthesys", "plants use photosynthesis", "verified"),  # of what it was matched with
        ("I. Newton", "Isaac Newton studied optics", "verified"),
        ("Isaac Newton", "Newton's method came later", "verified"),  # by its alias
        ("RNA", "Ribonucleic acid", "verified"),  # the text introduces it
        ("4% of leaves", "Four percent of leaves fall", "verified"),
        ("art", "the party ended in 2012", "unsupported"),
        ("12", "the party ended in 2012", "unsupported"),
        ("Leaf colour", "leaves fall", "verified"),  # the text has no name for what it implies
        ("Photosynthesis", "plants make photosynthesis", "unverified"),
        ("Photosynthesis", "N/A", "missing"),
        ("Photosynthesis", "--", "missing"),
    ],
)
def test_a_quote_is_evidence_if_it_mentions_its_concept(label: str, quote: str, state: str) -> None:
    assert quote_state(label, quote) == state
