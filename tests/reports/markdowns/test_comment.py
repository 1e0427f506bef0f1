"""The comment on a pull request: short, whole, and dead to whatever a model wrote."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from row3.domain.verdicts import CaseChange, Reason, Verdict
from row3.reports.markdowns.comment import LINE_ROOM, MOST_BYTES
from row3.reports.markdowns.comment import comment_markdown as markdown_of
from row3.reports.suites.suites_model import Broken, Gone, Judged, Unjudged
from row3.store.history import Approval

HOSTILE = "<img src=x onerror=alert(1)> @team #1 | ![x](https://evil.example/p.png) [a](https://evil.example) \x1b[31m"


def comment_markdown(told: list[Any], **rest: str) -> str:
    """The comment; what is no result of a suite is a comparison."""
    others = Broken | Gone | Judged | Unjudged
    return markdown_of([each if isinstance(each, others) else Judged(each) for each in told], **rest)


def test_it_says_verdict_metrics_cases_and_what_to_do(comparison: Any) -> None:
    text = comment_markdown([comparison])
    lines = text.splitlines()
    assert lines[0] == "### ⛔ BLOCK · row3 · decomposition"
    assert "**Overall 70.0% (−2.0 points, n = 2) · 1 improved · 1 regressed**" in text
    assert "| **Overall** | 72.0% | 70.0% | −2.0 | −7.1…+3.1 |  |" in lines
    assert "- ⛔ Concept recall is worse by 6.0 points (more than 5)" in lines
    case = next(line for line in lines if line.startswith("- `ozone`"))
    assert "lost `Halons`, `ozone layer`" in case
    assert "1 relationship lost" in case
    assert lines[-1].startswith("> Next: row3 investigate ozone<br>Then: ")


def test_the_composite_comes_first_and_what_did_not_move_not_at_all(comparison: Any) -> None:
    still = [replace(change, delta=0.0) for change in comparison.metrics if change.key != "recall"]
    kept = [change for change in comparison.metrics if change.key == "recall"]
    text = comment_markdown([replace(comparison, metrics=[*kept, *still])])
    titles = re.findall(r"^\| \**([A-Z][^|*]+?)\** \|", text, re.MULTILINE)
    assert titles == ["Metric", "Overall", "Concept recall"]


def test_ten_thousand_lost_names_fit_one_screen(comparison: Any) -> None:
    names = tuple(f"{'very ' * 30}long name {i}" for i in range(10_000))
    cases = [CaseChange(f"case-{i}", "regressed", -0.2, lost={"missedConcepts": names}) for i in range(200)]
    reasons = tuple(Reason(Verdict.BLOCK, f"reason {i} {'word ' * 200}") for i in range(300))
    text = comment_markdown(
        [replace(comparison, cases=cases, moves={"regressed": 9_000}, reasons=reasons)], more="https://ci.example/1"
    )
    assert len(text.encode()) <= MOST_BYTES + 100
    assert len(text.splitlines()) <= 40
    assert max(len(line) for line in text.splitlines()) < 3 * LINE_ROOM
    assert "- and 8,995 more that are worse" in text
    assert "- and 296 more reasons" in text


def test_several_suites_have_one_table_and_the_worst_in_full(comparison: Any) -> None:
    def named(name: str, **rest: Any) -> Any:
        run = replace(comparison.run, suite=replace(comparison.run.suite, name=name))
        return replace(comparison, run=run, **rest)

    fine = named("fine", verdict=Verdict.PROCEED, reasons=(), cases=(), moves={"unchanged": 2})
    odd = named("odd", verdict=Verdict.INVESTIGATE, reasons=(Reason(Verdict.INVESTIGATE, "look here"),))
    text = comment_markdown([fine, odd, named("bad"), Broken("gone", "baselines/gone.json: there is no baseline", 2)])
    lines = text.splitlines()
    assert lines[0] == "### ❔ NOT JUDGED · row3 · 4 suites"
    table = [line.split(" | ")[0] for line in lines if (line.startswith("| ") and "…+3.1" in line) or "| – |" in line]
    assert table == ["| gone", "| bad", "| odd", "| fine"]
    assert "#### ❔ NOT JUDGED · row3 · gone" in lines
    assert "⚠️ **odd**: look here" in lines
    assert "**fine**" not in text


def proceeding(comparison: Any) -> Any:
    return replace(comparison, verdict=Verdict.PROCEED, reasons=(), cases=(), moves={"unchanged": 2})


def test_a_suite_that_is_gone_blocks_until_somebody_signs(comparison: Any) -> None:
    gone = Gone("old", "main", 3, ("Overall", 0.85))
    lines = comment_markdown([proceeding(comparison), gone]).splitlines()
    assert lines[0] == "### ⛔ BLOCK · row3 · 2 suites"
    assert "| old | ⛔ block |  | – | – | – | – |" in lines
    assert "all its golden cases are gone (3 at main); its baseline has Overall 85.0%" in lines
    assert "> Next: row3 --compare --suite old --against main --approve REASON" in lines
    signed = replace(gone, approval=Approval(reason="agreed", by="Ann", at="2026-11-22T05:48:00Z"))
    text = comment_markdown([proceeding(comparison), signed])
    assert text.startswith("### ⚠️ BLOCK, approved · row3 · 2 suites\n")
    assert "approved by Ann, 2026-11-22 05:48 UTC: agreed" in text
    assert "Next:" not in text


def test_a_new_suite_hides_nothing_and_says_how_it_was_judged(comparison: Any) -> None:
    text = comment_markdown([Unjudged("new", "no baseline yet"), Judged(proceeding(comparison), "judged by its own")])
    assert text.startswith("### ✅ PROCEED · row3 · 2 suites\n")
    assert "| new | ❔ not judged |" in text
    assert "❔ **new**: no baseline yet" in text or "#### ❔ NOT JUDGED · row3 · new\n\nno baseline yet" in text
    assert "✅ **decomposition**: judged by its own" in text
    assert comment_markdown([Judged(comparison, "judged by its own")]).count("judged by its own") == 1


def test_many_suites_are_counted(comparison: Any) -> None:
    text = comment_markdown([comparison] * 200)
    assert "and 180 more" in text
    assert len(text.encode()) <= MOST_BYTES + 100


def test_an_incomplete_run_is_not_judged(comparison: Any, make: Any) -> None:
    run = replace(comparison.run, collected=make.Collected(failed=("ozone",)))
    assert comment_markdown([replace(comparison, run=run)]).startswith("### ❔ INCOMPLETE · row3 · decomposition\n")


def test_the_report_is_linked(comparison: Any) -> None:
    address = "https://github.com/o/n/actions/runs/1"
    assert comment_markdown([comparison], more=address).endswith(f"<sub>The whole report: <{address}></sub>\n")


def hostile(comparison: Any, text: str) -> Any:
    change = CaseChange(text, "regressed", -0.2, lost={"missedConcepts": (text,), "missedRelationships": (text,)})
    return replace(
        comparison, cases=[change], reasons=(Reason(Verdict.BLOCK, text),), differs=[text], moves={"regressed": 1}
    )


@pytest.mark.parametrize("text", [HOSTILE, "`" * 30 + "@team" + "`", "-->\n<!-- row3 comment row3 -->", "a|b|c\n|--|"])
def test_what_a_model_wrote_comes_to_nothing(comparison: Any, text: str) -> None:
    check_dead(comment_markdown([hostile(comparison, text), Broken(text, text, 2)]))


def check_dead(text: str) -> None:
    """No mention, link, picture, tag or comment but those of our own."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    inline = [child for token in tokens for child in (token.children or ())]
    assert not [token for token in inline if token.type in ("link_open", "image")]
    html = "".join(token.content for token in (*tokens, *inline) if token.type in ("html_block", "html_inline"))
    assert set(re.findall(r"<[^>]*>", html)) <= {"<br>", "<sub>", "</sub>"}
    outside_code = "".join(token.content for token in inline if token.type == "text")
    assert not re.search(r"@\w|#\d", outside_code)
    assert not re.search(r"https?://", re.sub(r"`[^`]*`", "", text))  # GitHub links a bare address


@pytest.fixture(scope="module")
def one() -> Any:
    """A comparison that hypothesis can use again and again."""
    from tests.reports.conftest import Make

    run = Make.run({"ozone": {"recall": 0.5, "overall": 0.6}})
    return Make.comparison(run, [CaseChange("ozone", "regressed", -0.1)], verdict=Verdict.BLOCK)


@given(text=st.text())
def test_any_text_keeps_the_table_whole(one: Any, text: str) -> None:
    said = comment_markdown([hostile(one, text), Broken(text, text, 2)])
    rows = [line for line in said.splitlines() if line.startswith("| ")]
    assert {line.count(" | ") for line in rows[:4]} == {6}
    assert "\x1b" not in said
