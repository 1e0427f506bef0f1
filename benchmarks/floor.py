"""The floor: parse every case and output, compare with rapidfuzz, count. No checks, no explanations, no row3."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein


def bare(root: Path) -> Iterator[tuple[int, int, int, int]]:
    """Yield after each case the sums so far: expected concepts found and all, relationships correct and all."""
    found = wanted = correct = links = 0
    with (root / "outputs.jsonl").open("rb") as file:
        for line in file:
            value = json.loads(line)
            case = json.loads((root / f"golden/bench/{value['caseId']}.gold.json").read_bytes())
            names = {}
            for concept in case["expectedConcepts"]:
                for name in (concept["label"], *concept.get("aliases", ())):
                    names[name.lower()] = concept["label"]
            hit = set()
            for concept in value["output"]["concepts"]:
                key = concept["label"].lower()
                label = names.get(key)
                if label is None:
                    near = process.extractOne(
                        key, names.keys(), scorer=Levenshtein.normalized_similarity, score_cutoff=0.85
                    )
                    label = names[near[0]] if near else None
                if label is not None:
                    hit.add(label)
            found += len(hit)
            wanted += len(case["expectedConcepts"])
            expected = {(r["source"], r["predicate"], r["target"]) for r in case["expectedRelationships"]}
            given = {(r["source"], r["predicate"], r["target"]) for r in value["output"]["relationships"]}
            correct += len(expected & given)
            links += len(given)
            yield found, wanted, correct, links


def main(root: Path) -> None:
    """Print recall over all cases."""
    *_, (found, wanted, correct, links) = bare(root)
    print(f"recall {found / wanted:.4f} relationships {correct / links:.4f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
