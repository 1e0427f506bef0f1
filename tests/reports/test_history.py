"""`row3 history` on a terminal."""

from __future__ import annotations

from typing import Any

from row3.domain.printable import cells
from row3.domain.runs import Approval, HistoryEntry
from row3.reports.history import history_document
from row3.reports.terminal import Style, terminal_text
from tests.reports.conftest import OVERALL


def history_table(entries: list[HistoryEntry], *, width: int = 80, **rest: Any) -> str:
    return terminal_text(history_document(entries, OVERALL, **rest), Style(width=width))


OLD = {"decompose-concepts": "v1.0", "map-ontology": "v1.0"}
NEW = OLD | {"decompose-concepts": "v1.1"}


def entry(day: int, action: str, overall: float, prompts: dict[str, str], **rest: Any) -> HistoryEntry:
    values: dict[str, Any] = {
        "run_id": str(day),
        "at": f"2026-01-{day:02}T09:30:00Z",
        "action": action,
        "suite": "decomposition",
        "commit": "a1b2c3d4e5f6",
        "dirty": False,
        "prompts": prompts,
        "model": "reference-llm",
        "mode": "replay",
        "cases": 15,
        "metrics": {"overall": overall},
    }
    return HistoryEntry(**values | rest)


ENTRIES = [
    entry(20, "baseline", 0.751, OLD),
    entry(21, "compare", 0.70, NEW, verdict="investigate", dirty=True),
    entry(22, "compare", 0.6, NEW, verdict="block", approval=Approval(reason="known\x1b[1m gap", by="Ann", at="")),
    entry(23, "promotion", 0.847, NEW, verdict="proceed"),
    entry(24, "compare", 0.847, NEW, verdict="proceed", model="other", commit=None, dirty=None),
]


def test_the_newest_is_last_and_what_changed_stands_beneath() -> None:
    assert (
        history_table(ENTRIES)
        == """\
decomposition · Overall

when (UTC)        action     score  points    verdict        commit
────────────────────────────────────────────────────────────────────────────
2026-01-20 09:30  baseline   75.1%            –              a1b2c3d
    decompose-concepts v1.0 · map-ontology v1.0 · reference-llm
2026-01-21 09:30  compare    70.0%    −5.1 ▼  ! investigate  a1b2c3d + edits
    decompose-concepts v1.1
2026-01-22 09:30  compare    60.0%   −15.1 ▼  ! approved     a1b2c3d
    approved by Ann: known gap
2026-01-23 09:30  promotion  84.7%    +9.6 ▲  ✓ proceed      a1b2c3d
2026-01-24 09:30  compare    84.7%       0.0  ✓ proceed      –
    other

▲ better  ▼ worse; percentage points against the baseline at that time
"""
    )


def test_a_run_scored_by_other_cases_says_so() -> None:
    entries = [entry(20, "baseline", 0.7, OLD, scored="a"), entry(21, "baseline", 0.5, OLD, scored="b")]
    assert history_table(entries).count("golden cases or scorer changed") == 1
    assert "changed" not in history_table([each.replace(scored="a") for each in entries])


def points_of(text: str) -> list[str]:
    """The column of points, empty where there is none."""
    head = next(line for line in text.splitlines() if line.startswith("when"))
    start, end = head.index("score") + len("score"), head.index("verdict")
    return [line[start:end].strip() for line in text.splitlines() if line.startswith("2026-")]


def test_a_baseline_is_held_against_the_one_it_replaces() -> None:
    again = [*ENTRIES, entry(25, "baseline", 0.751, OLD), entry(26, "compare", 0.847, NEW)]
    assert points_of(history_table(again)) == ["", "−5.1 ▼", "−15.1 ▼", "+9.6 ▲", "0.0", "−9.6 ▼", "+9.6 ▲"]
    # A comparison between two baselines moves neither of them.
    between = [ENTRIES[0], entry(21, "compare", 0.9, NEW), entry(22, "baseline", 0.751, OLD)]
    assert points_of(history_table(between)) == ["", "+14.9 ▲", "0.0"]


def test_what_is_not_shown_is_held_against_all_the_same() -> None:
    assert points_of(history_table(ENTRIES, action="compare")) == ["−5.1 ▼", "−15.1 ▼", "0.0"]
    assert points_of(history_table(ENTRIES, last=2)) == ["+9.6 ▲", "0.0"]
    assert points_of(history_table(ENTRIES, action="baseline")) == [""]


def test_live_answers_are_held_against_live_ones_where_there_are_any() -> None:
    live = [
        ENTRIES[0],
        entry(21, "compare", 0.761, NEW, mode="live"),
        entry(22, "baseline", 0.7, OLD, mode="live"),
        entry(23, "compare", 0.71, NEW, mode="live"),
        entry(24, "compare", 0.771, NEW, mode="auto"),
    ]
    assert points_of(history_table(live)) == ["", "+1.0 ▲", "", "+1.0 ▲", "+2.0 ▲"]


def test_a_single_line_moved_against_nothing() -> None:
    assert "percentage points" not in history_table(ENTRIES[:1])


def test_no_history_says_how_to_make_one() -> None:
    assert history_table([]) == "No history yet: row3 --baseline, --compare and promote write it.\n"


def test_a_long_history_is_cut_unless_verbose() -> None:
    many = ENTRIES * 10
    assert "30 earlier (-v shows all)" in history_table(many)
    assert history_table(many, verbose=True).count("2026-01-20") == 10
    assert max(map(cells, history_table(many).split("\n"))) <= 80
