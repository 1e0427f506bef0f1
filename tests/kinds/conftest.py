"""A small case, and a function that scores outputs against it with default settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from row3.domain.scores import CaseScore
from row3.kinds.answers import Parsed
from row3.kinds.base import Rules
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.kinds.extraction.score import METRICS
from tests.scoring import case_of, score_by

Score = Callable[..., CaseScore]


@pytest.fixture(scope="session")
def rules() -> Rules:
    """Return a suite's default settings."""
    return Rules(
        weights={metric.key: metric.weight for metric in METRICS if metric.weight},
        thresholds={metric.key: metric.threshold for metric in METRICS if metric.threshold},
    )


@pytest.fixture(scope="session")
def small_case() -> dict[str, Any]:
    """Return a case with four concepts, three relationships, two canaries and one forbidden relationship, as JSON."""
    return {
        "id": "small",
        "topic": "Learning",
        "sourceText": (
            "Machine learning (ML) finds patterns in training data. Gradient descent lowers the loss function.\n\n"
            "A neural network requires training data; without it, overfitting follows."
        ),
        "expectedConcepts": [
            {"label": "Machine learning", "aliases": ["ML"]},
            {"label": "Gradient descent"},
            {"label": "Neural network", "aliases": ["Neural net"], "required": False},
            {"label": "Training data"},
        ],
        "expectedRelationships": [
            {"source": "Neural network", "target": "Training data", "predicate": "REQUIRES"},
            {"source": "Neural network", "target": "Machine learning", "predicate": "IS_A"},
            {"source": "Machine learning", "target": "Training data", "predicate": "RELATES_TO"},
        ],
        "forbiddenConcepts": ["Neural osmosis", "Quantum backfolding"],
        "forbiddenRelationships": [{"source": "Training data", "target": "Gradient descent", "predicate": "CAUSES"}],
    }


@pytest.fixture(scope="session")
def score(rules: Rules, small_case: dict[str, Any]) -> Score:
    """Return a function that scores an output, a JSON value, against the small case with some fields replaced."""

    def scored(output: Any, **fields: Any) -> CaseScore:
        case = case_of(GoldenCase, small_case | fields)
        parsed = EXTRACTION.read_output(output)
        assert isinstance(parsed, Parsed), parsed
        return score_by(EXTRACTION, case, parsed.value, rules)

    return scored
