"""Results that travel between processes come back as they were."""

from __future__ import annotations

import pickle

from row3.domain.metrics import Zone
from row3.domain.verdicts import CaseChange, Compared, Then
from row3.workflows.pipeline.results import CaseResult, Spent
from row3.workflows.pipeline.sending import receive, send
from row3.workflows.pipeline.spool import SharedFile, Spool


def result(case_id: str, detail: bytes | None, compared: Compared | None) -> CaseResult:
    return CaseResult(
        case_id, "scored", {"overall": 0.5}, {"overall": Zone.FAIL}, {"recall": (1, 2)}, {"f1": "none"}, b"{}", detail,
        "", ("cut off",), {"overall": 0.1}, 3, (Spent("m", 1, None, 0.5, True, False),) * 2, True, "wiki", compared,
        tally={"concepts": {"exact": 2}},
    )  # fmt: skip


def test_results_arrive_as_they_were_and_their_details_as_places() -> None:
    change = CaseChange("b", "regressed", -0.1, {"overall": -0.1}, {"extra": ("x",)}, {"concepts": ("y", "z")}, "note")
    compared = Compared(change, {"overall": 0.6}, {}, "scored", ("gone",), then=Then({"overall": 0.6}, {}, True))
    results = [result("a", None, None), result("b", b'{"id":"b"}', compared), result("c", b'{"id":"c"}', None)]
    file = SharedFile()
    arrived = receive(pickle.loads(pickle.dumps(send(results, file))))
    kept = Spool()
    for one in arrived:
        if one.detail is not None:
            kept.add(one.detail)
    assert list(kept) == [b'{"id":"b"}', b'{"id":"c"}']
    assert [one._replace(detail=None) for one in arrived] == [one._replace(detail=None) for one in results]
    assert all(isinstance(one, CaseResult) for one in arrived)
    assert isinstance(arrived[0].spent[0], Spent)
