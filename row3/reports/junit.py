"""`--format junit`: one test suite per suite, with a test case for each golden case and one for the gate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from row3.domain.printable import plain
from row3.gate.results import Comparison, Run, SuiteResult
from row3.reports.case_changes import outcomes
from row3.reports.differences import cells_of
from row3.reports.reason_text import grounds_of
from row3.reports.suites import problem_of
from row3.reports.verdict_text import approval_line, behind_line, summary, verdict_label

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(results: Sequence[SuiteResult]) -> str:
    """Return the file of one suite or several: a suite that could not run is an error, a removed one a failure.

    A case without an answer is an error. A bad answer, or a case that alone fell by more than the block limit, is a
    failure, unless the gate is informational or the comparison is approved. A comparison's test case `gate` is a
    failure with all reasons if it blocks, an error if the run is incomplete; an approval is its property.
    """
    suites = []
    for result in results:
        if result.run is not None:
            suites.append(_suite(result.run, result.comparison))
        elif result.standing != "none":
            tag = None if not result.exit_code else "failure" if result.standing == "block" else "error"
            suites.append(_unusable(result, tag))
    return _file(suites)


def _suite(run: Run, comparison: Comparison | None) -> Element:
    suite = Element("testsuite", {"name": _clean(f"row3 {run.suite.name}")})
    suite.set("timestamp", _clean(run.header.at.removesuffix("Z")))
    group = _clean(f"row3.{run.suite.name}")
    approved = comparison is not None and comparison.approval is not None
    judged = not (run.suite.policy.informational or approved)
    for outcome in outcomes(run, comparison):
        case = SubElement(suite, "testcase", {"classname": group, "name": _clean(outcome.case_id), "time": "0"})
        failed = outcome.status == "failed"
        if outcome.fault and (judged or failed):
            _problem(case, "error" if failed else "failure", outcome.fault, outcome.detail)
    if comparison is not None:
        _gate(SubElement(suite, "testcase", {"classname": group, "name": "gate", "time": "0"}), comparison)
    return suite


def _unusable(result: SuiteResult, tag: str | None) -> Element:
    suite = Element("testsuite", {"name": _clean(f"row3 {result.suite}")})
    gate = SubElement(suite, "testcase", {"classname": _clean(f"row3.{result.suite}"), "name": "gate", "time": "0"})
    if tag is None:
        SubElement(gate, "system-out").text = _clean(plain(problem_of(result)))
    else:
        _problem(gate, tag, result.standing, problem_of(result))
    return suite


def _file(suites: Sequence[Element]) -> str:
    root = Element("testsuites")
    root.extend(suites)
    for element in (root, *suites):
        cases = list(element.iter("testcase"))
        element.set("tests", str(len(cases)))
        for tag in ("failure", "error"):
            element.set(f"{tag}s", str(sum(case.find(tag) is not None for case in cases)))
        element.attrib |= {"skipped": "0", "time": "0"}
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _gate(element: Element, comparison: Comparison) -> None:
    lines = [
        f"{'note' if ground.note else ground.verdict.word}: {plain(ground.text)}" for ground in grounds_of(comparison)
    ]
    cells = map(cells_of, comparison.figures)
    lines += [f"note: {title}: {before} → {now} ({rise})" for title, before, now, rise in cells]
    if comparison.behind and comparison.against:
        lines.insert(0, plain(behind_line(comparison.behind, comparison.against)))
    reasons, text = "\n".join(lines), f"{verdict_label(comparison).word}: {summary(comparison)}"
    if not comparison.complete:
        _problem(element, "error", "incomplete", text, reasons)
    elif comparison.blocked:
        _problem(element, "failure", "gate", text, reasons)
    else:
        if approved := approval_line(comparison):
            properties = SubElement(element, "properties")
            SubElement(properties, "property", {"name": "approval", "value": _clean(plain(approved))})
        SubElement(element, "system-out").text = _clean(f"{text}\n{reasons}".rstrip())


def _problem(element: Element, tag: str, kind: str, message: str, text: str = "") -> None:
    problem = SubElement(element, tag, {"type": kind, "message": _clean(plain(message) or kind)})
    problem.text = _clean(text) or None


def _clean(text: str) -> str:
    return _ILLEGAL.sub("", text)
