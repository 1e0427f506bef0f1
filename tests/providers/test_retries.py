from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.providers.retries import LONGEST_BACKOFF_S, asked_delay, backoff_s

NOW = 1445412480.0  # Wed, 21 Oct 2015 07:28:00 GMT


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "junk", "retry-after": "2"}, 2.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2015 09:28:30 +0200"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:30 -0000"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:27:00 GMT"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Wed, 99 Foo 2015"}, None),
    ],
)
def test_what_the_server_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_delay(headers, NOW) == seconds


@given(st.text(max_size=60))
def test_no_header_breaks_it(text: str) -> None:
    delay = asked_delay({"retry-after": text}, NOW)
    assert delay is None or delay >= 0


def test_backoff_doubles_and_is_capped() -> None:
    assert [backoff_s(tries, 1.0) for tries in (1, 2, 3, 4, 5, 6, 7)] == [1, 2, 4, 8, 16, 30, 30]
    assert backoff_s(1, 0.0) == 0.5
    assert backoff_s(10_000, 0.999) <= LONGEST_BACKOFF_S
