"""A folder of golden cases that two suites share, and that a change splits."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.memory import ITEMS, answers, memory, record
from tests.projects import Box

SHARING = ("events", "entities")


@pytest.fixture(scope="module")
def sharing(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """Two suites that are asked the same documents, each with a baseline."""
    box = memory(tmp_path_factory.mktemp("sharing") / "project")
    for kind in SHARING:
        record(box, kind, "1.0", answers(kind))
        box.row3("--baseline", "--suite", kind, code=0)
    box.init()
    box.row3("hook", "install", code=0)
    box.git("checkout", "-q", "-b", "work")
    return box


@pytest.mark.parametrize("kind", SHARING)
def test_a_case_that_one_of_them_gets_is_none_of_the_other(sharing: Box, tmp_path: Path, kind: str) -> None:
    box = sharing.copy(tmp_path / "project")
    shutil.copytree(box.path("golden/memory/documents"), box.path("golden/memory/own"))
    settings = f'kind = "{kind}"\ngolden = "memory/'
    box.replace("row3.toml", f"{settings}documents", f"{settings}own")
    case = json.loads(box.path("golden/memory/own/m1.gold.json").read_text())
    box.write("golden/memory/own/zz.gold.json", json.dumps(case | {"document_id": "zz", "document": "Nothing new."}))
    record(box, kind, "1.0", {"zz": {ITEMS[kind]: []}})
    result = box.row3("--compare", "--all", "--against", "main", "--format", "json", CI="1").json
    judged = {each["suite"]: each["reasons"] for each in result["suites"] if "reasons" in each}
    found = {suite: [(reason["code"], reason["subject"]) for reason in reasons] for suite, reasons in judged.items()}
    assert {suite: found[suite] for suite in SHARING} == {
        suite: [("criteria_added", "case zz")] if suite == kind else [] for suite in SHARING
    }
    box.git("add", "-A")
    assert "no answer for zz" not in box.git("commit", "-m", "split", code=None).err
