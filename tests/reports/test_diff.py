"""Two runs side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from row3.domain.judgements import CaseChange, MetricChange, Verdict
from row3.domain.printable import cells
from row3.gate.policy import FigureChange
from row3.reports.diff import diff_document, diff_json
from row3.reports.markdown import markdown_text
from row3.reports.terminal import Style, terminal_text
from tests.reports.conftest import METRICS, SOME
from tests.rows import every_row

A_COMMENT = 65_536
"""Characters that GitHub takes as one comment."""


@dataclass
class Ran:
    run_id: str = "20260129T101500Z-aaaaaa"
    at: str = "2026-01-29T10:15:00Z"
    commit: str | None = None
    mode: str = "replay"
    prompts: Mapping[str, str] = field(default_factory=lambda: {"decompose-concepts": "v1.0", "map": "v1.0"})
    prompt_digests: Mapping[str, str] = field(default_factory=dict)
    model: str = "reference-llm"
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    repeats: int = 1
    scorer: str = "extraction/3"
    metrics: Mapping[str, float] = field(default_factory=dict)
    omitted: Sequence[str] | None = None


@dataclass
class Run:
    header: Ran = field(default_factory=Ran)
    cases: Sequence[str] = ("a", "b")


@dataclass
class Side:
    name: str = "20260129T101500Z-aaaaaa"
    where: str = ".row3/runs/20260129T101500Z-aaaaaa.json"
    run: Run = field(default_factory=Run)
    missing: Sequence[str] = ()
    problem: str = ""
    commit: str | None = None


LATER = Run(Ran(prompts={"decompose-concepts": "v1.1", "map": "v1.0"}), ("a",))


@dataclass
class Diff:
    suite: str = "decomposition"
    before: Side = field(default_factory=Side)
    after: Side = field(default_factory=lambda: Side("decompose-concepts-v1.1", "replayed now", LATER))
    notes: Sequence[str] = ("threshold recall minimum: 0.6 → 0.5",)
    primary: str = "overall"
    settings_differ: bool = False
    loss: str = "none"
    unit: str = "points"
    prompt_diffs: Mapping[str, str] = field(default_factory=lambda: {"decompose-concepts": "@@ -1 +1 @@\n-a\n+b"})
    unanswered: Sequence[Side] = (Side("latest", missing=("c",), problem="no recording"),)
    metrics: Sequence[MetricChange] = (MetricChange("overall", 0.72, 0.7, -0.02, 2.0, Verdict.PROCEED, 1, None, SOME),)
    figures: Sequence[FigureChange] = (FigureChange("tokens", 1000.0, 900.0, 1),)
    compared: int = 1
    moves: Mapping[str, int] = field(default_factory=lambda: Counter({"improved": 1}))
    cases: Sequence[CaseChange] = (
        CaseChange(
            "ozone-diplomacy",
            "improved",
            0.2,
            gained={"missedRelationships": tuple(f"cause {i} CAUSES effect {i}\x1b[31m" for i in range(9))},
            lost={"wrongConcepts": ("stove",)},
        ),
    )


def test_a_diff_says_what_ran_what_differs_and_which_cases_moved() -> None:
    text = " ".join(terminal_text(diff_document(Diff(), METRICS)).split())
    for part in (
        "row3 diff · decomposition: 20260129T101500Z-aaaaaa (.row3/runs/20260129T101500Z-aaaaaa.json) → ",
        "before decompose-concepts v1.0 → map v1.0 · reference-llm · 2 cases",
        "prompt decompose-concepts v1.0 → v1.1, +1 −1 lines",
        "also threshold recall minimum: 0.6 → 0.5",
        "Overall 72.0% 70.0% −2.0 ▼ −7.1…+3.1 .044 1",
        "Tokens per case 1,000 900 −10% ▲ – – 1",
        "Over the 1 case that both runs have and that can be compared.",
        "latest: 1 case without an answer, not counted above. First: no recording",
        "Cases: 1 improved",
        "▲ ozone-diplomacy +20.0 + 9 relationships found: cause 0 CAUSES effect 0 and 8 more",
    ):
        assert part in text, part


@pytest.mark.parametrize(
    ("loss", "figures", "said"),
    [
        ("none", {"cost": (0.01, 0.006), "latency": (1.0, 0.5)},
         "No worse (Overall: a loss of more than 5 points is ruled out), and cheaper by 40%, faster by 50%"),
        ("none", {"cost": (0.01, 0.01)}, "No worse (Overall: a loss of more than 5 points is ruled out) metric"),
        ("none", {"cost": (0.0, 0.01)}, "No worse (Overall: a loss of more than 5 points is ruled out) metric"),
        ("none", {}, "No worse (Overall: a loss of more than 5 points is ruled out) metric"),
        ("beyond", {"cost": (0.01, 0.02)}, "Worse (Overall: a loss of more than 5 points is shown), dearer by 100%"),
        ("open", {"latency": (1.0, 2.0)},
         "Whether it is worse is open (Overall: a loss of more than 5 points is neither shown nor ruled out), "
         "slower by 100%"),
    ],
)  # fmt: skip
def test_other_settings_are_compared_with_their_figures(
    loss: str, figures: dict[str, tuple[float, float]], said: str
) -> None:
    changes = [FigureChange(key, *values, cases=1) for key, values in figures.items()]
    view = Diff(settings_differ=True, loss=loss, figures=changes)
    text = " ".join(terminal_text(diff_document(view, METRICS)).split())
    assert said in text
    assert said not in " ".join(terminal_text(diff_document(replace(view, settings_differ=False), METRICS)).split())
    assert diff_json(view)["figures"].keys() == figures.keys()


def test_nothing_differs() -> None:
    same = Diff(after=Side(), notes=(), prompt_diffs={}, cases=(), moves={"unchanged": 2})
    text = " ".join(terminal_text(diff_document(same, METRICS)).split())
    assert "nothing: prompts, model, parameters, cases and rules are the same, and no case moved" in text
    moved = " ".join(terminal_text(diff_document(replace(same, moves={"improved": 1}), METRICS)).split())
    assert "nothing but the answers" in moved


@every_row("width", [60, 80, 140])
def test_no_line_is_wider_than_it_may_be(width: int) -> None:
    wide, text = (terminal_text(diff_document(Diff(), METRICS), Style(width=each)) for each in (1000, width))
    assert max(cells(line) for line in text.splitlines()) <= max(width, 74)
    without_rules = [[word for word in each.split() if "─" not in word] for each in (wide, text)]
    assert Counter(without_rules[0]) == Counter(without_rules[1])
    assert "\x1b" not in text


def test_a_diff_of_long_labels_is_a_page_as_markdown_too() -> None:
    label = "label " * 50_000
    change = CaseChange(label[:200], "improved", 0.2, gained={"missedConcepts": (label,) * 900})
    view = Diff(cases=(change,) * 900, moves=Counter({"improved": 900}), prompt_diffs={"p": "+x\n" * 900})
    text = markdown_text(diff_document(view, METRICS))
    assert len(text) < A_COMMENT
    assert "and 885 more (-v shows all)\n" in text
    assert "more lines" in text


def test_json_has_both_sides() -> None:
    value = diff_json(Diff(before=Side(commit="0a1b")))
    assert value["before"]["commit"] == "0a1b"
    assert value["differs"] == ["prompt decompose-concepts: v1.0 → v1.1", "threshold recall minimum: 0.6 → 0.5"]
    assert value["metrics"]["overall"] == {"before": 0.72, "after": 0.7, "delta": -0.02, "cases": 1}
    assert value["cases"][0]["lost"] == {"wrongConcepts": ("stove",)}
