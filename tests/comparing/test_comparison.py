"""What a comparison keeps of each case."""

from __future__ import annotations

import tracemalloc
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

from row3.comparing.comparison import Comparer
from row3.domain.judgements import CaseChange
from row3.domain.runs import ManifestCase
from row3.domain.scores import CaseScore
from row3.project.project import open_project, pick_suite
from row3.running import collect

SUITE = pick_suite(open_project(Path(__file__).parents[2]), "decomposition")
BYTES_A_METRIC, BYTES_A_CASE = 12, 40
"""Most that are kept: 8 for how a metric moved, 8 for the id, and what arrays have to spare."""


def test_a_case_leaves_numbers_only() -> None:
    metrics = [metric.key for metric in SUITE.kind.metrics]
    with patch.object(collect, "SPOOL_BYTES", 1):
        comparer = Comparer(SUITE, saved_cases=SAVED)
        tracemalloc.start()
        for number in range(2_000):
            comparer.take(_score(number, metrics))
        first, _ = tracemalloc.get_traced_memory()
        for number in range(2_000, 4_000):
            comparer.take(_score(number, metrics))
        second, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert comparer.compared == 4_000
    assert len(set(comparer.compared_ids())) == sum(1 for _ in comparer.requests()) == 4_000
    assert second - first < 2_000 * (BYTES_A_CASE + BYTES_A_METRIC * len(metrics))


SAVED = {f"case-{number}": ManifestCase(f"case-{number}", f"golden-{number}", "") for number in range(4_000)}


def _score(number: int, metrics: list[str]) -> CaseScore:
    """Case `number`: none has a value or a digest of another."""
    case_id, digests = f"case-{number}", [sha256(f"{number} {kind}".encode()).hexdigest() for kind in "abcd"]
    before = {key: number / 1e5 + place / 1e7 for place, key in enumerate(metrics)}
    after = {key: value + number / 1e6 for key, value in before.items()}
    change = CaseChange(case_id, "improved", number / 1e6, dict.fromkeys(metrics, number / 1000000.0))
    base = CaseScore(case_id, "scored", before, requests=(digests[0],), answers=(digests[1],))
    given = {"requests": (digests[2],), "answers": (digests[3],), "digest": f"golden-{number}"}
    return CaseScore(case_id, "scored", after, before=base, change=change, **given)
