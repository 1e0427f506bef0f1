"""How fast extractions are scored: `row3 score` with explanations beside a bare loop, in processor time.

    python -m benchmarks.scoring --cases 1000

Three sets of cases: names of a few words that come again and again (`generate.py`), and names of an open vocabulary
(`open_names.py`) of whose mentions one or four in ten are spelt otherwise. The bare loop (`floor.py`) parses the same
files, compares with rapidfuzz and counts; it explains nothing. How both are timed: `turns.py`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks import floor, generate, open_names, turns

WARM_FROM = 1_000_000
"""Number of the first case that is not measured."""
SETS: dict[str, Callable[[int], generate.Made]] = {
    "closed": generate.make_case,
    "open 10%": partial(open_names.make_case, share=0.1),
    "open 40%": partial(open_names.make_case, share=0.4),
}
PLAIN = '\n[suites.bench.matching]\nrules = "plain"\n'
TABLE = (
    ("open 10%", "score", PLAIN),
    *((name, "score", "") for name in SETS),
    ("open 10%", "replay", ""),
)
"""What is measured: the set, the work and further settings."""


def make_project(root: Path, name: str, cases: int, settings: str = "", first: int = 0) -> Path:
    """Write a project of a set's cases from number `first`; returns its folder."""
    generate.generate(root, cases, make=lambda number: SETS[name](first + number))
    with (root / "row3.toml").open("a", encoding="utf-8") as file:
        file.write(settings)
    return root


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--only", choices=SETS, help="one set of cases")
    parser.add_argument("--rounds", type=int, default=turns.ROUNDS)
    parser.add_argument("--one", nargs=3, metavar=("WORK", "FOLDER", "FEW"), help="measure once, in this process")
    arguments = parser.parse_args()
    if arguments.one:
        work, root, few = arguments.one
        turns.measure(work, Path(root), Path(few), floor.bare)
        return
    for name, work, settings in TABLE:
        if arguments.only in (None, name):
            with tempfile.TemporaryDirectory(prefix="row3-bench-") as folder:
                few = make_project(Path(folder) / "few", name, turns.WARM_CASES, settings, WARM_FROM)
                root = make_project(Path(folder) / "many", name, arguments.cases, settings)
                figures = turns.medians("benchmarks.scoring", work, root, few, arguments.rounds)
            print(turns.line(f"{name}, {work}{', plain' if settings else ''}", figures), flush=True)


if __name__ == "__main__":
    sys.exit(main())
