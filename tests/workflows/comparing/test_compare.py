"""Comparing like with like: what changed beside the answers, and what of it asks for less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from row3.domain.verdicts import Verdict
from row3.workflows.comparing.baseline import save_baseline
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.comparing.differences import loosened, what_differs
from row3.workflows.comparing.gating import gate
from row3.workflows.pipeline.run_suite import RunOptions
from row3.workflows.session import open_session
from tests.projects import CASES, SUITE, Box, first, flawless, worse
from tests.workflows.conftest import Open

RYE = CASES["rye"]
FORBIDDEN = {"source": "rye", "predicate": "CAUSES", "target": "salt"}


@pytest.fixture
def judged(small: Box, opened: Open) -> Callable[[], Comparison]:
    """A baseline of v1.1, and the comparison with it."""
    save_baseline(opened())
    return lambda: gate(open_session(small.root, None, RunOptions(explain=True)))


def reasons(comparison: Comparison) -> str:
    return "\n".join(f"{reason.verdict.word}: {reason.text}" for reason in comparison.reasons)


def test_nothing_changed_is_unchanged(judged: Callable[[], Comparison]) -> None:
    comparison = judged()
    assert (comparison.verdict, comparison.differs, dict(comparison.moves)) == (Verdict.PROCEED, [], {"unchanged": 3})


def test_losses_are_named_case_by_case(small: Box, judged: Callable[[], Comparison]) -> None:
    worse(small)
    comparison = judged()
    assert comparison.blocked
    assert {case.case_id: case.lost["missedConcepts"] for case in comparison.cases} == {
        "oven": ("steam", "crust"),
        "rye": ("salt", "proofing"),
        "yeast": ("warmth", "fermentation"),
    }
    assert 'version: "1.2"' in comparison.prompt_diffs["extract"]


def test_a_case_that_asks_for_more_is_scored_again_on_both_sides(small: Box, judged: Callable[[], Comparison]) -> None:
    small.case("rye", expectedConcepts=[*RYE["expectedConcepts"], {"label": "dough"}])
    comparison = judged()
    assert comparison.rescored == 1
    assert comparison.verdict is Verdict.INVESTIGATE
    recall = next(change for change in comparison.metrics if change.key == "recall")
    assert (recall.baseline, recall.current) == (pytest.approx(2.8 / 3), pytest.approx(2.8 / 3))


def test_a_case_that_asks_for_less_blocks(small: Box, judged: Callable[[], Comparison]) -> None:
    small.case("rye", forbiddenConcepts=RYE["forbiddenConcepts"][:1])
    assert "block: rye demands less than in the baseline: 1 of" in reasons(judged())


@pytest.mark.parametrize(
    "weaker",
    [
        {
            "expectedConcepts": [
                RYE["expectedConcepts"][0] | {"aliases": ["cold rye memorys"]},
                *RYE["expectedConcepts"][1:],
            ]
        },
        {"expectedRelationships": [*RYE["expectedRelationships"], FORBIDDEN]},
        {
            "expectedRelationships": [
                RYE["expectedRelationships"][0] | {"required": False},
                RYE["expectedRelationships"][1],
            ]
        },
    ],
)
def test_a_demand_that_is_lost_in_part_blocks(
    small: Box, judged: Callable[[], Comparison], weaker: dict[str, Any]
) -> None:
    small.case("rye", forbiddenRelationships=[FORBIDDEN])
    small.row3("--baseline", code=0)
    assert judged().verdict is Verdict.PROCEED
    small.case("rye", **({"forbiddenRelationships": [FORBIDDEN], "expectedConcepts": RYE["expectedConcepts"]} | weaker))
    assert "block: rye demands less than in the baseline: " in reasons(judged())


@pytest.mark.parametrize("mark", [{"critical": False}, {"source": "same"}, {"source": None}])
def test_a_mark_that_is_changed_blocks(small: Box, judged: Callable[[], Comparison], mark: dict[str, object]) -> None:
    """A case that is critical no more, or in another cluster, is judged less strictly."""
    small.case("rye", critical=True, source="a book")
    small.row3("--baseline", code=0)
    assert judged().verdict is Verdict.PROCEED
    small.case("rye", **({"critical": True, "source": "a book"} | mark))
    assert "block: rye demands less than in the baseline: 1 of" in reasons(judged())


def test_a_removed_case_blocks_and_a_new_one_does_not(small: Box, judged: Callable[[], Comparison]) -> None:
    small.path("golden/bread/rye.gold.json").rename(small.root / "rye.gold.json")
    assert "block: removed since the baseline: rye" in reasons(judged())
    (small.root / "rye.gold.json").rename(small.path("golden/bread/rye.gold.json"))
    new = RYE | {"sourceText": "Another text about rye."}
    small.case("new", **new)
    small.record("1.1", {"new": first(flawless(new), 1)})
    comparison = judged()
    assert comparison.moves["new"] == 1
    assert all(change.delta == 0 for change in comparison.metrics)


def test_dates_and_notes_of_a_case_change_nothing(small: Box, judged: Callable[[], Comparison]) -> None:
    small.case("rye", created="2026-02-01", version="1.1", history=[])
    comparison = judged()
    assert (comparison.verdict, comparison.rescored) == (Verdict.PROCEED, 0)


def test_an_answer_that_cannot_be_used_any_more_broke(small: Box, judged: Callable[[], Comparison]) -> None:
    small.record("1.1", {"rye": "I cannot"})
    comparison = judged()
    assert comparison.cases[0].move == "broke"
    assert "investigate: rye broke" in reasons(comparison)


def test_a_critical_case_that_broke_blocks(small: Box, opened: Open) -> None:
    small.case("rye", critical=True)
    save_baseline(opened())
    small.record("1.1", {"rye": "I cannot"})
    assert "block: critical case rye broke" in reasons(gate(opened()))


def test_answers_recorded_anew_are_not_taken_for_those_of_the_baseline(
    small: Box, judged: Callable[[], Comparison]
) -> None:
    small.record("1.1", {"rye": first(flawless(RYE), 3)})
    assert judged().blocked
    # The same loss with a harmless edit of the case, which has the baseline's answer scored again.
    small.case("rye", expectedConcepts=[*RYE["expectedConcepts"], {"label": "dough"}])
    comparison = judged()
    assert comparison.verdict is not Verdict.PROCEED
    assert (comparison.moves["unchanged"], comparison.moves["not comparable"]) == (2, 1)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("[suites.{s}.thresholds.recall]\nminimum=0.5\ntarget=0.7\nexcellent=0.85\n", "recall.minimum was loosened"),
        (
            "[suites.{s}.thresholds.hallucinationRate]\nminimum=0.2\ntarget=0.02\nexcellent=0\n",
            "hallucinationRate.minimum",
        ),
        ("[suites.{s}.thresholds.recall]\nblocking=false\n", "threshold recall was made non-blocking"),
        ("[suites.{s}.gate]\nblock=9\n", "gate limit block was loosened from 5 to 9"),
        ("[suites.{s}.gate]\nmetrics=['overall']\n", "no longer judges recall"),
        ("[suites.{s}.gate]\nunit='relative'\n", "unit was changed"),
        ("[suites.{s}.weights]\nrecall=0.1\n", "weight of recall was changed"),
        ("[suites.{s}.matching]\nthreshold=0.5\n", "matching threshold was loosened"),
        ("[suites.{s}.matching]\nscorer='token-set'\n", "matching scorer was changed"),
    ],
)
def test_what_asks_for_less_blocks(small: Box, judged: Callable[[], Comparison], settings: str, says: str) -> None:
    small.write("row3.toml", small.read("row3.toml") + settings.format(s=SUITE))
    assert any(line.startswith("block") and says in line for line in reasons(judged()).splitlines())


@pytest.mark.parametrize(
    "settings",
    [
        "[suites.{s}.predicates]\nsymmetric=['CAUSES', 'REQUIRES', 'IS_A', 'PRECEDES']\n",
        "[suites.{s}.predicates.inverse]\nCAUSES='REQUIRES'\n",
        "[suites.{s}.gate]\ndeclines=100\n",
    ],
)
def test_what_else_asks_for_less_blocks(small: Box, judged: Callable[[], Comparison], settings: str) -> None:
    small.write("row3.toml", small.read("row3.toml") + settings.format(s=SUITE))
    assert judged().verdict is Verdict.BLOCK


def test_stricter_settings_do_not_block(small: Box, judged: Callable[[], Comparison]) -> None:
    small.write("row3.toml", small.read("row3.toml") + f"[suites.{SUITE}.gate]\nblock=2\n")
    comparison = judged()
    assert comparison.verdict is Verdict.PROCEED
    assert comparison.differs == ["gate block: 5.0 → 2.0"]


@pytest.mark.parametrize(
    "settings",
    [
        "recall]\nminimum=0.65\ntarget=0.7\nexcellent=0.85\n",
        "hallucinationRate]\nminimum=0.04\ntarget=0.02\nexcellent=0\n",
    ],
)
def test_stricter_zones_do_not_block(small: Box, judged: Callable[[], Comparison], settings: str) -> None:
    small.write("row3.toml", small.read("row3.toml") + f"[suites.{SUITE}.thresholds.{settings}")
    assert judged().verdict is Verdict.PROCEED


def test_headers_alike_differ_in_nothing(opened: Open) -> None:
    header = save_baseline(opened()).run.header
    assert (what_differs(header, header), loosened(header, header)) == ([], [])
    other: Any = structs.replace(header, model="n", repeats=3)
    assert what_differs(header, other) == ["model: baker-1 → n", "repeats: 1 → 3"]


def test_three_declines_in_a_row_are_to_be_investigated(small: Box, judged: Callable[[], Comparison]) -> None:
    case = CASES["rye"]
    many = [{"label": f"grain number {n}", "sourceQuote": "Rye"} for n in range(200)]
    small.case("rye", expectedConcepts=[*case["expectedConcepts"], *({"label": one["label"]} for one in many)])
    full = flawless(case)
    full["concepts"] += many
    for count in (204, 203, 202, 201):
        small.record("1.1", {"rye": first(full, count)})
        comparison = judged()
    assert comparison.declines == 3
    assert "3 consecutive declining runs" in reasons(comparison)
