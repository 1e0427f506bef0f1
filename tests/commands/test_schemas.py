"""The JSON Schemas accept what row3 writes and reads, and refuse what it refuses."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from row3.cli.project import STARTERS
from row3.commands.init import init
from row3.commands.schemas import schemas, write_schemas
from row3.domain.quarantine import Quarantined
from row3.domain.requests import Answer, Request, messages_of
from row3.domain.runs import HistoryEntry, Manifest, ManifestCase, ManifestPrompt
from row3.errors import InvalidFile
from row3.gate.result_model import RESULT_VERSION
from row3.kinds import all_kinds
from row3.kinds.checks.model import TYPES
from row3.project.history import history_text
from row3.project.manifests import manifest_bytes
from row3.project.prompts import Promotion, promoted_text
from row3.project.quarantine import write_quarantine
from row3.project.recording_lines import to_line
from row3.project.reviewed import from_line, with_wrong
from row3.project.tree import WorkTree
from tests.rows import every_row

ROOT = Path(__file__).parents[2]
SHA = "0" * 64
KINDS = {"documents": ("events-case", "entities-case"), "queries": ("retrieval-case",), "graph": ("graph-case",)}
NAMES = sorted(
    [
        "baseline", "calibration", "checks-case", "golden-case", "history", "label", "lesson", "outcome-case",
        "promoted", "quarantine", "recording", "result", "results", "reviewed", "row3",
    ]
    + [name for names in KINDS.values() for name in names]
)  # fmt: skip
MEMORY = [
    (path, schema)
    for folder, names in KINDS.items()
    for path in sorted((ROOT / "golden/memory" / folder).rglob("*.gold.json"))
    for schema in names
]


SCHEMAS = schemas()


def _errors(name: str, value: Any) -> list[str]:
    validator = Draft202012Validator(SCHEMAS[name], format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


def test_every_schema_exists_and_is_valid() -> None:
    assert sorted(schemas()) == NAMES
    for schema in schemas().values():
        Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert "$id" not in schema
        assert schema["title"]
        assert schema["description"]


@every_row("path", sorted((ROOT / "golden/decomposition").glob("*.gold.json")))
def test_the_shipped_golden_cases_fit(path: Path) -> None:
    name = {"memory-operations": "checks-case", "outcome": "outcome-case"}.get(path.parent.name, "golden-case")
    assert _errors(name, json.loads(path.read_text(encoding="utf-8"))) == []


def test_the_shipped_cases_of_a_memory_fit() -> None:
    assert len(MEMORY) == 2 * 56 + 44 + 16
    for path, schema in MEMORY:
        assert _errors(schema, json.loads(path.read_text(encoding="utf-8"))) == [], path.name


@every_row("starter", STARTERS)
def test_files_from_init_fit(tmp_path: Path, starter: str) -> None:
    init(tmp_path, starter)
    paths = [*(tmp_path / "golden" / starter).iterdir()]
    assert len(paths) == 2
    for path in paths:
        value = json.loads(path.read_text(encoding="utf-8"))
        assert _errors(all_kinds()[starter].case_model.schema_name(), value) == []
    assert _errors("row3", tomllib.loads((tmp_path / "row3.toml").read_text(encoding="utf-8"))) == []


@every_row(
    ("change", "place"),
    [
        ({"expectedConcept": []}, "expectedConcept"),
        ({"domain": "economy"}, "domain"),
        ({"expectedConcepts": [{"lable": "x"}]}, "lable"),
        ({"sourceText": 1}, "sourceText"),
    ],
)
def test_a_wrong_golden_case_does_not_fit(change: dict[str, Any], place: str) -> None:
    value = {"id": "a", "sourceText": "text", "expectedConcepts": [{"label": "x"}]}
    assert _errors("golden-case", value) == []
    assert any(place in error for error in _errors("golden-case", value | change))


JUDGED = {
    "schemaVersion": 1, "caseId": "rye", "item": "salt", "verdict": "wrong", "text": "0123456789abcdef",
    "date": "2026-12-02",
}  # fmt: skip


def test_a_written_judgement_fits() -> None:
    line = with_wrong({}, "rye", "salt", "Rye is a cereal.", date="2026-12-02")
    assert _errors("reviewed", json.loads(line)) == []


@every_row(
    "change", [{"verdict": "right"}, {"text": "0"}, {"date": "2.12.2026"}, {"schemaVersion": 2}, {"case": "rye"}]
)
def test_a_wrong_judgement_does_not_fit(change: dict[str, Any]) -> None:
    assert _errors("reviewed", JUDGED) == []
    assert _errors("reviewed", JUDGED | change)
    with pytest.raises(InvalidFile):
        from_line(json.dumps(JUDGED | change), where="golden/bread/reviewed.jsonl:1")


def test_a_written_quarantine_fits_and_points_to_its_schema(tmp_path: Path) -> None:
    folder = tmp_path / "golden" / "bread"
    folder.mkdir(parents=True)
    write_quarantine(tmp_path, "golden/bread", [Quarantined("rye", "2026-11-22", "2026-12-01", "wavers", "Zoë")])
    value = json.loads((folder / "quarantine.json").read_text(encoding="utf-8"))
    assert _errors("quarantine", value) == []
    assert (folder / value["$schema"]).resolve() == tmp_path / "schemas/quarantine.schema.json"
    assert _errors("quarantine", value | {"cases": [{"case": "rye", "since": "2026-11-22", "until": "soon"}]})


def test_settings() -> None:
    config = {
        "suite": "a",
        "suites": {"a": {"thresholds": {"recall": {"minimum": 0.5, "target": 0.6, "excellent": 1}}}},
    }
    assert _errors("row3", config) == []
    assert _errors("row3", {"suits": {}})
    assert _errors("row3", {"mode": "reply"})


@every_row("name", ["Bad", "a b", "a\n", ""])
def test_a_name_that_no_suite_may_have(name: str) -> None:
    assert _errors("row3", {"suites": {"a": {}}}) == []
    assert _errors("row3", {"suites": {name: {}}})


@every_row("key", [key for key in TYPES if key != "equals"])
def test_a_check_without_a_value(key: str) -> None:
    """What row3 refuses is refused in the editor; `equals` may want null."""
    case = {"id": "a", "input": "text", "checks": [{"equals": None}]}
    assert _errors("checks-case", case) == []
    assert _errors("checks-case", case | {"checks": [{key: None}]})


def test_patterns_are_those_of_json_schema() -> None:
    """ECMA 262 knows no `\\Z`: an editor would refuse every value."""
    assert '"pattern": "^' in json.dumps(SCHEMAS)
    assert "\\\\Z" not in json.dumps(SCHEMAS)


def test_fields_are_described_by_their_docstrings() -> None:
    properties = SCHEMAS["row3"]["properties"]
    assert properties["suite"]["description"] == "The default suite."
    assert SCHEMAS["events-case"]["properties"]["tags"]["description"] == "Words by which --tag selects cases."
    assert SCHEMAS["baseline"]["$defs"]["ManifestCase"]["properties"]["digest"]["description"]


def test_a_baseline_as_row3_writes_it() -> None:
    case = ManifestCase("a", SHA, SHA, (SHA,), (SHA,))
    prompts = {"p": ManifestPrompt("v1.0", SHA, "concepts")}
    at = "2026-01-29T00:00:00Z"
    manifest = Manifest("s", "extraction", "replay", "r", at, prompts, "m", {"p": {"model": "m"}}, 1, {"a": case})
    value = json.loads(manifest_bytes(manifest))
    assert _errors("baseline", value) == []
    value["cases"][0]["answers"] = [1]
    assert _errors("baseline", value) == ["$.cases[0].answers[0]: 1 is not of type 'string'"]


def test_a_recording_as_row3_writes_it() -> None:
    request = Request("a", "p-v1.0", 0, "m", 0.0, None, None, messages_of("s", "u"), "concepts", {}, SHA, SHA, SHA, SHA)
    value = json.loads(to_line(request, Answer("{}", latency_s=1.25), recorded_at="2026-01-29T00:00:00Z"))
    assert _errors("recording", value) == []
    del value["response"]["text"]
    assert _errors("recording", value) == ["$.response: 'text' is a required property"]


@every_row("path", sorted((ROOT / "recordings").glob("*/*.jsonl")))
def test_the_shipped_recordings_fit(path: Path) -> None:
    validator = Draft202012Validator(SCHEMAS["recording"])
    for line in path.read_text(encoding="utf-8").splitlines():
        validator.validate(json.loads(line))


def test_a_history_as_row3_writes_it(tmp_path: Path) -> None:
    entry = HistoryEntry(
        run_id="r", at="2026-01-29T00:00:00Z", action="compare", suite="s", prompts={"p": "v1.0"}, model="m",
        mode="replay", cases=1, metrics={"recall": 0.5}, verdict="block", reasons=["x"],
    )  # fmt: skip
    value = json.loads(history_text(WorkTree(tmp_path), entry))
    assert _errors("history", value) == []
    value[0]["verdict"] = "maybe"
    assert _errors("history", value)


def test_promoted_versions_as_row3_writes_them() -> None:
    text = promoted_text({"p": Promotion(version="v1.0", digest=SHA, date="2026-01-29", locked={"v1.0": SHA})})
    assert _errors("promoted", json.loads(text)) == []
    assert _errors("promoted", {"prompts": {"p": {"version": "v1.0"}}})


def test_the_results_of_all_suites() -> None:
    value = {
        "schemaVersion": RESULT_VERSION, "verdict": "block", "exitCode": 2, "standings": {"s": "unusable"},
        "suites": [
            {"schemaVersion": RESULT_VERSION, "suite": "s", "verdict": None, "problem": "not JSON"},
            {"schemaVersion": RESULT_VERSION, "suite": "t", "verdict": "proceed", "metrics": {"recall": 0.5}},
        ],
    }  # fmt: skip
    assert _errors("results", value) == []
    assert _errors("results", value | {"exitCode": 4})
    assert _errors("results", value | {"standings": {"s": "fine"}})


def test_written_once_and_then_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "schemas"
    paths = write_schemas(folder)
    assert sorted(path.name for path in paths) == [f"{name}.schema.json" for name in NAMES]
    before = [path.stat().st_mtime_ns for path in paths]
    assert write_schemas(folder) == paths
    assert [path.stat().st_mtime_ns for path in paths] == before
    paths[0].write_text("{}")
    write_schemas(folder)
    assert json.loads(paths[0].read_text(encoding="utf-8"))["title"]
