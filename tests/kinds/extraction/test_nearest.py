"""A missed concept names the nearest extracted name, however dissimilar."""

from __future__ import annotations

from row3.kinds.base import Rules
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from tests.scoring import case_of, score_by


def test_every_miss_names_the_nearest_extracted_concept() -> None:
    case = case_of(
        GoldenCase,
        {"id": "a", "sourceText": "Machine learning uses data.", "expectedConcepts": [{"label": "gradient descent"}]},
    )
    output = EXTRACTION.read_output({"concepts": [{"label": "gradient"}, {"label": "data"}]}).value
    (missed,) = score_by(EXTRACTION, case, output, Rules()).explanation.expected_concepts
    assert (missed.found_by, missed.nearest) == (None, "gradient")
    assert missed.score == 1 - 8 / 16  # eight letters of sixteen are missing


def test_an_empty_extraction_has_nothing_near() -> None:
    case = case_of(
        GoldenCase, {"id": "a", "sourceText": "Machine learning.", "expectedConcepts": [{"label": "Machine learning"}]}
    )
    output = EXTRACTION.read_output({"concepts": []}).value
    (missed,) = score_by(EXTRACTION, case, output, Rules()).explanation.expected_concepts
    assert (missed.nearest, missed.score) == (None, 0.0)
