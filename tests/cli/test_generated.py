"""The project that the benchmarks generate."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.generate import SUITE, generate
from tests.projects import Box


def test_a_generated_project_answers_all_its_cases(tmp_path: Path) -> None:
    box = Box(generate(tmp_path / "bench", 3))
    assert box.row3("lint").code == 0
    replayed = json.loads(box.row3("--format", "json").out)
    scored = json.loads(box.row3("score", SUITE, "--outputs", "outputs.jsonl", "--format", "json").out)
    assert [each["id"] for each in replayed["cases"]] == ["case-000000", "case-000001", "case-000002"]
    assert 0.5 < replayed["metrics"]["overall"] < 1.0
    assert replayed["metrics"]["overall"] == scored["metrics"]["overall"]
