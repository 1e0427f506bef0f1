"""How numbers look."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from row3.domain import numbers
from row3.domain.printable import cells, plain, shorten, visible
from row3.domain.scores import Metric, Threshold
from tests.rows import every_row


@every_row(
    ("shown", "expected"),
    [
        (numbers.percent(0.7), "70.0%"),
        (numbers.percent(-0.00001), "0.0%"),
        (numbers.percent(-0.05), "−5.0%"),
        (numbers.percent(0.69996, limits=[0.7]), "69.996%"),
        (numbers.percent(0.7, limits=[0.7]), "70.0%"),
        (numbers.compact(0.7), "70%"),
        (numbers.compact(0.6994), "69.9%"),
        (numbers.compact(1.0), "100%"),
        (numbers.points(0.0423), "+4.2"),
        (numbers.points(-0.0004), "0.0"),
        (numbers.points(-0.013), "−1.3"),
        (numbers.interval(-0.0123, 0.046), "−1.2…+4.6"),
        (numbers.interval(-2.284, 1.951), "−100.0…+100.0"),
        (numbers.changelog_delta(0.04), "+4.0 points"),
        (numbers.changelog_delta(-0.013), "-1.3 points"),
        (numbers.changelog_delta(0.00001), "0.0 points"),
        (numbers.money(0), "$0.00"),
        (numbers.money(0.00001), "<$0.0001"),
        (numbers.money(0.0123), "$0.0123"),
        (numbers.money(1234.5), "$1,234.50"),
        (numbers.seconds(0.84), "840 ms"),
        (numbers.seconds(1.24), "1.2 s"),
        (numbers.seconds(59.97), "1 min 00 s"),
        (numbers.seconds(125), "2 min 05 s"),
        (numbers.count(1, "case"), "1 case"),
        (numbers.count(1204, "case"), "1,204 cases"),
        (numbers.moment("2026-01-29T10:15:00+02:00"), "2026-01-29 08:15"),
        (numbers.moment("yesterday"), "yesterday"),
        (numbers.moment("9999-12-31T23:59:59-14:00"), "9999-12-31T23:59:59-14:00"),
    ],
)
def test_a_number_reads_the_same_everywhere(shown: str, expected: str) -> None:
    assert shown == expected


@given(st.text())
def test_whatever_a_model_writes_is_printable(text: str) -> None:
    assert plain(text).isprintable()
    assert visible(text).isprintable()


def test_escape_sequences_go_as_a_whole() -> None:
    assert plain("a\x1b[1;31mb\x1b]8;;http://e.vil\x1b\\c\x1b]8;;\x07d\x9b2Je\x1bcf\u200bg\u2066h") == "abcdefgh"


@given(st.text(), st.integers(min_value=1, max_value=30))
def test_a_shortened_text_fits(text: str, room: int) -> None:
    assert cells(shorten(plain(text), room)) <= room


@given(st.text(st.sampled_from("ab-漢字é\u0301 ")), st.integers(1, 12))
def test_no_more_is_cut_off_than_has_to_be(text: str, room: int) -> None:
    longest = next(text[:n] for n in range(len(text), -1, -1) if cells(text[:n]) <= room - 1)
    assert shorten(text, room) == (text if cells(text) <= room else f"{longest.rstrip()}…")


def test_a_text_of_megabytes_is_shortened_as_any_other() -> None:
    assert shorten("x" * 5_000_000, 4) == "xxx…"
    assert shorten("漢" * 1_000_000, 4) == "漢…"


@every_row(
    ("minimum", "higher", "blocking", "shown"),
    [
        (0.0, True, True, "–"),
        (0.0, True, False, "–"),
        (1.0, False, True, "–"),
        (0.6, True, False, "(≥60%)"),
        (0.0, False, True, "0%"),
        (1.0, True, True, "≥100%"),
    ],
)
def test_a_minimum_that_every_value_reaches_is_none(minimum: float, higher: bool, blocking: bool, shown: str) -> None:
    metric = Metric("m", "M", higher_is_better=higher)
    assert numbers.limit_texts(Threshold(minimum, minimum, minimum, blocking), metric)[0] == shown
