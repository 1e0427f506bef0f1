"""A golden case under a wrong name: no run passes over it in silence."""

from __future__ import annotations

import pytest

from tests.projects import SUITE, Box

NOTE = f"note: not read, as a golden case is named *.gold.json: spelt.json in golden/{SUITE}/\n"


@pytest.mark.parametrize(
    "command",
    ["", "--compare", "--baseline", "--all", "--compare --all", "--compare --against HEAD", "promote v1.1"],
)
def test_every_run_says_once_which_file_it_does_not_read(box: Box, command: str) -> None:
    box.write(f"golden/{SUITE}/spelt.json", "{}")
    done = box.row3(*command.split(), code=0)
    assert done.err.count("spelt.json") == 1
    assert NOTE in done.err
    assert "spelt" not in done.out


def test_many_are_counted_and_quiet_is_quiet(box: Box) -> None:
    for number in range(7):
        box.write(f"golden/{SUITE}/case-{number}.gold.JSON", "{}")
    said = box.row3(code=0).err
    assert "not read, as a golden case is named *.gold.json: case-0.gold.JSON" in said
    assert "and 2 more" in said
    assert box.row3("-q", code=0).err == ""


def test_a_suite_of_such_files_only_is_told_why_it_is_empty(box: Box) -> None:
    for path in box.path(f"golden/{SUITE}").glob("*.gold.json"):
        path.rename(path.with_name(path.name.replace(".gold.json", ".json")))
    assert "the suite has no golden cases (*.gold.json); oven.json does not match" in box.row3(code=2).err


@pytest.mark.parametrize("command", ["", "--compare", "lessons", "trend", "recordings verify", "diff v1.0 v1.1"])
def test_settings_of_no_suite_are_named(box: Box, command: str) -> None:
    settings = box.path("row3.toml").read_text()
    box.write("row3.toml", f"{settings}\n[suites.braed.gate]\npolicy = 'paired'\n[suites.cake]\n")
    (box.root / "golden" / "cake").mkdir()
    done = box.row3(*command.split(), code=0)
    assert "note: row3.toml field suites.braed: golden/braed/ has no golden cases. Did you mean `bread`?\n" in done.err
    assert "note: row3.toml field suites.cake: golden/cake/ has no golden cases.\n" in done.err
    box.write("row3.toml", f"{settings}\n[suites.{SUITE}.gate]\npolicy = 'paired'\n")
    assert "has no golden cases" not in box.row3(*command.split(), code=0).err
