"""Processor seconds and memory of `row3 score`, replay and `--compare` by the number of cases.

    python -m benchmarks.scale score 10000 100000 1000000
    python -m benchmarks.scale replay compare 10000 100000
    python -m benchmarks.scale score 1 100000 --executor ray

`score` takes small cases of four concepts, in JSON Lines shards of golden cases and outputs; the others the cases of
`benchmarks.generate`, one a file, with two recordings each.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from benchmarks.generate import generate
from benchmarks.run import ROW3, Bench, measure, row3

SHARD = 100_000
"""Cases of a file."""
WORDS = ("rye", "salt", "yeast", "proofing", "steam", "crust", "oven", "kneading", "starter", "malt")


def small_cases(folder: Path, cases: int) -> Path:
    """A project of small cases; one output in three lacks a concept, and one in seven invents one."""
    (folder / "golden/small").mkdir(parents=True)
    (folder / "outputs").mkdir()
    (folder / "row3.toml").write_text('suite = "small"\n', encoding="utf-8")
    numbers = iter(range(cases))
    for part in range(-(-cases // SHARD)):
        golden = (folder / f"golden/small/part-{part:03}.jsonl").open("w", encoding="utf-8")
        outputs = (folder / f"outputs/part-{part:03}.jsonl").open("w", encoding="utf-8")
        with golden, outputs:
            for number in islice(numbers, SHARD):
                words = [f"{WORDS[(number + step) % 10]} {number // 10 % 97 + step}" for step in range(4)]
                case = {
                    "id": f"case-{number:07}",
                    "sourceText": ". ".join(words),
                    "expectedConcepts": [{"label": word} for word in words],
                    "expectedRelationships": [{"source": words[0], "predicate": "CAUSES", "target": words[1]}],
                    "forbiddenConcepts": ["lunar leavening"],
                }
                said = words[number % 3 == 0 :] + (["lunar leavening"] if number % 7 == 0 else [])
                concepts = [{"label": word, "sourceQuote": word} for word in said]
                output = {"concepts": concepts, "relationships": case["expectedRelationships"]}
                golden.write(json.dumps(case) + "\n")
                outputs.write(json.dumps({"caseId": case["id"], "output": output}) + "\n")
    return folder


def bench(what: str, folder: Path, cases: int, more: Sequence[str] = ()) -> Bench:
    """Make the project of a benchmark, if it does not exist; `more` are options of its command."""
    place = folder / f"{'small' if what == 'score' else 'large'}-{cases}"
    if what == "score":
        project = place if place.exists() else small_cases(place, cases)
        command = (*ROW3, "score", "small", "--outputs", "outputs", "--format", "json", "--out", "result.json", *more)
        return Bench(f"score {cases:,}", command, project, runs=1)
    project = place if place.exists() else generate(place, cases)
    if not (project / "baselines").exists():
        row3(project, "--baseline", "--mode", "replay")
    command = (*ROW3, *(["--compare"] if what == "compare" else []), "--mode", "replay", *more)
    return Bench(f"{what} {cases:,}", command, project, runs=1, expected=(0, 1))


def main() -> None:
    """Command line: what to measure, numbers of cases, a folder that keeps the projects; last, an executor."""
    counts = [int(each) for each in sys.argv[1:] if each.isdigit()]
    kinds = [each for each in sys.argv[1:] if each in ("score", "replay", "compare")]
    more = sys.argv[sys.argv.index("--executor") :] if "--executor" in sys.argv else []
    kept = [each for each in sys.argv[1:] if "/" in each]
    with tempfile.TemporaryDirectory(prefix="row3-scale-") as own:
        for what in kinds:
            for cases in counts:
                figure = measure(bench(what, Path(kept[0] if kept else own), cases, more))
                each = figure.cpu_s / cases * 1e6
                print(
                    f"{figure.name}: {figure.seconds:.1f} s, {figure.cpu_s:.1f} processor seconds "
                    f"({each:.0f} µs a case), {figure.peak_mb:.0f} MB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
