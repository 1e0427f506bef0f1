"""The text of the progress line."""

from __future__ import annotations

from dataclasses import replace

from row3.cli.progress import Progress


def test_progress_says_how_long_the_rest_takes() -> None:
    half = Progress(100.0, 121.0, 121.0, 15, 5, 1, 12000, 0.01)
    assert half.text(121.0) == "5 of 15 cases · 1 failed · 12,000 tokens · $0.0100 · about 42 s left"
    assert half.text(123.2).endswith(" · about 40 s left")
    answering = replace(half, last_answer=200.0)
    assert answering.text(162.9).endswith(" · about 1 s left")
    assert answering.text(181.0).endswith(" · $0.0100")
    assert replace(half, began=31.0).text(121.0).endswith(" · about 3 min 00 s left")
    assert replace(half, last_answer=122.1).text(130.0).endswith(" · waiting for an answer, 8 s")
    assert Progress(0.0, 1.0, 1.0, done=5, usd=None).text(1.0) == "5 cases"
    assert Progress(0.0, 0.0, 0.0, 15).text(1.0) == "0 of 15 cases"
