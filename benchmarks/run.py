"""How well names are matched; wall time and memory of whole processes, on a small and on a large project.

    python -m benchmarks.run --cases 10000

Prints a table and writes `benchmarks/results.json`. Each figure is the median of a few runs; memory is the highest
sum over the process and its children (PSS, so that pages shared by forked workers count once; RSS where the
system has no PSS). The floor stands beside the figures: an empty interpreter, and a bare loop that only parses,
compares with rapidfuzz and counts.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.generate import SUITE, generate
from benchmarks.matching import quality

HERE = Path(__file__).parent
ROOT = HERE.parent
SHIPPED = ("row3.toml", "golden", "prompts", "recordings", "baselines", "metrics-history.json", "CHANGELOG.md")
SAMPLE_S = 0.02
REPORTED = 1_000
"""Cases of the project whose report is measured."""
PYTHON = sys.executable
ROW3 = (PYTHON, "-m", "row3")


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    name: str
    seconds: float
    """Median wall time of the whole process."""
    cpu_s: float
    """Median processor time, children included."""
    peak_mb: float
    """Median of the highest memory of the process and its children together."""
    budget_s: float | None
    budget_mb: float | None
    runs: int
    exit_code: int


@dataclass(frozen=True, slots=True)
class Bench:
    """A command, where it runs, and what has to be done before each run."""

    name: str
    command: tuple[str, ...]
    folder: Path
    budget_s: float | None = None
    budget_mb: float | None = None
    runs: int = 5
    before: Callable[[], None] = lambda: None
    expected: tuple[int, ...] = (0,)


def measure(bench: Bench) -> Figure:
    """Run it a few times; raises `SystemExit` where it ends with an exit code that is not expected."""
    seconds, cpu, peaks, code = [], [], [], 0
    for _ in range(bench.runs):
        bench.before()
        code, wall, used, peak, text = _once(bench)
        if code not in bench.expected:
            raise SystemExit(f"{bench.name}: exit {code}\n{text}")
        seconds.append(wall)
        cpu.append(used)
        peaks.append(peak)
    middle = statistics.median
    return Figure(
        bench.name, middle(seconds), middle(cpu), middle(peaks), bench.budget_s, bench.budget_mb, bench.runs, code
    )


def _once(bench: Bench) -> tuple[int, float, float, float, str]:
    environ = {key: value for key, value in os.environ.items() if key not in ("CI", "GITHUB_ACTIONS")}
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), environ.get("PYTHONPATH"))))
    before = os.times()
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            bench.command, cwd=bench.folder, env=environ, stdout=subprocess.DEVNULL, stderr=errors
        )
        peak = 0.0
        while True:
            try:
                process.wait(SAMPLE_S)
                break
            except subprocess.TimeoutExpired:
                peak = max(peak, tree_mb(process.pid))
        wall = time.perf_counter() - start
        after = os.times()
        errors.seek(0)
        text = errors.read().decode(errors="replace")[-2000:]
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return process.returncode, wall, used, peak, text


def tree_mb(pid: int) -> float:
    """Memory of a process and all below it, in MB (10^6 bytes); 0 where the system does not tell."""
    total, waiting = 0.0, [pid]
    while waiting:
        current = waiting.pop()
        folder = Path(f"/proc/{current}")
        try:
            total += _memory(folder)
            for task in (folder / "task").iterdir():
                waiting += [int(child) for child in (task / "children").read_text().split()]
        except (OSError, ValueError):
            continue
    return total


def _memory(folder: Path) -> float:
    for name, key in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        for line in (folder / name).read_text().splitlines():
            if line.startswith(key):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def shipped(folder: Path) -> Path:
    """A git repository with the project of this repository, gone back to v1.0: v1.2 is a better candidate."""
    for name in SHIPPED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        elif source.exists():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name)
    (folder / ".gitignore").write_text(".row3/\n", encoding="utf-8")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "user.name", "bench")
    git(folder, "config", "user.email", "bench@example.org")
    row3(folder, "promote", "v1.0", "--mode", "replay", "--approve", "benchmark")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=bench", "--no-verify")
    return folder


def git(folder: Path, *arguments: str) -> None:
    """Run git there; raises `CalledProcessError`."""
    subprocess.run(("git", *arguments), cwd=folder, check=True, stdout=subprocess.DEVNULL)


def row3(folder: Path, *arguments: str) -> None:
    """Run row3 there; raises `CalledProcessError`."""
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run((*ROW3, *arguments), cwd=folder, check=True, env=environ, stdout=subprocess.DEVNULL)


def restored(folder: Path) -> Callable[[], None]:
    """Puts a repository back to its first commit, for a command that changes it."""

    def restore() -> None:
        git(folder, "reset", "--hard", "--quiet", "HEAD")
        git(folder, "clean", "-fdxq")

    return restore


def staged(folder: Path) -> Callable[[], None]:
    """Stages a change that the hook has to judge: a golden case of the last topic, reworded in its notes."""
    restore = restored(folder)
    path = sorted((folder / "golden").rglob("*.gold.json"))[-1]

    def stage() -> None:
        restore()
        path.write_text(path.read_text(encoding="utf-8").rstrip() + "\n\n", encoding="utf-8")
        git(folder, "add", "--all")

    return stage


def small_benches(folder: Path) -> list[Bench]:
    """What runs on the project of this repository."""
    project = shipped(folder / "shipped")
    blocked_too = (0, 1)
    promote = (*ROW3, "promote", "v1.2", "--mode", "replay")
    return [
        Bench("python -c pass", (PYTHON, "-c", "pass"), folder, runs=9),
        Bench("row3 --help", (*ROW3, "--help"), folder, 0.1, runs=9),
        Bench(
            "row3 --compare, shipped cases", (*ROW3, "--compare", "--mode", "replay"), project, 0.5, 100,
            before=restored(project), expected=blocked_too,
        ),
        Bench(
            "row3 --compare --all, shipped", (*ROW3, "--compare", "--all", "--mode", "replay"), project, 1.5, 100,
            before=restored(project), expected=blocked_too,
        ),
        Bench("row3 hook run", (*ROW3, "hook", "run", "pre-commit"), project, 0.6, before=staged(project),
              expected=blocked_too),
        Bench("row3 promote, shipped cases", promote, project, 3.0, before=restored(project)),
    ]  # fmt: skip


def large_benches(folder: Path, cases: int) -> list[Bench]:
    """What runs on many generated cases; makes the baseline and two run logs."""
    project = generate(folder / "large", cases)
    row3(project, "--baseline")
    row3(project, "--prompt", "decompose-concepts-v1.0")
    shutil.copy(newest(project), project / "old.json")
    row3(project, "--prompt", "decompose-concepts-v1.1")
    shutil.copy(newest(project), project / "new.json")
    out = ("--format", "json", "--out", "result.json")
    floor = (PYTHON, str(HERE / "floor.py"), str(project))
    score = (*ROW3, "score", SUITE, "--outputs", "outputs.jsonl", *out)
    return [
        Bench(f"bare loop, {cases:,} cases", floor, project, runs=3),
        Bench(f"row3 score, {cases:,} cases, json", score, project, 5, 200, runs=3),
        Bench(f"row3 --compare, {cases:,} cases, json", (*ROW3, "--compare", "--mode", "replay", *out), project,
              5, 200, runs=3, expected=(0, 1)),
        Bench(f"row3 diff, {cases:,} cases", (*ROW3, "diff", "old.json", "new.json"), project, 1.5, runs=3),
    ]  # fmt: skip


def report_benches(folder: Path) -> list[Bench]:
    """The report for a browser, each case of it with the answers of two prompt versions."""
    project = generate(folder / "reported", REPORTED)
    row3(project, "--baseline")
    report = (*ROW3, "report", "--mode", "replay", "--out", "report.html")
    return [Bench(f"row3 report --out report.html, {REPORTED:,} cases", report, project, 3.0, runs=5)]


def newest(project: Path) -> Path:
    """The newest run log."""
    return sorted((project / ".row3/runs").glob("*.json"))[-1]


def table(figures: list[Figure]) -> str:
    """Figures beside their budgets."""
    rows = [("", "seconds", "budget", "cpu s", "MB", "budget")]
    for one in figures:
        limit_s = "" if one.budget_s is None else f"{one.budget_s:g}"
        limit_mb = "" if one.budget_mb is None else f"{one.budget_mb:g}"
        rows.append((one.name, f"{one.seconds:.3f}", limit_s, f"{one.cpu_s:.3f}", f"{one.peak_mb:.0f}", limit_mb))
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    lines = []
    for row in rows:
        numbers = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]))
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Wall time and memory of row3, whole processes.")
    parser.add_argument("--cases", type=int, default=10_000, help="cases of the large project; 0 leaves it out")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the benchmarks whose name holds the text")
    parser.add_argument("--out", type=Path, default=HERE / "results.json")
    arguments = parser.parse_args()
    # As an installation leaves it, also where the environment keeps Python from writing bytecode: without it a start
    # compiles 240 modules, which takes half as long again.
    compileall.compile_dir(ROOT / "row3", quiet=1)
    print(f"How well names are matched, on the labelled pairs of tests/data\n\n{quality()}\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="row3-bench-") as name:
        benches = small_benches(Path(name)) + report_benches(Path(name))
        if arguments.cases:
            benches += large_benches(Path(name), arguments.cases)
        figures = [measure(bench) for bench in benches if arguments.only in bench.name]
    print(table(figures))
    value = {
        "schemaVersion": 1,
        "cases": arguments.cases,
        "machine": {"python": platform.python_version(), "system": platform.platform(), "processors": os.cpu_count()},
        "figures": [asdict(one) for one in figures],
    }
    arguments.out.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
