from __future__ import annotations

from row3.matching.variant.word_order import negated
from tests.rows import every_row


@every_row(
    ("name", "other"),
    [
        ("invoices not paid", "unpaid invoices"),
        ("members who are not eligible", "ineligible members"),
        ("damage that is not reversible", "irreversible damage"),
        ("not statistically significant", "statistically insignificant"),
        ("not statistically significant", "statistically non significant"),
        ("contracts that were not legal", "illegal contracts"),
        ("tasks that are not possible", "impossible tasks"),
    ],
)
def test_a_negative_prefix_replaces_not(name: str, other: str) -> None:
    assert other in list(negated(name))


@every_row(
    ("name", "never"),
    [
        ("men that are not famous", "infamous men"),
        ("gifts that are not valuable", "invaluable gifts"),
        ("guests who are not easy", "uneasy guests"),
        ("finds that are not earthed", "unearthed finds"),
    ],
)
def test_a_prefix_that_changes_the_meaning(name: str, never: str) -> None:
    found = list(negated(name))
    assert found
    assert never not in found


@every_row(
    "name",
    ["invoices paid", "not", "a not guilty verdict", "not fully insured", "fees if not paid", "happy not sad", ""],
)
def test_other_names_have_none(name: str) -> None:
    assert list(negated(name)) == []
