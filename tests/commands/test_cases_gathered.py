"""What is known of cases: recorded answers of every version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from row3.commands.cases import History, Recorded, gather
from row3.project.project import open_project, pick_suite
from tests.bakery import bakery, found, record
from tests.projects import Box
from tests.two_stages import BOTH, CONCEPTS, LINKS, imported, response, two_stages

FLAWLESS = 0.85


@pytest.fixture
def box(tmp_path: Path, calm_env: None) -> Box:
    """Fifteen cases, v1.0 and v1.1, nothing recorded."""
    return bakery(tmp_path / "project")


def gathered(root: Path, **options: Any) -> History:
    project = open_project(root)
    return gather(project, pick_suite(project, None), **options)


def values(answers: Recorded) -> list[float]:
    return [metrics["overall"] for _, (metrics, _) in sorted(answers.items())]


def of_version(history: History, version: str) -> dict[str, Recorded]:
    (cases,) = [cases for setting, cases in history.settings.items() if setting.prompts[-1][1] == version]
    return cases


def test_every_version_and_repeat(box: Box) -> None:
    record(box, "1.0", found(3))
    for repeat, concepts in enumerate((4, 2, 4)):
        record(box, "1.1", found(concepts), repeat=repeat)
    history = gathered(box.root)
    assert len(history.cases) == 15
    assert values(of_version(history, "v1.0")["ember"]) == [pytest.approx(0.7875)]
    assert values(of_version(history, "v1.1")["ember"]) == pytest.approx([FLAWLESS, 0.725, FLAWLESS])
    assert sorted(setting.title for setting in history.settings) == [
        "extract v1.0 · baker-1",
        "extract v1.1 · baker-1",
    ]


def test_only_the_chosen_cases_and_versions(box: Box) -> None:
    for version in ("1.0", "1.1"):
        record(box, version, found(3))
    assert gathered(box.root, only={"ember"}).cases == ["ember"]
    assert [s.title for s in gathered(box.root, named=("extract-v1.0",)).settings] == ["extract v1.0 · baker-1"]


def test_a_bad_answer_counts_as_zero(box: Box) -> None:
    record(box, "1.1", found(4))
    box.record("1.1", {"ember": "I cannot"}, repeat=1)
    assert values(of_version(gathered(box.root), "v1.1")["ember"]) == pytest.approx([FLAWLESS, 0.0])


def test_an_early_bad_answer_counts_for_every_pipeline_with_that_beginning(tmp_path: Path) -> None:
    project = two_stages(tmp_path)
    imported(project, *BOTH, named=("decompose-v1.0",))
    imported(project, response("a", "decompose-v1.0", "no", repeat=1), named=("decompose-v1.0",), repeats=2)
    ((setting, cases),) = gathered(tmp_path).settings.items()
    assert [name for name, _, _ in setting.prompts] == ["decompose", "map"]
    assert values(cases["a"]) == [pytest.approx(FLAWLESS), 0.0]


def test_a_pipeline_with_only_bad_answers_is_a_setting(tmp_path: Path) -> None:
    project = two_stages(tmp_path)
    imported(project, response("a", "decompose-v1.0", "no"), named=("decompose-v1.0",))
    history = gathered(tmp_path)
    assert [values(cases["a"]) for cases in history.settings.values()] == [[0.0]]


def test_every_path_through_the_versions_is_a_setting(tmp_path: Path) -> None:
    project = two_stages(tmp_path)
    fewer = '{"concepts": [{"label": "rye", "sourceQuote": "Rye"}]}'
    for version, concepts in (("1.0", CONCEPTS), ("1.1", fewer)):
        lines = [response("a", "decompose", concepts), response("a", "map", LINKS)]
        imported(project, *lines, named=(f"decompose-v{version}",))
    history = gathered(tmp_path)
    assert sorted(setting.title for setting in history.settings) == [
        "decompose v1.0 → map v1.0 · m",
        "decompose v1.1 → map v1.0 · m",
    ]
    assert len({values(cases["a"])[0] for cases in history.settings.values()}) == 2
