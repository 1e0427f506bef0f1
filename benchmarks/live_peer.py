"""The cases of `benchmarks/live.py` in pydantic-evals: the same two requests a case, names compared, nothing explained.

/path/to/python live_peer.py FOLDER URL AT_ONCE
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from live_bare import ask, connect, requests_of
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein


@dataclass
class Names(Evaluator[dict[str, Any], dict[str, Any], None]):
    """Recall of concepts, and share of the relationships that are expected ones, as `floor.py` counts them."""

    def evaluate(self, ctx: EvaluatorContext[dict[str, Any], dict[str, Any], None]) -> dict[str, float]:
        case, output = ctx.inputs, ctx.output
        names = {}
        for concept in case["expectedConcepts"]:
            for name in (concept["label"], *concept.get("aliases", ())):
                names[name.lower()] = concept["label"]
        hit = set()
        for concept in output["concepts"]:
            key = concept["label"].lower()
            label = names.get(key)
            if label is None:
                near = process.extractOne(
                    key, names.keys(), scorer=Levenshtein.normalized_similarity, score_cutoff=0.85
                )
                label = names[near[0]] if near else None
            if label is not None:
                hit.add(label)
        expected = {(r["source"], r["predicate"], r["target"]) for r in case["expectedRelationships"]}
        given = {(r["source"], r["predicate"], r["target"]) for r in output["relationships"]}
        return {
            "recall": len(hit) / len(case["expectedConcepts"]),
            "relationships": len(expected & given) / max(1, len(given)),
        }


async def main(folder: Path, url: str, at_once: int) -> None:
    """Evaluate all cases and print the means."""
    values = [json.loads(path.read_bytes()) for path in sorted((folder / "golden/bench").glob("*.gold.json"))]
    requests = dict(zip((value["id"] for value in values), requests_of(folder), strict=True))
    async with connect(url, at_once) as client:

        async def task(case: dict[str, Any]) -> dict[str, Any]:
            concepts, links = requests[case["id"]]
            return {**json.loads(await ask(client, concepts)), **json.loads(await ask(client, links))}

        dataset = Dataset(
            name="bench", cases=[Case(name=value["id"], inputs=value) for value in values], evaluators=[Names()]
        )
        report = await dataset.evaluate(task, max_concurrency=at_once, progress=False)
        averages = report.averages()
        print(len(report.cases), averages.scores if averages else "")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
