"""The documented JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from jsonschema import Draft202012Validator

from row3.commands.schemas import schemas
from row3.domain.judgements import Code, Reason, Verdict
from row3.gate.results import Confirmation, SuiteResult, SuitesReport, judged, ran
from row3.reports.result_json import result_json, suites_json

SCHEMAS = schemas()
DOCUMENTED = [
    "schemaVersion", "suite", "mode", "prompts", "model", "metrics", "intervals", "zones", "deltas", "verdict",
    "reasons", "usage",
]  # fmt: skip


def misfits(name: str, value: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMAS[name]).iter_errors(value)]


def test_what_is_written_fits_the_schema_and_names_no_other_key(comparison: Any, run: Any, make: Any) -> None:
    approved = make.judged(comparison, *comparison.reasons, approved=True)
    for result in (ran(run, 2), judged(comparison), judged(replace(approved, against="main", interleaved=True))):
        value = json.loads(b"".join(result_json(result)))
        assert misfits("result", value) == []
        assert value.keys() <= SCHEMAS["result"]["properties"].keys()
    assert misfits("result", value | {"metrics": {"recall": 1.5}})
    assert misfits("result", value | {"zones": {"recall": "fine"}})


def test_noise_and_confirmation_are_written(comparison: Any, make: Any) -> None:
    reasons = [Reason(Code.UNCONFIRMED, Verdict.BLOCK, subject, {"answers": 2}) for subject in ("recall", "rye")]
    plain = json.loads(b"".join(result_json(judged(comparison))))
    assert not {"noise", "unconfirmed", "confirmation"} & plain.keys()
    tested = replace(comparison, metrics=[replace(each, noise="within") for each in comparison.metrics[:2]])
    known = Confirmation(4, 2, asked=30, missing=30, stopped="--max-cost is spent", command="row3 --compare")
    value = json.loads(b"".join(result_json(judged(replace(make.judged(tested, *reasons), confirmation=known)))))
    assert misfits("result", value) == []
    assert value["noise"] == {each.key: "within" for each in tested.metrics}
    assert value["unconfirmed"] == ["recall", "rye"]
    assert value["confirmation"] == {
        "most": 4,
        "answers": 2,
        "asked": 30,
        "missing": 30,
        "stopped": "--max-cost is spent",
        "command": "row3 --compare",
    }
    assert misfits("result", value | {"noise": {"recall": "loud"}})


def test_half_a_surrogate_pair_is_written(comparison: Any, make: Any) -> None:
    reason = Reason(Code.RECORDED_AGAIN, Verdict.INVESTIGATE, "embedding of \ud800")
    text = b"".join(result_json(judged(make.judged(comparison, reason)))).decode()
    assert json.loads(text)["reasons"][0]["subject"] == "embedding of \ud800"


def test_a_plain_run_has_the_documented_keys_and_no_verdict(run: Any) -> None:
    value = json.loads(b"".join(result_json(ran(run, 2))))
    assert list(value)[:12] == DOCUMENTED
    assert list(value)[-1] == "cases"
    assert (value["schemaVersion"], value["verdict"], value["deltas"], value["intervals"]) == (2, None, {}, {})
    assert value["declines"] == 2
    assert value["denominators"] == {"recall": 2, "hallucinationRate": 2, "overall": 2, "duplicateRate": 2}
    assert value["cases"] == []
    assert not {"baseline", "approval"} & value.keys()


def test_a_comparison_has_verdict_reasons_and_baseline(comparison: Any, make: Any) -> None:
    comparison = replace(make.judged(comparison, *comparison.reasons, approved=True), against="main")
    value = json.loads(b"".join(result_json(judged(comparison))))
    assert list(value)[:12] == DOCUMENTED
    assert (value["verdict"], value["blocked"], value["complete"]) == ("block", False, True)
    assert value["reasons"][0] == {
        "code": "worse",
        "verdict": "block",
        "subject": "recall",
        "figures": {"before": 0.76, "after": 0.70},
        "after": False,
        "text": "Concept recall went from 76.0% to 70.0% (−6.0 points)",
    }
    assert value["differs"] == ["prompt decompose-concepts: v1.0 → v1.1"]
    assert value["deltas"]["recall"] == -0.02
    assert value["approval"] == {"reason": "known gap", "by": "Ann", "at": "2026-01-29T11:00:00Z"}
    assert (value["baseline"]["runId"], value["baseline"]["against"]) == ("base", "main")


def test_cases_stream_one_a_line(run: Any) -> None:
    lines = [line.encode() for line in ('{"id":"a","text":"ü\\n"}', '{"id":"b"}')]
    text = b"".join(result_json(ran(replace(run, details=lines))))
    assert json.loads(text)["cases"] == [{"id": "a", "text": "ü\n"}, {"id": "b"}]
    assert set(lines) <= {line.rstrip(b",") for line in text.split(b"\n")}


def test_figures_of_any_kind_are_json(comparison: Any, make: Any) -> None:
    figures = {"before": frozenset({"b", "a"}), "after": None}
    loosened = make.judged(comparison, Reason(Code.CRITERIA_LOOSENED, Verdict.BLOCK, "rule gate.metrics", figures))
    (reason,) = json.loads(b"".join(result_json(judged(loosened))))["reasons"]
    assert reason["figures"] == {"before": ["a", "b"], "after": None}


def test_several_suites_are_one_document(comparison: Any, run: Any) -> None:
    report = SuitesReport([judged(comparison), ran(run, 2), SuiteResult("torn", problem="not JSON", fault=2)])
    value = json.loads(b"".join(suites_json(report)))
    assert (value["schemaVersion"], value["verdict"], value["exitCode"]) == (2, "block", 2)
    assert value["standings"] == {"decomposition": "block", "torn": "unusable"}
    assert [each.get("problem") for each in value["suites"]] == [None, None, "not JSON"]
    assert value["suites"][1]["declines"] == 2
    assert misfits("results", value) == []
