"""Whether a change that should only be faster moves a verdict: every match of shipped suites and generated cases.

python -m benchmarks.verdicts before.json          before the change
python -m benchmarks.verdicts after.json --against before.json
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.generate import SUITE, generate
from benchmarks.run import ROOT, ROW3, SHIPPED
from benchmarks.scoring import SETS


def verdicts(project: Path, *arguments: str) -> list[dict[str, Any]]:
    """Return the cases of a run, each with its metrics and every match."""
    done = subprocess.run(
        (*ROW3, *arguments, "--format", "json", "-q"),
        check=False,  # a run with a failing zone may end otherwise than with 0
        cwd=project,
        env={"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    cases: list[dict[str, Any]] = json.loads(done.stdout)["cases"]
    return cases


def all_verdicts(folder: Path, cases: int) -> dict[str, list[dict[str, Any]]]:
    """Return the cases of every shipped suite in replay, and of both generated sets, scored and in replay."""
    for name in SHIPPED:
        subprocess.run(("cp", "-r", str(ROOT / name), str(folder)), check=True)
    suites = tomllib.loads((folder / "row3.toml").read_text(encoding="utf-8"))["suites"]
    found = {suite: verdicts(folder, "--suite", suite, "--mode", "replay") for suite in suites}
    for name, make in SETS.items():
        root = generate(folder / f"{name}-set", cases, make=make)
        found[f"{name}, score"] = verdicts(root, "score", SUITE, "--outputs", "outputs.jsonl")
        found[f"{name}, replay"] = verdicts(root, "--mode", "replay")
    return found


def main() -> int:
    """Command line; 1 where a verdict moved."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    parser.add_argument("--against", type=Path, metavar="FILE", help="verdicts written before the change")
    parser.add_argument("--cases", type=int, default=300)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="row3-bench-") as folder:
        found = all_verdicts(Path(folder), arguments.cases)
    arguments.out.write_text(json.dumps(found), encoding="utf-8")
    if arguments.against is None:
        return 0
    before = json.loads(arguments.against.read_text(encoding="utf-8"))
    moved = 0
    for name, cases in found.items():
        held = {case["id"]: case for case in before.get(name, [])}
        other = [case["id"] for case in cases if held.get(case["id"]) != case]
        moved += len(other)
        print(f"{name}: {len(cases)} cases, {len(other)} moved {' '.join(other[:5])}".rstrip())
    return int(moved > 0)


if __name__ == "__main__":
    sys.exit(main())
