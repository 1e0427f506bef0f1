"""Which source quotes count as evidence, tested through whole scores."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from row3.kinds.answers import Parsed
from row3.kinds.base import Rules
from row3.kinds.extraction.lint import lint_case
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.quality import measure
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.matching.names import NameIndex
from row3.matching.scorers import NameRule
from tests.rows import every_row
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


def quote_state(label: str, quote: str, text: str = CASE["sourceText"]) -> str:
    parsed = EXTRACTION.read_output({"concepts": [{"label": label, "sourceQuote": quote}]})
    assert isinstance(parsed, Parsed)
    result = score_by(EXTRACTION, case_of(GoldenCase, CASE | {"sourceText": text}), parsed.value, Rules())
    assert (result.metrics["provenanceVerified"] == 1.0) is (result.explanation.concepts[0].quote == "verified")
    return str(result.explanation.concepts[0].quote)


@every_row(
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


THIRD = "Dr. J. Newton, e.g. of Leeds, praised photosynthesis."


@every_row(
    ("label", "quote", "text", "state"),
    [
        ("Photosynthesis", CASE["sourceText"], CASE["sourceText"], "unsupported"),
        ("Photosynthesis", CASE["sourceText"].upper().rstrip("."), CASE["sourceText"], "unsupported"),
        ("Leaf colour", CASE["sourceText"], CASE["sourceText"], "unsupported"),
        ("Photosynthesis", CASE["sourceText"].lower(), CASE["sourceText"], "unsupported"),
        ("Photosynthesis", f"It rained. {THIRD}", f"It rained. {THIRD}", "unsupported"),
        ("Photosynthesis", THIRD, THIRD, "unsupported"),
        ("Photosynthesis", THIRD.removesuffix(" photosynthesis."), THIRD, "unsupported"),
        ("Photosynthesis", "praised photosynthesis", THIRD, "verified"),
        ("Photosynthesis", CASE["sourceText"].removesuffix(" 2012."), CASE["sourceText"], "unsupported"),
        (
            "Photosynthesis", "- rye\n- milk\n- photosynthesis\n- eggs",
            "- rye\n- milk\n- photosynthesis\n- eggs\n- a", "unsupported",
        ),
        ("Photosynthesis", "rye milk photosynthesis eggs", "rye\nmilk\nphotosynthesis\neggs\nsalt", "unsupported"),
        ("Photosynthesis", "milk\nphotosynthesis", "rye\nmilk\nphotosynthesis\neggs\nsalt", "verified"),
        ("Photosynthesis", f"One. Two. {THIRD}", f"One. Two. {THIRD} Four.", "verified"),
        ("Photosynthesis", f"One. Two. {THIRD} Four.", f"One. Two. {THIRD} Four. Five.", "unsupported"),
        ("Photosynthesis", f"One? Two! {THIRD} Four.", f"Nought. One? Two! {THIRD} Four.", "unsupported"),
    ],
)  # fmt: skip
def test_evidence_is_a_passage_of_at_most_three_sentences(label: str, quote: str, text: str, state: str) -> None:
    assert quote_state(label, quote, text) == state
    assert measure([(label, quote)], text, (), sampled=True).verified == int(state == "verified")


@every_row(
    ("label", "quote", "state"),
    [
        ("alpha", "is ~alpha here", "verified"),
        ("5 kg", "weighs ±5 kg", "verified"),
        ("5 kg", "weighs 5kg", "verified"),
        ("5 g", "weighs 5g", "verified"),
        ("10 ml", "takes 10ml.", "verified"),
        ("5 kg", "weighs ±5kg", "verified"),
        ("5 kilograms", "weighs ~5kg", "verified"),
        ("15 kg", "weighs 10–15kg", "verified"),
        ("20 °C", "is at 20°C", "verified"),
        ("20 degrees Celsius", "is at 20°C", "verified"),
        ("20°C", "is at 20 °C", "verified"),
        ("50 %", "loses ≤50%", "verified"),
        ("5 kg", "weighs 5km", "unsupported"),
        ("5 kg", "weighs 15kg", "unsupported"),
        ("Type 3", "is of Type 3A", "unsupported"),
    ],
)
def test_signs_and_units_hide_no_name(label: str, quote: str, state: str) -> None:
    text = f"It {quote} and more. Nothing else is said."
    assert quote_state(label, quote, text) == state
    case = case_of(GoldenCase, CASE | {"sourceText": text, "expectedConcepts": [{"label": label}]})
    assert ("not-in-text" in {each.rule for each in lint_case(case, Rules())}) is (state == "unsupported")


@given(st.integers(1, 6), st.integers(0, 5))
def test_any_four_sentences_verify_nothing(number: int, before: int) -> None:
    said = [f"Leaf {place} uses photosynthesis." for place in range(before + number)]
    quote, text = " ".join(said[before:]), " ".join(said)
    verified = number < 4 and before > 0
    assert (quote_state("Photosynthesis", quote, text) == "verified") is verified


@every_row(
    ("label", "canary"),
    [
        *[("Boston, Massachusetts", "Boston"), ("5 years", "five years")],
        *[("planet Mars", "Mars"), ("Rust", "Rust (programming language)")],
    ],
)
def test_a_canary_that_scoring_finds_is_counted_without_a_sample(label: str, canary: str) -> None:
    assert NameIndex((), [canary], NameRule()).matches(label).canary.position == 0
    assert measure([(label, None)], "Nothing of it.", [canary], sampled=False).canaries == 1
