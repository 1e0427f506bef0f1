"""`row3 init` in empty and in existing folders."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from row3.cli.project import STARTERS
from row3.commands.init import Created, init, next_steps
from row3.commands.linting.lint import lint_at
from row3.errors import UsageError
from row3.kinds.extraction.model import DOMAINS
from row3.project.config import Config, read_config
from row3.project.project import open_project, pick_suite
from row3.project.suites import make_suite
from row3.project.tree import WorkTree
from row3.providers.base import endpoint_for
from row3.running.lineup import line_up
from tests.rows import every_row


def _by_path(created: list[Created]) -> dict[str, str]:
    return {item.path: item.what for item in created}


@every_row("starter", STARTERS)
def test_an_empty_folder_becomes_a_project_of_six_files_that_lints(tmp_path: Path, starter: str) -> None:
    created = _by_path(init(tmp_path, starter))
    assert set(created.values()) == {"created"}
    assert len(created) == 6
    assert all((tmp_path / path).is_file() for path in created)
    project = open_project(tmp_path)
    suite = pick_suite(project, None)
    assert (suite.name, suite.kind.name) == (starter, starter)
    assert len([*project.cases_of(suite)]) == 2
    assert not lint_at(project.root).findings


def test_the_example_has_a_case_for_each_domain_and_both_prompts(tmp_path: Path) -> None:
    init(tmp_path, "example")
    project = open_project(tmp_path)
    suite = pick_suite(project, None)
    cases = [stored.case for stored in project.cases_of(suite)]
    assert sorted(case.domain for case in cases) == sorted(DOMAINS)
    lineup = line_up(project, suite, role="candidate")
    assert [str(prompt.ref) for prompt in lineup.prompts] == ["decompose-concepts-v1.0", "map-ontology-v1.0"]
    assert [(one.level, one.rule) for one in lint_at(tmp_path).findings] == [("warning", "case-count")]


def test_the_example_shows_every_section_of_the_settings(tmp_path: Path) -> None:
    init(tmp_path, "example")
    text = (tmp_path / "row3.toml").read_text(encoding="utf-8")
    for key in Config.model_fields:
        assert key in text
    for section in ("provider", "weights", "thresholds", "matching", "predicates", "gate", "live"):
        assert f"[suites.example.{section}" in text


def _uncommented(path: Path) -> Config:
    """Return the settings as they are once every commented one counts."""
    text = re.sub(r"(?m)^# (?=\[|[a-zA-Z_]+ = )", "", path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")
    return read_config(WorkTree(path.parent))


@every_row("starter", STARTERS)
def test_the_commented_settings_are_the_defaults(tmp_path: Path, starter: str) -> None:
    init(tmp_path, starter)
    path = tmp_path / "row3.toml"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 20
    before = read_config(WorkTree(tmp_path))
    after = _uncommented(path)
    assert after != before
    assert (after.mode, after.provider) == (before.mode, before.provider)
    one, other = make_suite(before, starter), make_suite(after, starter)
    assert (one.rules, one.policy, one.system) == (other.rules, other.policy, other.system)


def test_the_example_shows_defaults_too(tmp_path: Path) -> None:
    init(tmp_path, "example")
    before = make_suite(read_config(WorkTree(tmp_path)), "example")
    config = _uncommented(tmp_path / "row3.toml")
    after = make_suite(config, "example")
    assert after.rules.names == before.rules.names
    assert after.rules.weights == before.rules.weights
    assert after.rules.thresholds == before.rules.thresholds
    assert after.rules.predicates == before.rules.predicates
    assert replace(after.policy, baseline="saved") == before.policy
    openai = endpoint_for("openai")
    shown = config.provider
    assert (shown.timeout_s, shown.max_retries, shown.key_variable) == (
        openai.timeout_s,
        openai.max_retries,
        openai.key_variable,
    )


def test_a_project_inside_another_needs_its_own_settings_file(tmp_path: Path) -> None:
    init(tmp_path)
    inside = tmp_path / "prompts" / "drafts"
    with pytest.raises(UsageError, match=re.escape(f"this folder is inside the row3 project {tmp_path}")):
        init(inside)
    assert not inside.exists()
    inside.mkdir()
    (inside / "row3.toml").write_text("\n")
    assert _by_path(init(inside, "checks"))["row3.toml"] == "created"
    assert pick_suite(open_project(inside), None).kind.name == "checks"


def test_a_second_init_changes_nothing(tmp_path: Path) -> None:
    init(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert set(_by_path(init(tmp_path)).values()) == {"kept"}
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_nothing_is_overwritten_and_missing_lines_are_appended(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "search.py").write_text("mine\n")
    (tmp_path / ".gitignore").write_bytes(b"dist/\r\n*.log")
    (tmp_path / ".gitattributes").write_text("metrics-history.json merge=union\n")
    created = _by_path(init(tmp_path, "retrieval"))
    assert created["search.py"] == "kept"
    assert (tmp_path / "search.py").read_text() == "mine\n"
    assert created[".gitignore"] == created[".gitattributes"] == "extended"
    assert (tmp_path / ".gitignore").read_bytes() == b"dist/\r\n*.log\r\n.row3/\r\n"
    attributes = (
        "metrics-history.json merge=union\nrecordings/**/*.jsonl merge=union\ngolden/*/reviewed.jsonl merge=union\n"
        "lessons/*.jsonl merge=union\n"
    )
    assert (tmp_path / ".gitattributes").read_text() == attributes
    ignored = subprocess.run(["git", "-C", str(tmp_path), "check-ignore", ".row3/lock"], check=False)
    assert ignored.returncode == 0


@every_row("line", [".row3", "/.row3/", ".row3/"])
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
    assert pick_suite(open_project(tmp_path), None).name == "own"
    assert sorted(path.name for path in (tmp_path / "prompts").iterdir()) == ["mine-v2.1.md"]


def test_a_folder_that_does_not_exist_is_made(tmp_path: Path) -> None:
    init(tmp_path / "new" / "one")
    assert (tmp_path / "new" / "one" / "row3.toml").is_file()


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(UsageError, match="a file, not a folder"):
        init(tmp_path / "x")


def test_the_next_steps(tmp_path: Path) -> None:
    first = " ".join(next_steps(init(tmp_path / "a")))
    for told in ("golden/extraction/ has 2 golden cases", "OPENAI_API_KEY", "recordings import", "row3 --baseline"):
        assert told in first
    asked = " ".join(next_steps(init(tmp_path / "b", "retrieval")))
    assert "OPENAI_API_KEY" not in asked
    assert "new-version" not in asked
    assert "golden/NAME/*.gold.json" in next_steps(init(tmp_path / "c", "empty"))[0]


def test_a_project_gets_no_second_starter(tmp_path: Path) -> None:
    init(tmp_path, "empty")
    assert set(_by_path(init(tmp_path, "checks"))) == {"row3.toml", ".gitattributes", ".gitignore"}
    assert not (tmp_path / "golden").exists()
