"""Every format says the same of one result."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from row3.domain.judgements import Code, Reason
from row3.domain.verdicts import CaseChange, Verdict
from row3.gate.results import SuitesReport, judged, ran
from row3.reports.formats import result_text, step_summary

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
