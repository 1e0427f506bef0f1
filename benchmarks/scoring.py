"""How fast extractions are scored: `row3 score` and replay beside a bare loop, processor seconds without the start.

    python -m benchmarks.scoring --cases 1000

Two sets of cases: names of a few words that come again and again (`generate.py`), and names of an open vocabulary
(`open_names.py`). The bare loop (`floor.py`) parses the same files, compares with rapidfuzz and counts; it explains
nothing. From each figure that of the same program over ten cases is taken off.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from benchmarks import generate, open_names
from benchmarks.run import HERE, PYTHON, ROW3, Bench, measure
from row3.domain.asks import finish, no_vectors
from row3.domain.models import convert
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.score import KIND
from row3.matching.matcher import Matcher, Matches
from row3.project.project import open_project, pick_suite

START_CASES = 10
ROUNDS = 3
COUNTED = 100
"""Cases in which comparisons are counted."""
SETS: dict[str, Callable[[int], generate.Made]] = {"closed": generate.make_case, "open": open_names.make_case}
SUITE = generate.SUITE
OUT = ("--format", "json", "--out", "result.json")


def comparisons(root: Path, make: Callable[[int], generate.Made]) -> float:
    """Return how many names a case compares with its expected ones, in the mean: what look-up does not settle."""
    matches, calls = Matcher.matches, []

    def counting(matcher: Matcher, name: str) -> Matches:
        calls.append(name)
        return matches(matcher, name)

    rules = pick_suite(open_project(root), SUITE).rules
    with patch.object(Matcher, "matches", counting):
        for number in range(COUNTED):
            made = make(number)
            parsed = KIND.read_output(made.outputs["1.1"])
            finish(KIND.score(convert(made.golden, GoldenCase), parsed.value, rules), no_vectors)
    return len(calls) / COUNTED


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--only", choices=SETS, help="one set of cases")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    commands = {
        "bare loop": (PYTHON, str(HERE / "floor.py"), "."),
        "row3 score": (*ROW3, "score", SUITE, "--outputs", "outputs.jsonl", "--jobs", "1", *OUT),
        "row3, replay": (*ROW3, "--jobs", "1", *OUT),
    }
    for name, make in SETS.items():
        if arguments.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory(prefix="row3-bench-") as folder:
            few, many = (
                generate.generate(Path(folder) / f"{count}", count, make=make)
                for count in (START_CASES, arguments.cases)
            )
            print(f"{name} vocabulary, {comparisons(few, make):.1f} names compared a case")
            times = {}
            for what, command in commands.items():
                start, whole = (
                    measure(Bench(what, command, root, runs=arguments.rounds)).cpu_s for root in (few, many)
                )
                times[what] = (start, whole - start)
        floor = times["bare loop"][1]
        for what, (start, seconds) in times.items():
            print(f"{what:14}{seconds:8.2f} s processor time{start:8.2f} s start{seconds / floor:8.1f} x", flush=True)


if __name__ == "__main__":
    sys.exit(main())
