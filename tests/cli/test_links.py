"""Symbolic links in a project, as a pull request may bring them: none is followed, and lint, hook and gate name it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.projects import SUITE, Box

LINK = "this is a symbolic link"
CASE = f"golden/{SUITE}/rye.gold.json"
FILES = ("CHANGELOG.md", "metrics-history.json", "prompts/promoted.json", f"baselines/{SUITE}.json")
FOLDERS = ("charts", "baselines", "baselines/archive", ".row3", ".row3/runs", "golden", "schemas")
READ = (CASE, "prompts/extract-v1.1.md", "row3.toml", f"recordings/{SUITE}", f"golden/{SUITE}", "prompts")


def linked(box: Box, name: str) -> Path:
    """Put a link in the place of a file or folder, to the same outside of the project; return what is outside."""
    outside, here = box.root.parent / "outside", box.path(name)
    outside.mkdir()
    there = outside / "it"
    if here.exists():
        shutil.move(here, there)
    elif name in FOLDERS:
        there.mkdir()
    here.parent.mkdir(parents=True, exist_ok=True)
    here.symlink_to(there)
    return outside


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", [*FILES, *FOLDERS, *READ])
def test_promote_reads_and_writes_nothing_over_a_link(box: Box, name: str) -> None:
    outside = linked(box, name)
    before, here = contents(outside), box.tree()
    done = box.row3("promote", "v1.1")
    assert contents(outside) == before
    if done.code == 0:  # the link is at a place that a promotion has no need of
        assert name in ("schemas", ".row3", ".row3/runs")
        return
    assert done.code == 2
    assert f"{name}: {LINK}, which row3 does not follow. Put the file or folder itself there" in done.err
    assert box.tree() == here


@pytest.mark.parametrize("name", [*FILES, *FOLDERS, *READ])
def test_lint_and_gate_name_every_link(box: Box, name: str) -> None:
    outside = linked(box, name)
    before = contents(outside)
    done = box.row3("lint", code=2)
    assert f"{name}:1" in done.out
    assert LINK in done.out
    done = box.row3("--compare", "--against", "HEAD", code=2)
    assert f"{name}: {LINK}" in done.err
    assert contents(outside) == before


@pytest.mark.parametrize("name", [*FILES, "charts", "baselines/archive", ".row3", CASE])
def test_the_hook_names_every_link(box: Box, name: str) -> None:
    linked(box, name)
    box.git("add", "-A", "-f")
    done = box.row3("hook", "run", "pre-commit", code=2)
    assert f"{name}: {LINK} in the index" in done.err
    base = box.git("rev-parse", "HEAD").out.strip()
    box.git("commit", "-q", "--no-verify", "-m", "linked")
    head = box.git("rev-parse", "HEAD").out.strip()
    done = box.row3("hook", "run", "pre-push", stdin=f"refs/heads/x {head} refs/heads/x {base}\n", code=2)
    assert f"{name}: {LINK} at {head[:10]}" in done.err


def test_a_changelog_that_is_a_link_gets_no_shell_text(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "Finds what a text is about", "$(touch pwned) finds what a text is about")
    shell = box.root.parent / "bashrc"
    shell.write_text("# mine\n")
    box.path("CHANGELOG.md").unlink(missing_ok=True)
    box.path("CHANGELOG.md").symlink_to("../bashrc")
    box.row3("promote", "v1.1", code=2)
    box.row3("new-version", "extract", code=2)
    assert shell.read_text() == "# mine\n"


def test_a_link_inside_the_project_is_refused_as_well(box: Box) -> None:
    box.path(f"golden/{SUITE}/rye-too.gold.json").symlink_to("rye.gold.json")
    assert f"rye-too.gold.json: {LINK}" in box.row3(code=2).err


def test_a_link_that_nothing_reads_stops_nobody(box: Box) -> None:
    box.path("latest").symlink_to("prompts")
    box.path("docs").symlink_to(box.root.parent)
    assert LINK not in box.row3("lint").out
    box.row3("--compare", "--against", "HEAD", code=0)


def test_the_project_itself_may_be_reached_over_a_link(box: Box) -> None:
    (box.root.parent / "short").symlink_to(box.root)
    box.row3("-C", "../short", "promote", "v1.1", code=0)
    assert "v1.1" in box.read("CHANGELOG.md")


def test_a_result_is_written_through_no_link_of_the_project(box: Box) -> None:
    outside = box.root.parent / "outside"
    outside.mkdir()
    (outside / "mine.json").write_text("")
    box.path("out").symlink_to(outside)
    box.path("result.json").symlink_to(outside / "mine.json")
    for out, name in (("out/mine.json", "out"), ("result.json", "result.json")):
        done = box.row3("--format", "json", "--out", out, code=2)
        assert f"{name}: {LINK}" in done.err
    assert contents(outside) == {"mine.json": b""}


def test_one_s_own_link_outside_is_followed(box: Box) -> None:
    real, link = box.root.parent / "real.json", box.root.parent / "link.json"
    link.symlink_to(real)
    box.row3("--format", "json", "--out", str(link), code=0)
    assert link.is_symlink()
    assert '"metrics"' in real.read_text()


def test_links_in_the_local_folder_and_the_state_reach_nothing(box: Box) -> None:
    outside = box.root.parent / "outside"
    outside.mkdir()
    (outside / "mine").write_text("mine")
    for link, code in (
        (box.path(".row3/.gitignore"), 0),
        (box.path(".row3/runs"), 0),
        (box.state / "lock", 2),
        (box.state / "transaction", 2),
    ):
        shutil.rmtree(link.parent, ignore_errors=True)
        link.parent.mkdir(parents=True)
        link.symlink_to(outside / "mine")
        box.row3("promote", "v1.1", "--dry-run" if not code else "-v", code=code)
        link.unlink()
    assert contents(outside) == {"mine": b"mine"}
