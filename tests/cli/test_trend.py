"""`row3 trend`: since when the composite is what it is."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from tests.projects import Box, tiny
from tests.rows import every_row

pytest.importorskip("ruptures", reason="pip install 'row3[trend]'")


def project(root: Path, values: list[float], scored: str = "") -> Box:
    """A suite with a history of these composites, the later half of v1.1; `scored` has a letter for each run."""
    box = tiny(root / "project")
    half = len(values) // 2
    lines = [
        json.dumps(
            {
                "schemaVersion": 1,
                "runId": f"r{n}",
                "at": f"2026-11-{18 + n:02}T09:00:00Z",
                "action": "compare",
                "suite": "bread",
                "prompts": {"extract": "v1.0" if n < half else "v1.1"},
                "model": "m",
                "mode": "replay",
                "cases": 3,
                "metrics": {"overall": value},
                "scored": scored[n : n + 1],
            }
        )
        for n, value in enumerate(values)
    ]
    box.write("metrics-history.json", "[\n" + "\n,".join(lines) + "\n]\n")
    return box


LINE = "Overall rose from 78.0% to 84.7% with v1.1, 22 Nov 2026"


def test_a_change_is_told_after_the_files(tmp_path: Path) -> None:
    box = project(tmp_path, [0.78] * 4 + [0.847] * 4)
    done = box.row3("trend", code=0)
    assert done.out.splitlines() == ["charts/bread-trend.svg", LINE]
    assert "78.0% → 84.7%" in box.read("charts/bread-trend.svg")
    assert box.row3("trend", "--weekly", "--format", "json", code=0).json["changes"] == [LINE]


@every_row(
    ("scored", "days"),
    [
        ("aabb", ["v1.1, 20 Nov 2026"]),
        ("abba", ["v1.0, 19 Nov 2026", "v1.1, 21 Nov 2026"]),
        ("aaaa", []),
        ("", []),
    ],
)
def test_a_trend_over_other_cases_or_another_scorer_says_so(tmp_path: Path, scored: str, days: list[str]) -> None:
    box = project(tmp_path / f"p{scored}", [0.78, 0.79, 0.8, 0.81], scored)
    path, *told = box.row3("trend", code=0).out.splitlines()
    assert told == [f"Golden cases or scorer changed before {day}" for day in days]
    assert ("cases or scorer changed" in box.read(path)) == bool(days)


def test_out_names_a_file_of_either_form_or_a_folder(tmp_path: Path) -> None:
    box = project(tmp_path, [0.78, 0.8])
    for out, file, begin in (
        ("x.png", "x.png", b"\x89PNG"),
        ("y.svg", "y.svg", b"<?xml"),
        ("z", "z/bread-trend.svg", b"<?xml"),
    ):
        assert box.row3("trend", "--out", out, code=0).out.splitlines() == [file]
        assert box.path(file).read_bytes().startswith(begin)
    box.write("mine.png", "mine")
    assert "row3 did not write this file" in box.row3("trend", "--out", "mine.png", code=2).errors[0]
    assert "the project's own data" in box.row3("trend", "--out", "golden/x.png", code=2).errors[0]
    (error,) = box.row3("trend", "--out", "t.jpg", code=2).errors
    assert error == (
        "error: --out t.jpg: cannot write a chart as .jpg. Name a file that ends in .svg or .png, or a folder."
    )
    assert not box.path("t.jpg").exists()
    assert not box.path("charts").exists()


def test_few_points_and_a_steady_series_have_none(tmp_path: Path) -> None:
    for name, values in (("few", [0.78] * 3 + [0.847] * 4), ("steady", [0.78, 0.784] * 5)):
        assert len(project(tmp_path / name, values).row3("trend", code=0).out.splitlines()) == 1


def test_without_ruptures_the_chart_is_drawn_and_a_note_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ruptures" else found(name))
    box = project(tmp_path, [0.78] * 4 + [0.847] * 4)
    done = box.row3("trend", code=0)
    assert done.out.splitlines() == ["charts/bread-trend.svg"]
    assert "pip install 'row3[trend]'" in done.err
    assert "78.0% → 84.7%" not in box.read("charts/bread-trend.svg")
