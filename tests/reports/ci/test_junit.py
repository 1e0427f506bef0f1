"""JUnit XML and GitHub annotations."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from row3.domain.quarantine import NO_QUARANTINE
from row3.domain.verdicts import CaseChange, Reason, Verdict
from row3.reports.ci.github import annotation, github_annotations, step_summary
from row3.reports.ci.junit import junit_xml


def test_cases_and_gate_are_test_cases(comparison: Any) -> None:
    assert junit_xml(comparison.run, comparison) == JUNIT


def test_a_plain_run_has_no_gate_and_names_what_has_no_answer(run: Any, make: Any) -> None:
    lines = [json.dumps({"id": name, "status": status, "metrics": {}}).encode() for name, status in CASES]
    run = replace(run, records=lines, problems=[("a", "timed out"), ("b", "no JSON")])
    root = ElementTree.fromstring(junit_xml(run))
    assert root.attrib == {"tests": "3", "failures": "1", "errors": "1", "skipped": "0", "time": "0"}
    assert [case.get("name") for case in root.iter("testcase")] == ["a", "b", "c"]
    assert [each.get("message") for each in root.iter("error")] == ["timed out"]
    assert [each.get("message") for each in root.iter("failure")] == ["no JSON"]


def test_an_approved_gate_passes(comparison: Any, make: Any) -> None:
    root = ElementTree.fromstring(junit_xml(comparison.run, replace(comparison, approval=make.Approval())))
    gate = root.findall(".//testcase[@name='gate']")[0]
    assert [child.tag for child in gate] == ["system-out"]
    assert "approved by Ann" in (gate[0].text or "")


@given(st.text())
def test_any_text_gives_xml(text: str) -> None:
    from_fixture = _small(text)
    root = ElementTree.fromstring(junit_xml(*from_fixture).encode("utf-8", "replace"))
    assert len(list(root.iter("testcase"))) == 2


def _small(text: str) -> Any:
    from types import SimpleNamespace as S

    from row3.gate.policy import GatePolicy

    kind = S(primary="overall", metrics=())
    suite = S(name=text, kind=kind, policy=GatePolicy(), rules=S(thresholds={}))
    line = json.dumps({"id": text, "status": "bad_answer", "metrics": {}}).encode()
    run = S(
        suite=suite,
        header=S(at=text),
        collected=S(failed=()),
        details=[],
        records=[line],
        problems=[(text, text)],
        quarantine=NO_QUARANTINE,
    )
    comparison = S(
        run=run,
        cases=[CaseChange(text, "broke", -0.5)],
        moves={"broke": 1},
        metrics=[],
        reasons=[Reason(Verdict.BLOCK, text)],
        verdict=Verdict.BLOCK,
        blocked=True,
        approval=None,
        behind=0,
    )
    return run, comparison


def test_annotations_name_the_file_of_the_case(comparison: Any) -> None:
    assert github_annotations(comparison.run, comparison) == (
        "::error title=row3%3A block::Concept recall is worse by 6.0 points (more than 5)\n"
        "::warning file=golden/decomposition/ozone.gold.json,title=row3%3A investigate::ozone is odd\n"
        "::notice title=row3%3A BLOCK::Overall 70.0%25 (−2.0 points, n = 2) · 1 improved · 1 regressed\n"
    )


def test_an_approved_block_is_no_error(comparison: Any, make: Any) -> None:
    assert "::error" not in github_annotations(comparison.run, replace(comparison, approval=make.Approval()))


def test_a_plain_run_warns(make: Any) -> None:
    run = make.run({"a": {"recall": 0.5, "overall": 0.8}})
    assert github_annotations(run, declines=3) == (
        "::warning title=row3%3A fail zone::Concept recall (row3 --compare judges)\n"
        "::warning title=row3%3A declining::3 consecutive declining runs of Overall — row3 trend draws them\n"
    )


@given(st.text(), st.text(), st.text())
def test_an_annotation_is_one_command(message: str, title: str, file: str) -> None:
    text = annotation("error", message, title=title, file=file)
    assert len(text.splitlines()) == 1
    head, _, body = text.removeprefix("::error ").partition("::")
    assert re.fullmatch(r"(file=[^:,]*,)?title=[^:,]*", head)
    assert not re.search(r"%(?!25|0A|0D|3A|2C)", head + body)


def test_a_step_summary_stays_below_githubs_limit(make: Any) -> None:
    label = "x" * 90_000
    run = make.run({f"case{i}": {"overall": 0.5} for i in range(20)})
    changes = [CaseChange(f"case{i}", "regressed", -0.1, lost={"missedConcepts": (label,)}) for i in range(20)]
    assert len(step_summary(run, make.comparison(run, changes)).encode()) < 1_000_000


CASES = (("a", "failed"), ("b", "bad_answer"), ("c", "scored"))
JUNIT = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="2" errors="0" skipped="0" time="0">
  <testsuite name="row3 decomposition" tests="3" failures="2" errors="0" skipped="0" time="0" timestamp="2026-01-29T10:15:00">
    <testcase classname="row3.decomposition" name="bank-runs" time="0" />
    <testcase classname="row3.decomposition" name="ozone" time="0">
      <failure type="regressed" message="70.0% → 60.0% (−10.0 points)" />
    </testcase>
    <testcase classname="row3.decomposition" name="gate" time="0">
      <failure type="gate" message="BLOCK: Overall 70.0% (−2.0 points, n = 2) · 1 improved · 1 regressed">block: Concept recall is worse by 6.0 points (more than 5)
investigate: ozone is odd</failure>
    </testcase>
  </testsuite>
</testsuites>
"""  # noqa: E501
