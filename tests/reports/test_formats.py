"""Every format says the same of one result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from row3.commands.promoting.promote import PromotionResult
from row3.domain.judgements import CaseChange, Code, Judgement, Reason, Verdict
from row3.domain.prompts import PromptRef, parse_version
from row3.gate.results import SuitesReport, judged, ran
from row3.reports.formats import result_text, step_summary
from row3.reports.promotion import promotion_document
from row3.reports.terminal import Style, terminal_text
from tests.reports.conftest import ANN

INVESTIGATE, BLOCK = Verdict.INVESTIGATE, Verdict.BLOCK


@pytest.mark.parametrize("verdict", [INVESTIGATE, BLOCK])
def test_an_approved_comparison_says_the_same_everywhere(comparison: Any, make: Any, verdict: Verdict) -> None:
    approved = make.judged(comparison, Reason(Code.WORSE, verdict, "recall"), approved=True)
    word = f"APPROVED (was: {verdict.word})"
    for form in (None, "markdown", "github", "comment"):
        text = str(result_text(judged(approved), form)).replace("\\", "").replace("%3A", ":")
        assert word in text, form
        assert "approved by Ann" in text, form
        assert "::error" not in text
    root = ElementTree.fromstring(str(result_text(judged(approved), "junit")))
    assert root.attrib["failures"] == root.attrib["errors"] == "0"
    gate = root.find(".//testcase[@name='gate']")
    assert gate is not None
    (approval,) = gate.findall("properties/property")
    assert approval.get("name") == "approval"
    assert "Ann" in str(approval.get("value"))
    severities = {each["severity"] for each in json.loads(str(result_text(judged(approved), "codequality")))}
    assert not severities & {"blocker", "critical"}
    value = json.loads(b"".join(result_text(judged(approved), "json")))  # type: ignore[arg-type]
    assert (value["verdict"], value["blocked"], value["approval"]["by"]) == (verdict.word, False, "Ann")
    report = SuitesReport([judged(approved)])
    assert report.exit_code == 0
    assert str(result_text(report)).startswith("✓ APPROVED · row3 · 1 suite: 1 approved\n")


def test_a_run_has_no_verdict_in_any_format(run: Any) -> None:
    for form in (None, "markdown", "junit", "github", "codequality"):
        text = str(result_text(ran(run), form))
        assert not any(word in text for word in ("PROCEED", "INVESTIGATE", "BLOCK"))
    assert str(result_text(ran(run), "markdown")).startswith("### row3 · decomposition\n\ndecompose-concepts v1.1")


def test_a_step_summary_stays_below_githubs_limit(make: Any) -> None:
    run = make.run({f"case{i}": {"overall": 0.5} for i in range(20)})
    changes = [CaseChange(f"case{i}", "regressed", -0.1, lost={"missedConcepts": ("x" * 90_000,)}) for i in range(20)]
    assert len(step_summary(judged(make.comparison(run, changes))).encode()) < 1_000_000


FAILS = Reason(Code.ENTERED_FAIL_ZONE, Verdict.BLOCK, "recall", {"before": None, "after": 0.5, "minimum": 0.6})


VERSION = parse_version("v1.1")
assert VERSION is not None
REF = PromptRef("decompose-concepts", VERSION)


def promoted(
    run: Any, comparison: Any = None, verdict: Verdict = Verdict.PROCEED, reasons: Sequence[Reason] = (), **more: Any
) -> PromotionResult:
    given: dict[str, Any] = {
        "judgement": Judgement(verdict, tuple(reasons), complete=True, signature=""),
        "approval": None,
        "dry_run": False,
        "files": ("prompts/promoted.json", "CHANGELOG.md"),
        "entries": ("## decompose-concepts v1.1\n\nBetter.\n",),
    }
    return PromotionResult((REF,), run, comparison, **given | more)


def said(promotion: PromotionResult, *, verbose: bool = False) -> str:
    return terminal_text(promotion_document(promotion, verbose=verbose), Style(width=200))


def test_a_promotion_lists_what_it_wrote(comparison: Any, make: Any) -> None:
    run = replace(comparison.run, header=replace(comparison.run.header, action="promotion"))
    done = promoted(run, make.judged(replace(comparison, run=run)), commit="0a1b2c3d4e5f")
    text = said(done)
    assert text.startswith("✓ PROCEED  Overall 70.0%")
    assert text.endswith(
        "decompose-concepts v1.1 is promoted. Written as one change: prompts/promoted.json, CHANGELOG.md\n"
        "committed as 0a1b2c3d4e\n"
    )
    assert "Cases:" not in text
    assert "Cases:" in said(done, verbose=True)
    assert said(replace(done, commit=None)).endswith("CHANGELOG.md\nCommit these files together.\n")


def test_a_refused_promotion_wrote_nothing(comparison: Any, make: Any) -> None:
    text = said(promoted(comparison.run, comparison, Verdict.BLOCK, refused=True))
    assert "Cases:" in text
    assert text.endswith("decompose-concepts v1.1 was not promoted; nothing was written.\n")


def test_a_dry_run_shows_files_and_entry(comparison: Any, make: Any) -> None:
    text = said(promoted(comparison.run, make.judged(comparison), dry_run=True))
    assert "would be promoted, given a reason (--approve REASON); without --dry-run row3" in text
    assert "writes these files:\n\n    prompts/promoted.json\n" in text
    assert "\n    ## decompose-concepts v1.1\n" in text


def test_a_first_promotion_is_judged_by_its_zones(run: Any) -> None:
    text = said(promoted(run))
    assert "✓ PROCEED  Overall 70.0% · 2 cases, no baseline to compare with\n" in text
    refused = said(promoted(run, None, Verdict.BLOCK, (FAILS,), refused=True))
    assert "✗ BLOCK  Overall 70.0%" in refused
    assert "✗ block: Concept recall is in its fail zone: 50.0% (minimum 60%)\n" in refused
    assert "Next: fix the prompt and run row3 promote decompose-concepts-v1.1 again, or accept" in refused
    signed = said(promoted(run, None, Verdict.BLOCK, (FAILS,), approval=ANN))
    assert "✓ APPROVED (was: block)  Overall 70.0%" in signed
    assert "approved by Ann: known gap\n" in signed
    locked = Reason(Code.LOCK_BROKEN, Verdict.BLOCK, "a-v1.0")
    assert "Next: fix the problems above" in said(promoted(run, None, Verdict.BLOCK, (locked,), refused=True))
