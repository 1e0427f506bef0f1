"""What a start costs: processor time of whole commands over that of importing click and pydantic with one model.

    python -m benchmarks.start --python PYTHON

PYTHON is an interpreter with row3 installed from its wheel, with byte code; by default this one. Commands and the
imports run in turns; a figure is the median, children included.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.run import git, restored, shipped

IMPORTS = "import click, pydantic\nclass Model(pydantic.BaseModel):\n    text: str\n"
COMMANDS = (
    ("--help", ("--help",), 0.7),
    ("--version", ("--version",), 0.7),
    ("history", ("history",), 2.0),
    ("lint --suite decomposition", ("lint", "--suite", "decomposition"), 3.0),
    ("--compare, fifteen cases", ("--compare", "--mode", "replay"), 3.0),
    ("hook, unrelated commit", ("hook", "run", "pre-commit"), 1.2),
    ("hook, prompt", ("hook", "run", "pre-commit"), 3.5),
)
"""What is measured: name, arguments and the goal, times the imports."""


def used(command: tuple[str, ...], folder: Path) -> float:
    """Return the processor seconds of a process and its children; raises `SystemExit` where it fails."""
    environ = {key: value for key, value in os.environ.items() if key not in ("CI", "GITHUB_ACTIONS", "PYTHONPATH")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: exit {done.returncode}\n{done.stderr.decode()[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def staged(folder: Path, edit: Callable[[], object]) -> Callable[[], None]:
    """Return what restores the project and stages an edit."""
    restore = restored(folder)

    def stage() -> None:
        restore()
        edit()
        git(folder, "add", "--all")

    return stage


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=11)
    arguments = parser.parse_args()
    python = arguments.python
    with tempfile.TemporaryDirectory(prefix="row3-bench-") as name:
        project = shipped(Path(name) / "shipped")
        text = (project / "prompts/decompose-concepts-v1.2.md").read_text(encoding="utf-8")
        # The same requests in a version of its own: the recordings answer it, and no promoted file is edited.
        prompt, text = project / "prompts/decompose-concepts-v1.3.md", text.replace("1.2", "1.3", 1)
        before = {
            "hook, unrelated commit": staged(project, lambda: (project / "notes.txt").write_text("notes\n")),
            "hook, prompt": staged(project, lambda: prompt.write_text(text, encoding="utf-8")),
        }
        figures: dict[str, list[float]] = {"": []} | {each: [] for each, *_ in COMMANDS}
        for round_ in range(arguments.rounds + 1):
            taken = {"": used((python, "-c", IMPORTS), project)}
            for each, command, _ in COMMANDS:
                before.get(each, restored(project))()
                taken[each] = used((python, "-m", "row3", *command), project)
            if round_:  # the first fills the machine's cache
                for each, seconds in taken.items():
                    figures[each].append(seconds)
    middle = {each: statistics.median(values) for each, values in figures.items()}
    print(f"import click, pydantic; one model: {middle['']:.3f} s")
    for each, _, goal in COMMANDS:
        print(f"{each:28} {middle[each]:.3f} s  {middle[each] / middle['']:5.2f} ×  (goal {goal})")


if __name__ == "__main__":
    main()
