"""JUnit XML."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from row3.domain.judgements import Code, Judgement, Reason, Verdict
from row3.gate.results import SuiteResult, judged, ran
from row3.reports.case_changes import outcomes
from row3.reports.junit import junit_xml

CASES = (("a", "failed"), ("b", "bad_answer"), ("c", "scored"))


def test_cases_and_gate_are_test_cases(comparison: Any) -> None:
    assert junit_xml([judged(comparison)]) == JUNIT


def test_a_case_has_regressed_beyond_the_limit_of_the_metric(comparison: Any) -> None:
    fell = [each.case_id for each in comparison.cases if each.move == "regressed"]
    for limit, failed in ((3.0, fell), (50.0, [])):
        policy = replace(comparison.run.suite.policy, limits={"overall": limit})
        run = replace(comparison.run, suite=replace(comparison.run.suite, policy=policy))
        assert [each.case_id for each in outcomes(run, replace(comparison, run=run)) if each.regressed] == failed


def test_a_plain_run_has_no_gate_and_names_what_has_no_answer(run: Any) -> None:
    lines = [json.dumps({"id": name, "status": status, "metrics": {}}).encode() for name, status in CASES]
    run = replace(run, records=lines, problems=[("a", "timed out"), ("b", "no JSON")])
    root = ElementTree.fromstring(junit_xml([ran(run)]))
    assert root.attrib == {"tests": "3", "failures": "1", "errors": "1", "skipped": "0", "time": "0"}
    assert [case.get("name") for case in root.iter("testcase")] == ["a", "b", "c"]
    assert [each.get("message") for each in root.iter("error")] == ["timed out"]
    assert [each.get("message") for each in root.iter("failure")] == ["no JSON"]


def test_an_incomplete_gate_is_an_error(comparison: Any, make: Any) -> None:
    missing = make.judged(comparison, Reason(Code.NO_ANSWER, Verdict.BLOCK, "ozone"), complete=False)
    root = ElementTree.fromstring(junit_xml([judged(missing)]))
    error = root.find(".//testcase[@name='gate']/error")
    assert error is not None
    assert (error.get("type"), error.text) == ("incomplete", "block: 1 case has no answer: ozone")


def test_several_suites_are_one_file(comparison: Any, run: Any) -> None:
    reason = Reason(Code.CRITERIA_REMOVED, Verdict.BLOCK, "suite old")
    gone = SuiteResult("old", judgement=Judgement(Verdict.BLOCK, (reason,), complete=True, signature=""))
    suites = [
        judged(comparison),
        ran(run),
        gone,
        SuiteResult("torn", problem="not JSON", fault=2),
        SuiteResult("new", problem="no baseline"),
    ]
    root = ElementTree.fromstring(junit_xml(suites))
    assert [(each.get("name"), each.get("failures"), each.get("errors")) for each in root] == [
        ("row3 decomposition", "2", "0"),
        ("row3 decomposition", "0", "0"),
        ("row3 old", "1", "0"),
        ("row3 torn", "0", "1"),
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_any_text_gives_xml(comparison: Any, make: Any, text: str) -> None:
    run = replace(comparison.run, suite=replace(comparison.run.suite, name=text), problems=[(text, text)])
    line = json.dumps({"id": text, "status": "bad_answer", "metrics": {}}).encode()
    fallen = make.judged(
        replace(comparison, run=replace(run, records=[line])), Reason(Code.CASE_BROKE, Verdict.BLOCK, text)
    )
    root = ElementTree.fromstring(junit_xml([judged(fallen)]).encode("utf-8", "replace"))
    assert len(list(root.iter("testcase"))) == 2


JUNIT = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="2" errors="0" skipped="0" time="0">
  <testsuite name="row3 decomposition" timestamp="2026-01-29T10:15:00" tests="3" failures="2" errors="0" skipped="0" time="0">
    <testcase classname="row3.decomposition" name="bank-runs" time="0" />
    <testcase classname="row3.decomposition" name="ozone" time="0">
      <failure type="regressed" message="70.0% → 60.0% (−10.0 points)" />
    </testcase>
    <testcase classname="row3.decomposition" name="gate" time="0">
      <failure type="gate" message="BLOCK: Overall 70.0% (−2.0 points, n = 2) · 1 improved · 1 regressed">block: Concept recall went from 76.0% to 70.0% (−6.0 points)
investigate: the answer to a case is no longer usable: ozone</failure>
    </testcase>
  </testsuite>
</testsuites>
"""  # noqa: E501
