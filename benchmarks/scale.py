"""Processor seconds and memory of `row3 score`, replay and `--compare` by the number of cases.

    python -m benchmarks.scale score replay compare 10000 100000 1000000
    python -m benchmarks.scale score 1 100000 --executor ray

All take small cases of four concepts, in JSON Lines shards of golden cases, outputs and recordings. One prompt of two
versions answers them: `--compare` judges the second by a baseline of the first.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.generate import RECORDED_AT
from benchmarks.run import ROW3, Bench, measure, row3
from row3.domain.misfits import convert
from row3.domain.prompts import PromptRef, Version
from row3.domain.requests import Answer
from row3.kinds.extraction.model import GoldenCase
from row3.project.project import open_project, pick_suite
from row3.project.prompts import Promotion, promoted_text, read_prompt
from row3.project.recording_lines import to_line
from row3.project.tree import WorkTree
from row3.running.evaluate import Asking
from row3.running.lineup import line_up
from row3.running.run_options import RunOptions, make_asking

SHARD = 100_000
"""Cases of a file."""
WORDS = ("rye", "salt", "yeast", "proofing", "steam", "crust", "oven", "kneading", "starter", "malt")
CANARY = "lunar leavening"
VERSIONS = ("1.0", "1.1")
CONFIG = """suite = "small"
mode = "replay"

[provider]
model = "bench-model"

[suites.small]
kind = "extraction"
pipeline = ["decompose"]
"""
PROMPT = """---
name: decompose
version: "{version}"
description: Benchmark prompt.
output: extraction
temperature: 0
---
{{% block user %}}List the concepts ({version}): {{{{ source_text }}}}{{% endblock %}}
"""


def small_cases(folder: Path, cases: int, *, recordings: bool) -> Path:
    """A project of small cases, with `recordings` of both versions or with outputs.

    One answer in three lacks a concept, and one in seven invents one; in version 1.1 one in four and one in nine.
    """
    for each in ("golden/small", "outputs", "prompts", "recordings/small"):
        (folder / each).mkdir(parents=True)
    (folder / "row3.toml").write_text(CONFIG, encoding="utf-8")
    for version in VERSIONS:
        (folder / f"prompts/decompose-v{version}.md").write_text(PROMPT.format(version=version), encoding="utf-8")
    digest = read_prompt(WorkTree(folder), PromptRef("decompose", Version(1, 0))).digest
    promoted = {"decompose": Promotion(version="v1.0", digest=digest, date=RECORDED_AT[:10])}
    (folder / "prompts/promoted.json").write_text(promoted_text(promoted), encoding="utf-8")
    numbers = iter(range(cases))
    askings: list[Asking] = []
    for part in range(-(-cases // SHARD)):
        names = [f"golden/small/part-{part:03}.jsonl"]
        names += [f"recordings/small/v{version}-{part:03}.jsonl" for version in VERSIONS if recordings]
        names += [] if recordings else [f"outputs/part-{part:03}.jsonl"]
        with ExitStack() as stack:
            files = [stack.enter_context((folder / name).open("w", encoding="utf-8")) for name in names]
            for number in islice(numbers, SHARD):
                golden = small_case(number)
                files[0].write(json.dumps(golden) + "\n")
                if not recordings:
                    output = small_output(golden, number, 3, 7)
                    files[1].write(json.dumps({"caseId": golden["id"], "output": output}) + "\n")
                    continue
                files[0].flush()
                askings = askings or [_asking(folder, version) for version in VERSIONS]
                for file, line in zip(files[1:], _recordings(askings, golden, number), strict=True):
                    file.write(line + "\n")
    return folder


def small_case(number: int) -> dict[str, Any]:
    """Golden case number `number`."""
    words = [f"{WORDS[(number + step) % 10]} {number // 10 % 97 + step}" for step in range(4)]
    return {
        "id": f"case-{number:07}",
        "sourceText": f"Loaf {number}: " + ". ".join(words),
        "expectedConcepts": [{"label": word} for word in words],
        "expectedRelationships": [{"source": words[0], "predicate": "CAUSES", "target": words[1]}],
        "forbiddenConcepts": [CANARY],
    }


def small_output(golden: dict[str, Any], number: int, lacks: int, invents: int) -> dict[str, Any]:
    """The output for a case; one in `lacks` lacks a concept, and one in `invents` invents one."""
    words = [each["label"] for each in golden["expectedConcepts"]]
    said = words[number % lacks == 0 :] + ([CANARY] if number % invents == 0 else [])
    concepts = [{"label": word, "sourceQuote": word} for word in said]
    return {"concepts": concepts, "relationships": golden["expectedRelationships"]}


def _asking(folder: Path, version: str) -> Asking:
    project = open_project(folder)
    suite = pick_suite(project, "small")
    lineup = line_up(project, suite, role="candidate", named=(f"decompose-v{version}",))
    return make_asking(suite, lineup, RunOptions())


def _recordings(askings: list[Asking], golden: dict[str, Any], number: int) -> Iterator[str]:
    """Yield the line of each version's recording."""
    variables = convert(golden, GoldenCase).variables()
    for asking, lacks, invents in zip(askings, (3, 4), (7, 9), strict=True):
        request = asking.request(asking.lineup.prompts[0], golden["id"], variables, 0)
        text = json.dumps(small_output(golden, number, lacks, invents))
        answer = Answer(text, "stop", "bench-model", 40, 90, 1.5)
        yield to_line(request, answer, recorded_at=RECORDED_AT)


def bench(what: str, folder: Path, cases: int, more: Sequence[str] = ()) -> Bench:
    """Make the project of a benchmark, if it does not exist; `more` are options of its command."""
    recordings = what != "score"
    project = folder / f"{'recorded' if recordings else 'scored'}-{cases}"
    if not project.exists():
        small_cases(project, cases, recordings=recordings)
    if recordings and not (project / "baselines").exists():
        row3(project, "--baseline", "--mode", "replay")
    commands = {
        "score": ("score", "small", "--outputs", "outputs", "--format", "json", "--out", "result.json"),
        "replay": ("--mode", "replay"),
        "compare": ("--compare", "--mode", "replay"),
    }
    return Bench(f"{what} {cases:,}", (*ROW3, *commands[what], *more), project, runs=1, expected=(0, 1))


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
