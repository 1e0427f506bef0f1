"""`--format junit`: one test suite, a test case for each golden case, and one for the gate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from row3.reports import numbers
from row3.reports.advice import summary, verdict_word
from row3.reports.cases.case_outcomes import Outcome, outcomes
from row3.reports.hooks.behind import behind_line
from row3.reports.model import ComparisonView, RunView
from row3.reports.style import plain

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(run: RunView, comparison: ComparisonView | None = None) -> str:
    """The whole file.

    A failed case is an error; a bad answer, and a case that alone fell by more than the block limit, a failure.
    The test case `gate` is there for a comparison only and fails with all the reasons when it blocks; of an incomplete
    run, which is not judged, it is an error.
    """
    return junit_file([junit_suite(run, comparison)])


def junit_suite(run: RunView, comparison: ComparisonView | None) -> Element:
    """The test suite of a run or a comparison, without its counts."""
    suite = Element("testsuite", {"name": _clean(f"row3 {run.suite.name}")})
    suite.set("timestamp", _clean(run.header.at.removesuffix("Z")))
    group = _clean(f"row3.{run.suite.name}")
    informational = run.suite.policy.informational
    for outcome in outcomes(run, comparison):
        attributes = {"classname": group, "name": _clean(outcome.case_id), "time": "0"}
        _case(SubElement(suite, "testcase", attributes), outcome, judged=not informational)
    if comparison is not None:
        _gate(SubElement(suite, "testcase", {"classname": group, "name": "gate", "time": "0"}), comparison)
    return suite


def unusable_suite(name: str, kind: str, problem: str, *, tag: Literal["error", "failure"] | None) -> Element:
    """The test suite of one that could not be run: its gate is an error, or a failure, or None of these."""
    suite = Element("testsuite", {"name": _clean(f"row3 {name}")})
    gate = SubElement(suite, "testcase", {"classname": _clean(f"row3.{name}"), "name": "gate", "time": "0"})
    if tag is None:
        SubElement(gate, "system-out").text = _clean(plain(problem))
    else:
        _problem(gate, tag, kind, problem)
    return suite


def junit_file(suites: Sequence[Element]) -> str:
    """The whole file of some test suites, counted."""
    root = Element("testsuites")
    root.extend(suites)
    for element in (root, *suites):
        cases = list(element.iter("testcase"))
        counts = {
            "tests": len(cases),
            "failures": sum(case.find("failure") is not None for case in cases),
            "errors": sum(case.find("error") is not None for case in cases),
        }
        there = dict(element.attrib)
        element.attrib.clear()
        element.attrib |= {key: there[key] for key in ("name",) if key in there}
        element.attrib |= {key: str(number) for key, number in counts.items()} | {"skipped": "0", "time": "0"}
        element.attrib |= {key: there[key] for key in ("timestamp",) if key in there}
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _case(element: Element, outcome: Outcome, *, judged: bool) -> None:
    """A case's trouble; of an informational gate, which fails nothing, only a missing answer."""
    if outcome.status == "failed":
        _problem(element, "error", "no answer", outcome.problem)
    elif not judged:
        return
    elif outcome.status == "bad_answer":
        _problem(element, "failure", "bad answer", outcome.problem)
    elif outcome.regressed and outcome.delta is not None and outcome.value is not None:
        before, after = numbers.percent(outcome.value - outcome.delta), numbers.percent(outcome.value)
        _problem(element, "failure", "regressed", f"{before} → {after} ({numbers.points(outcome.delta)} points)")


def _gate(element: Element, comparison: ComparisonView) -> None:
    lines = [f"{reason.verdict.word}: {plain(reason.text)}" for reason in comparison.reasons]
    if comparison.behind and comparison.against:
        lines.insert(0, plain(behind_line(comparison.behind, comparison.against)))
    reasons = "\n".join(lines)
    text = f"{verdict_word(comparison)}: {summary(comparison)}"
    if comparison.run.collected.failed:
        _problem(element, "error", "incomplete", text, reasons)
        return
    if comparison.blocked:
        _problem(element, "failure", "gate", text, reasons)
        return
    if (approval := comparison.approval) is not None:
        text += f"\napproved by {plain(approval.by)}, {plain(approval.at)}: {plain(approval.reason)}"
    SubElement(element, "system-out").text = _clean(f"{text}\n{reasons}".rstrip())


def _problem(element: Element, tag: str, kind: str, message: str, text: str = "") -> None:
    problem = SubElement(element, tag, {"type": kind, "message": _clean(plain(message) or kind)})
    problem.text = _clean(text) or None


def _clean(text: str) -> str:
    return _ILLEGAL.sub("", text)
