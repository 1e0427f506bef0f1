"""Small row3 projects in real folders and real git repositories, for the tests of workflows and command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from row3.commands.recordings.import_responses import import_responses
from row3.project.local_state import state_folder
from row3.project.project import open_project, pick_suite
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions
from tests.runner import PATIENCE_S, Done, run, run_row3

HOME = Path(__file__).resolve().parents[1]
"""The repository of row3, whose data is a project."""
SHIPPED_PARTS = ("golden", "recordings", "row3.toml", ".gitattributes")
SUITE = "bread"
LOCAL = (".git", ".row3")

CASES: dict[str, dict[str, Any]] = {
    "rye": {
        "sourceText": "Rye is a cereal. Salt slows the proofing of a dough.",
        "expectedConcepts": [
            {"label": "rye", "aliases": ["secale"]},
            {"label": "cereal"},
            {"label": "salt"},
            {"label": "proofing"},
        ],
        "expectedRelationships": [
            {"source": "rye", "predicate": "IS_A", "target": "cereal"},
            {"source": "salt", "predicate": "CAUSES", "target": "proofing"},
        ],
        "forbiddenConcepts": ["gluten lattice theory", "cold rye memory"],
    },
    "yeast": {
        "sourceText": "A sourdough depends on wild yeast. Warmth speeds up fermentation.",
        "expectedConcepts": [
            {"label": "sourdough"},
            {"label": "wild yeast"},
            {"label": "warmth"},
            {"label": "fermentation"},
        ],
        "expectedRelationships": [
            {"source": "sourdough", "predicate": "REQUIRES", "target": "wild yeast"},
            {"source": "warmth", "predicate": "CAUSES", "target": "fermentation"},
        ],
        "forbiddenConcepts": ["lunar leavening"],
    },
    "oven": {
        "sourceText": "Kneading comes before baking. Steam keeps the crust soft.",
        "expectedConcepts": [{"label": "kneading"}, {"label": "baking"}, {"label": "steam"}, {"label": "crust"}],
        "expectedRelationships": [
            {"source": "kneading", "predicate": "PRECEDES", "target": "baking"},
            {"source": "steam", "predicate": "CAUSES", "target": "crust"},
        ],
        "forbiddenConcepts": ["crust resonance"],
    },
}
PROMPT = """---
name: {name}
version: "{version}"
description: Finds what a text is about, as of {version}.
output: extraction
temperature: 0
---
{{% block system %}}You read texts about bread.{{% endblock %}}
{{% block user %}}{version}: {{{{ source_text }}}}{{% endblock %}}
"""
CONFIG = f"""suite = "{SUITE}"
mode = "replay"

[provider]
model = "baker-1"
"""


def flawless(case: Mapping[str, Any]) -> dict[str, Any]:
    """An output that finds everything a case expects, with a quote for each concept."""
    text = case["sourceText"]
    return {
        "concepts": [
            {"label": label, "sourceQuote": label if label.lower() in text.lower() else text.split(".")[0]}
            for label in (one["label"] for one in case["expectedConcepts"])
        ],
        "relationships": [
            {key: one[key] for key in ("source", "predicate", "target")} for one in case["expectedRelationships"]
        ],
    }


def first(output: Mapping[str, Any], concepts: int) -> dict[str, Any]:
    """The same output with its first concepts only."""
    return {"concepts": output["concepts"][:concepts], "relationships": output["relationships"]}


def clean_env(home: Path, **more: str) -> dict[str, str]:
    """The environment without git's variables, keys, CI and whatever else a developer's machine sets."""
    gone = ("GIT_", "ROW3_", "GITHUB_", "OTEL_", "MLFLOW_", "XDG_STATE_")
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(gone)
        and not name.endswith("_API_KEY")
        and name not in ("CI", "NO_COLOR", "COLUMNS", "OPENAI_BASE_URL")
    }
    git = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
    fonts = {"MPLCONFIGDIR": str(Path(tempfile.gettempdir()) / "row3-tests-matplotlib")}  # its cache takes seconds
    return env | git | fonts | {"HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "dumb"} | more


def wait_until(holds: Callable[[], bool]) -> None:
    """Look until something holds; an assertion fails where it never does."""
    until = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)


def next_second() -> None:
    """Wait for it: runs are named by the second they began in, and in that order they are listed."""
    time.sleep(1.0 - time.time() % 1.0)


@dataclass
class Box:
    """A project in a folder, with the means to work in it as a user would."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.env = self.env or clean_env(self.root.parent)

    def row3(
        self, *args: str, code: int | None = None, stdin: str | None = None, fresh: bool = False, **env: str
    ) -> Done:
        """Run row3; `code` is the exit code that must come, `fresh` asks for a new interpreter."""
        done = run_row3(args, cwd=self.root, env=self.env | env, stdin=stdin or "", fresh=fresh)
        assert "Traceback" not in done.err, done
        assert code is None or done.code == code, done
        return done

    def start(self, *args: str, **env: str) -> subprocess.Popen[bytes]:
        """Start row3 in a process group of its own and do not wait for it."""
        return subprocess.Popen(
            [sys.executable, "-m", "row3", *args],
            cwd=self.root,
            env=self.env | env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def git(self, *args: str, code: int | None = 0) -> Done:
        """Run git; `code` is the exit code that must come."""
        done = run("git", *args, cwd=self.root, env=self.env)
        assert code is None or done.code == code, done
        return done

    def init(self) -> None:
        """A git repository with everything in one commit on main."""
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Zoë Tester")
        self.git("config", "user.email", "zoe@example.org")
        self.write(".gitignore", ".row3/\n")
        self.commit("begin")

    def commit(self, message: str = "work") -> str:
        """Commit everything without hooks; the commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").out.strip()

    def path(self, name: str) -> Path:
        """A file of the project."""
        return self.root / name

    def read(self, name: str) -> str:
        """A file's text."""
        return self.path(name).read_text(encoding="utf-8")

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file, with the folders above it."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def replace(self, name: str, old: str, new: str) -> None:
        """Edit a file; the old text must be in it."""
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new))

    def case(self, case_id: str, **changes: Any) -> None:
        """Write one of the small cases, changed."""
        value = {"id": case_id} | CASES.get(case_id, {}) | changes
        self.write(f"golden/{SUITE}/{case_id}.gold.json", json.dumps(value, indent=1) + "\n")

    def prompt(self, version: str, name: str = "extract") -> None:
        """Write a version of the small prompt."""
        self.write(f"prompts/{name}-v{version}.md", PROMPT.format(name=name, version=version))

    def record(self, version: str, answers: Mapping[str, Any], *, repeat: int = 0) -> None:
        """Make recordings of a version of the small prompt; an answer that is no text is dumped as JSON."""
        lines = [
            {
                "caseId": case_id,
                "prompt": f"extract-v{version}",
                "repeat": repeat,
                "response": answer if isinstance(answer, str) else json.dumps(answer),
            }
            for case_id, answer in answers.items()
        ]
        project = open_project(self.root)
        self._leave_the_second_of(f"extract-v{version}", answers)
        file = self.root.parent / f"responses-{self.root.name}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        import_responses(project, pick_suite(project, None), file, named=(f"extract-v{version}",), options=RunOptions())
        file.unlink()

    def _leave_the_second_of(self, prompt: str, case_ids: Collection[str]) -> None:
        """What takes the place of an answer is newer than it, to the second; else it was edited."""
        held = [json.loads(line) for file in self.path("recordings").rglob(f"{prompt}.jsonl") for line in file.open()]
        times = {line["recordedAt"] for line in held if line["caseId"] in case_ids}
        if times and max(times) >= time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()):
            next_second()

    @property
    def state(self) -> Path:
        """The folder of journals, transactions, locks and cached scores, as the commands find it."""
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("XDG_STATE_HOME", raising=False)
            patch.setenv("HOME", self.env["HOME"])
            return state_folder(self.root)

    def versions(self) -> dict[str, str]:
        """The candidates."""
        project = open_project(self.root)
        return line_up(project, pick_suite(project, None), role="candidate").versions()

    def tree(self) -> dict[str, bytes]:
        """Every file of the project by its path, but for those of git and row3's own folder."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and path.relative_to(self.root).parts[0] not in LOCAL
        }

    def history(self) -> list[dict[str, Any]]:
        """The entries of the history."""
        value = json.loads(self.read("metrics-history.json"))
        assert isinstance(value, list)
        return value

    def copy(self, to: Path) -> Box:
        """The same project elsewhere, repository and all."""
        shutil.copytree(self.root, to, symlinks=True)
        return Box(to)


def copy_of(built_once: str) -> Any:
    """A fixture that gives each test its own copy of the project of another fixture."""

    @pytest.fixture
    def copied(request: pytest.FixtureRequest, tmp_path: Path) -> Box:
        project: Box = request.getfixturevalue(built_once)
        return project.copy(tmp_path / "project")

    return copied


def tiny(root: Path) -> Box:
    """Three cases; `extract` v1.0 finds three of four concepts of each, v1.1 all of them; not in git yet."""
    box = Box(root)
    box.write("row3.toml", CONFIG)
    for case_id in CASES:
        box.case(case_id)
    for version in ("1.0", "1.1"):
        box.prompt(version)
    box.record("1.0", {case_id: first(flawless(case), 3) for case_id, case in CASES.items()})
    box.record("1.1", {case_id: flawless(case) for case_id, case in CASES.items()})
    return box


def worse(box: Box, version: str = "1.2", concepts: int = 2) -> None:
    """Add a version that finds only some of the concepts, with its recordings."""
    box.prompt(version)
    box.record(version, {case_id: first(flawless(case), concepts) for case_id, case in CASES.items()})


def shipped(root: Path) -> Box:
    """The project that row3 ships, before anything of it was promoted; not in git yet."""
    root.mkdir(parents=True)
    for part in SHIPPED_PARTS:
        source = HOME / part
        if source.is_dir():
            shutil.copytree(source, root / part)
        else:
            shutil.copy(source, root / part)
    (root / "prompts").mkdir()
    for path in (HOME / "prompts").glob("*-v*.md"):
        shutil.copy(path, root / "prompts")
    return Box(root)


def add_worse_draft(box: Box) -> None:
    """The shipped example of a prompt that reads better and does worse."""
    for path in (HOME / "examples/worse-draft/prompts").glob("*.md"):
        shutil.copy(path, box.root / "prompts")
    box.row3("recordings", "import", str(HOME / "examples/worse-draft/answers.jsonl"), code=0)
