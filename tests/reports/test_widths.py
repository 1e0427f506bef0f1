"""No line of a table is wider than the terminal, and none is broken inside a word."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from row3.domain.judgements import Interval
from row3.domain.printable import cells
from row3.gate.leaderboard import Combination, Contest, Leaderboard, Placed, Row
from row3.gate.policy import GatePolicy
from row3.gate.suites import JudgedSuite
from row3.kinds.base import Rules
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.reports.estimate import estimate_document
from row3.reports.leaderboard import leaderboard_document
from row3.reports.markdown import markdown_text
from row3.reports.recordings import list_document
from row3.reports.terminal import Style, terminal_text
from row3.running.estimate import Estimate, Planned
from tests.rows import every_row

LONG = "describe-everything-that-a-text-says"


def planned(prompt: str, model: str = "reference-llm") -> Planned:
    return Planned("ozone-diplomacy", prompt, 0, model, False, True, 1_234_567, 234_567, None)


def plan_of(*requests: Planned) -> Estimate:
    return Estimate("decomposition", "record", {"decompose-concepts": "v1.1", LONG: "v1.0"}, list(requests))


@dataclass
class Summary:
    prompt: str
    models: set[str] = field(default_factory=lambda: {"reference-llm"})
    file: str = "recordings/decomposition/x.jsonl"
    count: int = 15
    bytes: int = 57_400
    cases: set[str] = field(default_factory=lambda: {"a", "b"})
    promoted: int = 15
    candidate: int = 0
    stale: int = 1_500


SCORE = Interval(0.8, 0.75, 0.85, 0.95, 0.0, 0.02, 14.0, 15)


def combination(version: str, model: str, **rows: Row) -> Combination:
    return Combination({LONG: version, "map-ontology": "v1.0"}, model, model, rows=rows)


CLOSE = Contest(-0.01, Interval(-0.01, -0.03, 0.01, 0.95, 0.3, 0.01, 14.0, 15), 0.3)
FIRST = combination("v1.1", "a-model-of-a-long-name")
SECOND = combination("v1.0", "other", case_3=Row({}, "bad_answer"))
THIRD = combination(
    "v1.2", "other", case_1=Row({}, "failed", 2, problem="no recording, and none of this prompt for it")
)
BOARD = Leaderboard(
    suite=JudgedSuite(
        name="decomposition", kind=EXTRACTION, rules=Rules(), policy=GatePolicy(), golden="golden/decomposition"
    ),
    mode="live",
    repeats=3,
    cases=[f"case-{i}" for i in range(15)],
    left_out=["case-98"],
    quarantined=["case-99"],
    placed=[
        Placed(FIRST, 1, 0.8, SCORE, 0.0123, 1.25, None, True),
        Placed(SECOND, 1, 0.79, SCORE, None, 75.0, None, None),
    ],
    incomplete=[THIRD],
    nothing_recorded=4,
    pairs={(0, 1): CLOSE},
)


def texts(style: Style) -> dict[str, str]:
    plan = plan_of(planned("decompose-concepts-v1.1"), planned(f"{LONG}-v1.0"))
    mixed = plan_of(planned("decompose-concepts-v1.1"), planned("map-ontology-v1.0", model="another"))
    listed = [Summary("decompose-concepts-v1.0"), Summary(f"{LONG}-v1.10", {"other", "reference-llm"})]
    return {
        "dry run": terminal_text(estimate_document(plan, verbose=True), style),
        "dry run of two models": terminal_text(estimate_document(mixed), style),
        "recordings list": terminal_text(list_document(listed), style),
        "leaderboard": terminal_text(leaderboard_document(BOARD), style),
    }


@every_row("width", [60, 80, 100, 140])
@every_row("which", ["dry run", "dry run of two models", "recordings list", "leaderboard"])
def test_no_line_is_wider_than_it_may_be(which: str, width: int) -> None:
    wide, text = texts(Style(width=1000))[which], texts(Style(width=width))[which]
    assert max(cells(line) for line in text.splitlines()) <= max(width, 74)  # the numbers of a table need as much
    without_rules = [[word for word in each.split() if "─" not in word] for each in (wide, text)]
    assert Counter(without_rules[0]) == Counter(without_rules[1])  # every word whole, none lost
    assert "\x1b" not in text


def test_a_name_that_is_too_long_for_its_table_stands_above_its_numbers() -> None:
    lines = texts(Style(width=80))["recordings list"].splitlines()
    assert [line.split() for line in lines[:5]] == [
        ["prompt", "recordings", "cases", "size", "promoted", "candidate", "stale"],
        ["─" * 79],
        ["decompose-concepts-v1.0", "15", "2", "57.4", "kB", "15", "–", "1,500"],
        [f"{LONG}-v1.10"],
        ["15", "2", "57.4", "kB", "15", "–", "1,500"],
    ]
    assert "decompose-concepts-v1.0: answers of reference-llm" in lines
    assert f"{LONG}-v1.10: answers of other, reference-llm" in lines
    assert texts(Style(width=140))["recordings list"].startswith("prompt  ")


def test_a_leaderboard_says_what_it_knows_and_what_it_does_not() -> None:
    text = " ".join(texts(Style(width=200))["leaderboard"].split())
    for part in (
        "decomposition: 2 combinations over the same 15 cases, each asked 3 times, by Overall",
        "All of them: map-ontology v1.0",
        f"=1 {LONG} v1.1 · a-model-of-a-long-name 80.0% 75.0…85.0% – $12.30 1.2 s unknown ◆",
        f"=1 {LONG} v1.0 · other 79.0% 75.0…85.0% −1.0 ≈ unknown 1 min 15 s unknown ?",
        "p ≤ .05. ≈: within noise of the first.",
        "Cost is unknown if a case has no token count, or the model no price in row3.toml.",
        "In quarantine, not counted: case-99",
        "1 case left out: the score does not apply to every combination",
        f"{LONG} v1.0 · other: 1 bad answer, which score 0",
        f"{LONG} v1.2 · other: 2 answers missing in 1 case; case_1: no recording, and none of this prompt for it",
        "4 more combinations with nothing recorded",
    ):
        assert part in text, part


def test_one_model_is_named_once() -> None:
    assert "model reference-llm)" in texts(Style(width=200))["dry run"]
    assert "map-ontology-v1.0 · another" in texts(Style(width=200))["dry run of two models"]
    assert terminal_text(list_document([Summary("a-v1.0"), Summary("b-v1.0")])).count("reference-llm") == 1


WORDS = st.text(st.sampled_from("ab-漢字かé\u0301ー한Ａ🙂⚡ "), max_size=60)


@settings(max_examples=150)
@given(WORDS, st.sampled_from(("", "  ", "! ", "漢 ", "  also: ")), st.integers(24, 50))
@example("long words " * 9 + "漢字" * 40, "reason: ", 80)
@example("x" * 200 + "漢", "  ", 24)
def test_wide_characters_take_two_columns_and_no_letter_is_lost(text: str, first: str, width: int) -> None:
    lines = Style(width=width).wrap(text, first=first)
    assert max(map(cells, lines)) <= width
    assert "".join("".join(lines).split()) == "".join((first + text).split())
    assert all(line.startswith(" " * cells(first)) for line in lines[1:])


def test_a_line_of_wide_characters_is_filled() -> None:
    assert Style(width=10).wrap("漢字" * 6, first="a ") == ["a 漢字漢字", "  漢字漢字", "  漢字漢字"]
    assert Style(width=8).wrap("ab 漢字 cd 漢字") == ["ab 漢字", "cd 漢字"]


A_COMMENT = 65_536
"""Characters that GitHub takes as one comment."""


def test_a_leaderboard_of_thousands_is_a_page_as_markdown_too() -> None:
    second = BOARD.placed[1]
    placed = [replace(second, entrant=replace(SECOND, prompts={"p": f"v1.{i}"}), rank=i) for i in range(3_000)]
    pairs = {(i, j): CLOSE for j in range(1, 3_000) for i in {0, j - 1}}
    board = replace(BOARD, placed=placed, pairs=pairs, quarantined=[f"case-{i}" for i in range(9_000)])
    text = markdown_text(leaderboard_document(board))
    assert len(text) < A_COMMENT
    assert "and 2,960 more (-v shows all)\n" in text
    assert "- and 2,980 more remarks\n" in text
    assert "and 8,988 more\n" in text
    assert len(terminal_text(leaderboard_document(board))) < A_COMMENT
