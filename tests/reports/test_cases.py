"""`row3 cases`: the most telling case first, and a remark on every case that does not do its job."""

from __future__ import annotations

import json
from dataclasses import replace

from row3.domain.printable import cells
from row3.gate.case_worth import CasesReport, CaseWorth, Redundant
from row3.reports.cases import cases_document, cases_json, remark
from row3.reports.terminal import PLAIN, Style, terminal_text
from tests.reports.conftest import OVERALL
from tests.rows import every_row


def judged(name: str, tells: float | None, standing: str = "", *, why: str = "", held: bool = False) -> CaseWorth:
    return CaseWorth(name, 4, 0.7, 0.1, 0.5, 0.8, tells, why, standing, held)  # type: ignore[arg-type]


VERSIONS = tuple(f"extract v1.{i} · m" for i in range(4))
CASES = (
    judged("rye", 0.93),
    judged("malt", 0.1),
    judged("oven", -0.4),
    judged("salt", None, why="it never moves"),
    judged("yeast", None, "never fails", why="it never moves", held=True),
    judged("crumb", None, "always fails", why="it never moves"),
)
REPORT = CasesReport("bread", OVERALL, VERSIONS, CASES, ("new",), (Redundant("malt", "rye", 0.8),))


def cases_text(report: CasesReport, style: Style = PLAIN, *, verbose: bool = False) -> str:
    return terminal_text(cases_document(report, verbose=verbose), style)


def rows(text: str) -> dict[str, list[str]]:
    names = [one.case_id for one in CASES]
    return {line.split()[0]: line.split() for line in text.split("\n") if line.split()[:1] and line.split()[0] in names}


def test_a_row_a_case() -> None:
    found = rows(cases_text(REPORT))
    assert found["rye"] == ["rye", "+0.9", "70.0", "10.0", "4"]
    assert found["oven"] == ["oven", "−0.4", "70.0", "10.0", "4", "against", "the", "others"]
    assert found["salt"][1] == "–"


def test_a_correlation_over_many_versions_has_two_decimals() -> None:
    many = replace(REPORT, cases=tuple(replace(one, versions=12) for one in CASES))
    assert rows(cases_text(many))["rye"][1] == "+0.93"


@every_row(
    ("one", "words"),
    [
        (CASES[0], ""),
        (CASES[1], "tells little"),
        (CASES[2], "against the others"),
        (CASES[3], "never moves"),
        (CASES[4], "never fails, quarantined"),
        (CASES[5], "always fails"),
        (judged("x", None, why="too few versions"), ""),
    ],
)
def test_remarks(one: CaseWorth, words: str) -> None:
    assert remark(one) == words


def test_what_the_words_mean_and_what_is_missing() -> None:
    text = " ".join(cases_text(REPORT).split())
    for words in (
        "6 cases over 4 versions",
        "With fewer than 10 versions it is rough.",
        "never fails: excellent under every version",
        "always fails: in the fail zone under every version",
        "against the others: rises when the others fall",
        "Overall is unknown for new: no answer, or the metric does not apply.",
        "malt and rye: 80% of their expectations in common",
    ):
        assert words in text


def test_two_versions_are_too_few() -> None:
    text = " ".join(cases_text(replace(REPORT, versions=VERSIONS[:2])).split())
    assert "With 2 versions row3 cannot say which cases tell good prompts from bad: that takes at least 3." in text
    assert "rough" not in text


def test_pairs_and_none_at_all() -> None:
    text = " ".join(cases_text(replace(REPORT, redundant=(Redundant("a", "b", 0.8),))).split())
    assert "a and b: 80% of their expectations in common" in text
    assert "No two cases test the same thing." in cases_text(replace(REPORT, redundant=()))


@every_row("width", [60, 80, 132])
def test_it_fits(width: int) -> None:
    long = judged("a-rather-long-name-of-a-case-that-goes-on", None, "always fails", why="it never moves", held=True)
    many = replace(REPORT, cases=(*CASES, long), versions=tuple(f"a-long-prompt-name v1.{i} · m" for i in range(30)))
    shown = cases_text(many, Style(width=width))
    assert max(cells(line) for line in shown.split("\n")) <= max(width, 80)
    assert "and 24 more (-v shows all)" in shown
    assert "more (-v" not in cases_text(many, verbose=True)


def test_json() -> None:
    value = json.loads(json.dumps(cases_json(REPORT)))
    assert value["cases"][0]["discrimination"] == 0.93
    assert "why" not in value["cases"][0]
    assert value["cases"][4] == {
        "id": "yeast", "versions": 4, "mean": 0.7, "spread": 0.1, "lowest": 0.5, "highest": 0.8,
        "discrimination": None, "neverFails": True, "alwaysFails": False, "quarantined": True,
        "why": "it never moves",
    }  # fmt: skip
    assert value["redundant"] == [{"cases": ["malt", "rye"], "overlap": 0.8}]
