"""Scores that are known: kept by content, lost without harm."""

from __future__ import annotations

from pathlib import Path

from row3.domain.scores import CaseScore
from row3.store.scores import ScoreCache

SCORE = CaseScore("rye", "scored", {"recall": 0.5})


def kept(folder: Path) -> ScoreCache:
    cache = ScoreCache(folder, "bread")
    cache.put("digest of the case", ["an answer"], SCORE)
    cache.save()
    return ScoreCache(folder, "bread")


def test_a_score_is_found_by_its_case_and_answers(tmp_path: Path) -> None:
    cache = kept(tmp_path)
    found = cache.get("digest of the case", ["an answer"])
    assert found is not None
    assert found.metrics == {"recall": 0.5}
    assert cache.get("digest of the case", ["another answer"]) is None
    assert cache.get("digest of the edited case", ["an answer"]) is None


def test_a_broken_file_is_as_good_as_none(tmp_path: Path) -> None:
    kept(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"\xff" + file.read_bytes())
    assert ScoreCache(tmp_path, "bread").get("digest of the case", ["an answer"]) is None


def test_what_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path, "bread")
    cache.put("digest of the case", ["x"], CaseScore("rye", "scored", {}, problem="\ud83d"))
    cache.save()
    assert list(tmp_path.iterdir()) == []
