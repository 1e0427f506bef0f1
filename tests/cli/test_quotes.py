"""A prompt that begins to invent its quotes, which the composite does not weigh."""

from __future__ import annotations

from tests.projects import CASES, Box, flawless


def test_it_is_told_with_a_case_to_look_into_and_not_advised_to_promote_first(box: Box) -> None:
    box.prompt("1.2")
    answers = {case_id: flawless(case) for case_id, case in CASES.items()}
    for concept in answers["yeast"]["concepts"]:
        concept["sourceQuote"] = "As experts agree, this matters."
    box.record("1.2", answers)
    done = box.row3("--compare", code=0)
    assert "Provenance verified is worse by 33.3 points" in " ".join(done.out.split())
    assert done.out.index("Next: row3 investigate yeast") < done.out.index("row3 promote extract-v1.2")
    assert "As experts agree" in box.row3("investigate", "yeast", "-v").out
