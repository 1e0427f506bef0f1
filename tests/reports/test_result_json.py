"""The documented JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from row3.reports.result_json import result_json
from row3.workflows.pipeline.spool import Spool

DOCUMENTED = [
    "schemaVersion",
    "suite",
    "mode",
    "prompts",
    "model",
    "metrics",
    "intervals",
    "zones",
    "deltas",
    "verdict",
    "reasons",
    "usage",
]


def test_a_plain_run_has_the_documented_keys_and_no_verdict(run: Any) -> None:
    value = json.loads(b"".join(result_json(run, declines=2)))
    assert list(value)[:12] == DOCUMENTED
    assert list(value)[-1] == "cases"
    assert (value["schemaVersion"], value["verdict"], value["deltas"], value["intervals"]) == (1, None, {}, {})
    assert value["declines"] == 2
    assert value["denominators"] == {"recall": 2, "hallucinationRate": 2, "overall": 2, "duplicateRate": 2}
    assert value["cases"] == []
    assert not {"baseline", "approval"} & value.keys()


def test_a_comparison_has_verdict_reasons_and_baseline(comparison: Any, make: Any) -> None:
    comparison = replace(comparison, approval=make.Approval(), against="main")
    value = json.loads(b"".join(result_json(comparison.run, comparison)))
    assert list(value)[:12] == DOCUMENTED
    assert value["verdict"] == "block"
    assert value["blocked"] is False
    assert value["reasons"] == [
        {"verdict": "block", "text": "Concept recall is worse by 6.0 points (more than 5)", "metric": "recall"},
        {"verdict": "investigate", "text": "ozone is odd", "case": "ozone"},
    ]
    assert value["deltas"]["recall"] == -0.02
    assert value["approval"] == {"reason": "known gap", "by": "Ann", "at": "2026-01-29T11:00:00Z"}
    assert (value["baseline"]["runId"], value["baseline"]["against"]) == ("base", "main")


def test_cases_stream_one_a_line(run: Any) -> None:
    lines = [line.encode() for line in ('{"id":"a","text":"ü\\n"}', '{"id":"b"}')]
    text = b"".join(result_json(replace(run, details=lines)))
    assert json.loads(text)["cases"] == [{"id": "a", "text": "ü\n"}, {"id": "b"}]
    assert set(lines) <= {line.rstrip(b",") for line in text.split(b"\n")}


def test_lines_that_lie_ready_are_written_like_any_others(run: Any) -> None:
    lines = [b'{"id":"a"}', '{"id":"b","text":"ü"}'.encode()]
    for some in ([], lines[:1], lines):
        ready = Spool()
        for line in some:
            ready.add(line)
        texts = [b"".join(result_json(replace(run, details=details))) for details in (some, ready)]
        assert texts[0] == texts[1]
        assert len(json.loads(texts[1])["cases"]) == len(some)
