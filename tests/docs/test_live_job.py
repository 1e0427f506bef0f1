"""The live and the weekly job of the shipped workflow, run step by step against a server that answers as recorded."""

from __future__ import annotations

import os
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.projects import Done, clean_env, run
from tests.recorded_model import RecordedModel

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
MODEL = "gpt-5-mini"
EXPRESSIONS = {
    "${{ vars.ROW3 }}": "",
    "${{ vars.ROW3_LIVE_MODEL }}": MODEL,
    "${{ vars.ROW3_MAX_COST || '5' }}": "5",
    "${{ vars.ROW3_BATCH && '--batch' }}": "",
    "${{ secrets.OPENAI_API_KEY }}": "sk-proj-of-no-account-0123456789",
}
"""What the forge would put in their place; one that is not here fails the test."""


class Forge:
    """A clone of the repository in which the steps of a job run as they would on the forge."""

    def __init__(self, folder: Path) -> None:
        self.root, self.summary = folder / "clone", folder / "summary.md"
        self.env = clean_env(folder) | {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "PATH": f"{folder / 'python/bin'}{os.pathsep}{os.environ['PATH']}",
        }
        venv.create(folder / "python", with_pip=True, symlinks=True)
        done = run("git", "clone", "-q", str(ROOT), str(self.root), cwd=folder, env=self.env)
        assert done.code == 0, done

    def steps(self, job: str) -> dict[str, dict[str, Any]]:
        """Return the steps of a job that run something, by name."""
        workflow = yaml.safe_load((self.root / ".github/workflows/row3.yml").read_text(encoding="utf-8"))
        return {step["name"]: step for step in workflow["jobs"][job]["steps"] if "run" in step}

    def run(self, job: str, name: str, **env: str) -> Done:
        """Run a step as the forge does; its exit code is the step's."""
        step = self.steps(job)[name]
        given = {key: EXPRESSIONS[value] for key, value in step.get("env", {}).items()}
        return run("bash", "-e", "-c", step["run"], cwd=self.root, env=self.env | given | env, timeout=600)

    def report(self, name: str) -> str:
        return (self.root / "row3-reports" / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Forge:
    forge = Forge(tmp_path_factory.mktemp("forge"))
    done = forge.run("live", "Install row3")
    assert done.code == 0, done
    return forge


@pytest.fixture
def server() -> Iterator[RecordedModel]:
    server = RecordedModel(ROOT)
    yield server
    server.stop()


SUITES = (
    "decomposition",
    "entities",
    "events",
    "graph",
    "memory-operations",
    "outcome",
    "outcome-lines",
    "retrieval",
)


@pytest.mark.xdist_group("live_job")
class TestLive:
    def test_every_suite_is_asked_and_judged(self, forge: Forge, server: RecordedModel) -> None:
        assert list(forge.steps("live")) == [
            "Install row3", "Gate on live answers", "Has the provider changed?", "Summary",
        ]  # fmt: skip
        at = {"OPENAI_BASE_URL": server.url}
        gate = forge.run("live", "Gate on live answers", **at)
        assert gate.code == 0, gate
        report = forge.report("row3.md")
        assert [suite for suite in SUITES if suite not in report] == []
        assert "INVESTIGATE · row3 · 8 suites" in report  # some are in a fail zone, as recorded
        assert "unusable" not in report
        assert "incomplete" not in report
        assert server.models == {MODEL}
        assert server.unknown == []  # each was asked for what is recorded: answers, and the judge's grades
        drift = forge.run("live", "Has the provider changed?", **at)
        assert drift.code == 0, drift
        assert "skipped decomposition" in drift.err
        assert "graph" in forge.report("drift.txt")  # which asks no model: the others are skipped
        assert forge.run("live", "Summary").code == 0
        summary = forge.summary.read_text(encoding="utf-8")
        assert forge.report("row3.md") in summary
        assert forge.report("drift.txt") in summary
        assert sorted(os.listdir(forge.root / ".row3/runs"))
        changed = run("git", "status", "--porcelain", cwd=forge.root, env=forge.env)
        assert changed.out.split("\n") == ["?? row3-reports/", ""]  # no tracked file is written

    def test_a_suite_that_cannot_be_asked_says_what_it_needs(self, forge: Forge, server: RecordedModel) -> None:
        done = forge.run("live", "Gate on live answers", MODEL="dear-1", OPENAI_BASE_URL=server.url)
        assert done.code == 2, done
        report = forge.report("row3.md")
        assert report.count('prices."dear-1"') == 7  # the other asks an MCP server alone
        assert server.models == set()


@pytest.mark.xdist_group("live_job")
def test_the_weekly_job_draws_every_suite(forge: Forge) -> None:
    assert list(forge.steps("weekly")) == ["Install row3", "Trend", "Review production"]  # the last needs a database
    done = forge.run("weekly", "Trend")
    assert done.code == 0, done
    drawn = [
        path.relative_to(forge.root / "row3-reports/trend") for path in forge.root.glob("row3-reports/trend/*/*.svg")
    ]
    assert {str(path) for path in drawn} == {f"{suite}/{suite}-weekly.svg" for suite in SUITES}
