"""One answer that cannot be used: it is the first thing that is told, wherever a comparison is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bakery import IDS, answer, bakery, found, record
from tests.projects import Box

CASE = IDS[0]
BROKE = f"{CASE} broke: its answer cannot be used"
FOLLOWS = f"follows from {CASE} alone: Concept recall, Concept precision, Concept F1"


@pytest.fixture(scope="module")
def broken_once(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """v1.0 is promoted; v1.1 answers as it does, but for one case, whose answer was cut off."""
    box = bakery(tmp_path_factory.mktemp("broken") / "project")
    record(box, "1.0", found(4))
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.row3("hook", "install", code=0)
    box.commit("v1.0")
    record(box, "1.1", found(4))
    box.record("1.1", {CASE: json.dumps(answer(CASE, 4))[:60]})
    return box


@pytest.fixture
def broken(broken_once: Box, tmp_path: Path) -> Box:
    return broken_once.copy(tmp_path / "project")


def reasons(text: str) -> list[str]:
    """The lines under `Why`, each with those that go on."""
    block = text.split("\nWhy\n")[1].split("\n\n", maxsplit=1)[0]
    return " ".join(block.split()).replace("✗ ", "\n✗ ").replace("! ", "\n! ").strip().split("\n")


def test_a_comparison_tells_the_cause_first(broken: Box) -> None:
    done = broken.row3("--compare", code=1)
    first, blocks, *rest = reasons(done.out)
    assert first.strip() == f"! investigate {BROKE}"
    assert blocks.startswith(f"✗ block {FOLLOWS}")
    assert blocks.strip().endswith("and Overall are worse")
    assert [line for line in rest if not line.startswith("! investigate follows from")] == []
    assert "− all lost: 4 concepts, 2 relationships" in done.out


def test_every_reason_is_in_the_json(broken: Box) -> None:
    value = broken.row3("--compare", "--format", "json", code=1).json
    texts = [reason["text"] for reason in value["reasons"]]
    assert BROKE in texts
    assert sum("is worse by" in text for text in texts) >= 6


def test_the_hook_tells_the_cause_and_what_is_wrong_with_the_answer(broken: Box) -> None:
    broken.git("add", "-A")
    done = broken.git("commit", "-m", "v1.1", code=1)
    lines = [line for line in done.err.splitlines() if line.startswith(("  ! ", "  ✗ "))]
    assert lines[0] == f"  ! {BROKE}"
    assert lines[1].startswith(f"  ✗ {FOLLOWS}"[:70])
    assert len(lines) == 2
    assert f"    {CASE} −85.0: extract-v1.1: the answer is not JSON" in done.err


@pytest.mark.parametrize("command", [("--compare", "--format", "markdown"), ("comment", "--dry-run")])
def test_the_markdown_tells_the_cause_first(broken: Box, command: tuple[str, ...]) -> None:
    done = broken.row3(*command)
    told = [line for line in done.out.splitlines() if line.startswith(("- !", "- ✗"))]
    assert told[0] == f"- ! {BROKE}"
    assert told[1].startswith(f"- ✗ {FOLLOWS}")
    assert "the answer is not JSON" in done.out


def test_what_the_other_cases_lost_is_told_beside(broken: Box) -> None:
    record(broken, "1.1", dict.fromkeys(IDS[1:15], 2))
    lines = reasons(broken.row3("--compare", code=1).out)
    assert any(line.startswith("✗ block Concept recall is worse by") for line in lines)
    assert any(line.startswith(f"✗ block follows from {CASE} alone: Concept precision") for line in lines)
