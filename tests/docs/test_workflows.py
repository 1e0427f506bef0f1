"""The workflows, the action and its script: valid for the tools that know them, and the script does what it says."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
import yaml

from tests.projects import Box, Done, clean_env, run, tiny, worse
from tests.rows import every_row

ROOT = Path(__file__).parents[2]
ACTION = ROOT / ".github/actions/row3"
TOOLS = Path(sys.executable).parent
PINNED = re.compile(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40}$")


def tool(*command: str, tmp_path: Path) -> Done:
    env = clean_env(tmp_path) | {"PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}
    return run(str(TOOLS / command[0]), *command[1:], cwd=ROOT, env=env)


@every_row(
    "command",
    [
        (
            *("check-jsonschema", "--builtin-schema", "vendor.github-workflows"),
            *sorted(str(path) for path in (ROOT / ".github/workflows").glob("*.yml")),
        ),
        ("zizmor", "--offline", "--quiet", "--min-severity", "medium", ".github"),
        ("shellcheck", str(ACTION / "gate.sh")),
        ("check-jsonschema", "--builtin-schema", "vendor.github-actions", str(ACTION / "action.yml")),
        ("check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", "docs/gitlab-ci.yml"),
    ],
)
def test_the_tools_that_know_them_find_nothing(command: tuple[str, ...], tmp_path: Path) -> None:
    done = tool(*command, tmp_path=tmp_path)
    assert done.code == 0, done


def test_they_would_find_something(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text("on: pull_request\njobs:\n  a:\n    steps:\n      - runs: echo $x\n")
    schema = ("--builtin-schema", "vendor.github-workflows")
    assert tool("check-jsonschema", *schema, str(broken), tmp_path=tmp_path).code == 1


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@every_row("file", WORKFLOWS)
def test_a_workflow_has_few_rights_and_pinned_actions(file: Path) -> None:
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert "pull_request_target" not in workflow[True]  # YAML 1.1 reads `on` as a truth
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        writes = {name for name, right in job.get("permissions", {}).items() if right == "write"}
        assert writes <= {"pull-requests"}
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")
            if (used := step.get("uses")) is not None:
                assert used == "./.github/actions/row3" or PINNED.match(used), used


def test_only_the_live_tier_has_a_key_and_no_pull_request_gets_it() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/row3.yml").read_text(encoding="utf-8"))
    jobs = workflow["jobs"]
    assert "secrets." not in str(jobs["replay"])
    assert "secrets.OPENAI_API_KEY" in str(jobs["live"])
    assert "github.event_name != 'pull_request'" in jobs["live"]["if"]


def test_the_actions_commands_hold_no_expression() -> None:
    action = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
    assert [step["run"] for step in action["runs"]["steps"] if "${{" in step["run"]] == []


@pytest.fixture
def box(tmp_path: Path) -> Box:
    box = tiny(tmp_path / "project")
    box.init()
    box.row3("promote", "v1.0", code=0)
    box.commit("v1.0")
    return box


def gate(box: Box, **env: str) -> tuple[Done, str]:
    """Run the action's script; what it says, and the output that it sets."""
    output = box.root.parent / "output"
    output.unlink(missing_ok=True)
    told = {"CI": "true", "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(box.root.parent / "summary.md")}
    path = {"PATH": f"{box.root.parent / 'bin'}{os.pathsep}{TOOLS}{os.pathsep}{os.environ['PATH']}"}
    done = run("bash", str(ACTION / "gate.sh"), cwd=box.root, env=box.env | told | path | env)
    return done, output.read_text() if output.exists() else ""


@pytest.mark.slow
class TestTheScript:
    @pytest.mark.parametrize("suite", ["bread", ""])
    def test_a_change_that_passes(self, box: Box, suite: str) -> None:
        done, output = gate(box, SUITE=suite, REPORTS="out")
        assert (done.code, output) == (0, "verdict=passed\n")
        assert "::notice title=row3%3A PROCEED::" in done.out
        assert sorted(os.listdir(box.path("out"))) == ["bread.html", "row3-junit.xml", "row3.md"]
        assert "PROCEED" in (box.root.parent / "summary.md").read_text(encoding="utf-8")

    def test_a_change_that_is_blocked_has_its_reports(self, box: Box) -> None:
        worse(box)
        box.commit("worse")
        done, output = gate(box, SUITE="bread", AGAINST="HEAD~1", REPORTS="out")
        assert (done.code, output) == (1, "verdict=blocked\n")
        assert "::error" in done.out
        assert '<failure type="gate"' in box.read("out/row3-junit.xml")

    def test_the_first_push_of_a_branch_has_no_base(self, box: Box) -> None:
        done, output = gate(box, SUITE="bread", AGAINST="0" * 40)
        assert done.code == 0, done
        assert output == "verdict=passed\n"

    def test_after_a_force_push_the_base_branch_judges(self, box: Box) -> None:
        """The commit that GitHub names is gone; what the change goes to is not."""
        box.git("update-ref", "refs/remotes/origin/main", "HEAD")
        worse(box)
        box.row3("--baseline", code=0)  # a baseline of its own does not help
        box.commit("worse")
        done, output = gate(box, SUITE="bread", AGAINST="1" * 40, BRANCH="main")
        assert (done.code, output) == (1, "against=origin/main\nverdict=blocked\n")
        assert "::warning title=row3::1111" in done.out

    @pytest.mark.parametrize("branch", ["main", "", "gone"])
    def test_a_change_is_never_judged_by_itself(self, box: Box, branch: str) -> None:
        worse(box)
        box.row3("--baseline", code=0)
        box.commit("worse, pushed by force")
        box.git("update-ref", "refs/remotes/origin/main", "HEAD")
        done, output = gate(box, SUITE="bread", AGAINST="1" * 40, BRANCH=branch)
        assert (done.code, output) == (2, "verdict=unusable\n")
        assert "force push" in done.err

    def test_a_commit_that_the_remote_still_has_is_fetched(self, box: Box) -> None:
        remote = box.root.parent / "remote.git"
        box.git("clone", "-q", "--bare", ".", str(remote))
        box.git("--git-dir", str(remote), "config", "uploadpack.allowAnySHA1InWant", "true")
        box.git("remote", "add", "origin", str(remote))
        tree = box.git("--git-dir", str(remote), "rev-parse", "HEAD^{tree}").out.strip()
        author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        gone = box.git("--git-dir", str(remote), *author, "commit-tree", tree, "-m", "in no branch").out.strip()
        worse(box)
        box.commit("worse")
        done, output = gate(box, SUITE="bread", AGAINST=gone, BRANCH="main")
        assert (done.code, output) == (1, "verdict=blocked\n"), done

    def test_a_project_s_files_take_the_place_of_no_module(self, box: Box) -> None:
        for name in ("json.py", "pip.py"):
            box.write(name, "open('hijacked', 'w').close()\n")
        gate(box, REPORTS="out")
        assert not box.path("hijacked").exists()
        assert box.path("out/bread.html").exists()
        assert "python -P -m pip" in (ACTION / "action.yml").read_text(encoding="utf-8")

    def test_a_missing_recording_is_incomplete(self, box: Box) -> None:
        box.case("rye", sourceText="Rye is a cereal. Salt slows the proofing of any dough.")
        done, output = gate(box, SUITE="bread")
        assert (done.code, output) == (3, "verdict=incomplete\n")

    def test_what_cannot_be_used_is_said(self, box: Box) -> None:
        box.write("row3.toml", "modus = 1\n")
        done, output = gate(box, SUITE="bread", REPORTS="out")
        assert (done.code, output) == (2, "verdict=unusable\n")
        assert "::warning title=row3::no report could be written" in done.out

    def test_without_a_suite_it_is_all_of_them(self, box: Box) -> None:
        """With a stand-in for row3 that tells what it was asked."""
        program = '#!/usr/bin/env bash\necho "$*" >> "$CALLS"\n'
        program += 'case "$*" in *json) echo \'{"suites": [{"suite": "a b"}, {"suite": "c"}]}\';; esac\nexit 3\n'
        stand_in = box.root.parent / "bin/row3"
        stand_in.parent.mkdir()
        stand_in.write_text(program)
        stand_in.chmod(0o755)
        calls = box.root.parent / "calls"
        done, output = gate(box, MODE="auto", REPORTS="out", FORMAT="table", AGAINST="main", CALLS=str(calls))
        assert (done.code, output) == (3, "verdict=incomplete\n")
        asked = calls.read_text().splitlines()
        assert asked[0] == "--compare --all --mode auto --against main --format table"
        assert [line for line in asked if line.startswith("report")] == [
            "report --suite a b --mode replay --against main --quiet --out out/a b.html",
            "report --suite c --mode replay --against main --quiet --out out/c.html",
        ]
