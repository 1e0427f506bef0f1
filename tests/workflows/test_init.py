"""`row3 init` in empty and in existing folders."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from row3.errors import UsageError
from row3.kinds.extraction.model import DOMAINS
from row3.store.cases import read_cases
from row3.store.config import Config, read_config
from row3.store.project import open_project
from row3.store.suites import pick_suite
from row3.store.tree import WorkTree
from row3.workflows.init import Created, init, next_steps
from row3.workflows.linting.lint import lint_at
from row3.workflows.pipeline.lineup import line_up


def _by_path(created: list[Created]) -> dict[str, str]:
    return {item.path: item.what for item in created}


def test_an_empty_folder_becomes_a_project_that_lints(tmp_path: Path) -> None:
    created = _by_path(init(tmp_path))
    assert set(created.values()) == {"created"}
    assert all((tmp_path / path).is_file() for path in created)
    project = open_project(tmp_path)
    suite = pick_suite(project, None)
    assert (suite.name, project.config.mode) == ("starter", "auto")
    report = lint_at(project.root)
    assert report.exit_code == 0
    assert [(finding.level, finding.rule) for finding in report.findings] == [("warning", "case-count")]


def test_the_starter_has_a_case_for_each_domain_and_both_prompts(tmp_path: Path) -> None:
    init(tmp_path)
    project = open_project(tmp_path)
    suite = pick_suite(project, None)
    cases = [stored.case for stored in read_cases(project.tree, project.golden("starter"), suite.kind)]
    assert sorted(case.domain for case in cases) == sorted(DOMAINS)
    lineup = line_up(project, suite, role="candidate")
    assert [str(prompt.ref) for prompt in lineup.prompts] == ["decompose-concepts-v1.0", "map-ontology-v1.0"]


def test_every_section_of_the_settings_is_shown(tmp_path: Path) -> None:
    init(tmp_path)
    text = (tmp_path / "row3.toml").read_text(encoding="utf-8")
    for key in Config.__struct_fields__:
        assert key in text
    for section in ("provider", "weights", "thresholds", "matching", "predicates", "gate", "live"):
        assert f"[suites.starter.{section}" in text


def test_the_commented_settings_are_valid_when_the_comments_go(tmp_path: Path) -> None:
    init(tmp_path)
    path = tmp_path / "row3.toml"
    lines = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        bare = line.removeprefix("# ")
        is_setting = line.startswith("# ") and (
            bare.startswith("[") or bare.partition(" = ")[0].replace("_", "").isalnum()
        )
        lines.append(bare if is_setting else line)
    path.write_text("\n".join(lines), encoding="utf-8")
    config = read_config(WorkTree(tmp_path))
    assert config.suites["starter"].weights["recall"] == 0.25
    assert config.jobs == 8


def test_inside_a_project_another_one_is_made_only_where_it_was_begun(tmp_path: Path) -> None:
    init(tmp_path)
    inside = tmp_path / "prompts" / "drafts"
    with pytest.raises(UsageError, match=re.escape(f"this folder is inside the row3 project {tmp_path}")):
        init(inside)
    assert not inside.exists()
    inside.mkdir()
    (inside / "row3.toml").write_text("")
    assert _by_path(init(inside))["CHANGELOG.md"] == "created"


def test_twice_changes_nothing(tmp_path: Path) -> None:
    init(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert set(_by_path(init(tmp_path)).values()) == {"kept"}
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_nothing_is_overwritten_and_missing_lines_are_appended(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "CHANGELOG.md").write_text("mine\n")
    (tmp_path / ".gitignore").write_bytes(b"dist/\r\n*.log")
    (tmp_path / ".gitattributes").write_text("metrics-history.json merge=union\n")
    created = _by_path(init(tmp_path))
    assert created["CHANGELOG.md"] == "kept"
    assert (tmp_path / "CHANGELOG.md").read_text() == "mine\n"
    assert created[".gitignore"] == created[".gitattributes"] == "extended"
    assert (tmp_path / ".gitignore").read_bytes() == b"dist/\r\n*.log\r\n.row3/\r\n"
    attributes = (
        "metrics-history.json merge=union\nrecordings/**/*.jsonl merge=union\ngolden/*/reviewed.jsonl merge=union\n"
        "lessons/*.jsonl merge=union\n"
    )
    assert (tmp_path / ".gitattributes").read_text() == attributes
    ignored = subprocess.run(["git", "-C", str(tmp_path), "check-ignore", ".row3/lock"], check=False)
    assert ignored.returncode == 0


@pytest.mark.parametrize("line", [".row3", "/.row3/", ".row3/"])
def test_another_way_to_ignore_the_local_folder_is_enough(tmp_path: Path, line: str) -> None:
    (tmp_path / ".gitignore").write_text(f"{line}\n")
    assert _by_path(init(tmp_path))[".gitignore"] == "kept"


def test_a_project_with_cases_and_prompts_gets_no_starter(tmp_path: Path) -> None:
    (tmp_path / "golden" / "own").mkdir(parents=True)
    (tmp_path / "golden" / "own" / "a.gold.json").write_text("{}")
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "mine-v2.1.md").write_text("---\n---\n")
    created = _by_path(init(tmp_path))
    assert not any(path.startswith(("golden/", "prompts/")) for path in created)
    project = open_project(tmp_path)
    assert project.config.suite == "own"
    assert project.config.suites["own"].pipeline == []
    assert sorted(path.name for path in (tmp_path / "prompts").iterdir()) == ["mine-v2.1.md"]


def test_a_folder_that_does_not_exist_is_made(tmp_path: Path) -> None:
    init(tmp_path / "new" / "one")
    assert (tmp_path / "new" / "one" / "row3.toml").is_file()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(UsageError, match="a file, not a folder"):
        init(tmp_path / "x")


def test_what_to_do_next_is_said(tmp_path: Path) -> None:
    first = next_steps(init(tmp_path))
    assert any("5 golden cases" in step for step in first)
    assert not any("5 golden cases" in step for step in next_steps(init(tmp_path)))
    assert any("row3 --baseline" in step for step in first)
    told = next(step for step in first if "delete the starter" in step)
    assert all(place in told for place in ("golden/starter/", "[suites.starter]", "`suite`", "prompts"))


def test_the_starter_of_checks_needs_no_labels(tmp_path: Path) -> None:
    init(tmp_path, "checks")
    assert not lint_at(tmp_path).findings
    cases = [json.loads(path.read_text("utf-8")) for path in sorted((tmp_path / "golden/starter").glob("*.gold.json"))]
    assert len(cases) == 3
    assert all(case["checks"] for case in cases)
    assert [path.name for path in (tmp_path / "prompts").iterdir()] == ["answer-question-v1.0.md"]
    assert {one.what for one in init(tmp_path, "checks")} == {"kept"}
