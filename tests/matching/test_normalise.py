from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from row3.matching.normalise import normalise, normalise_all, normalise_text
from tests.rows import every_row
from tests.strategies import readable_text


@every_row(
    ("one", "other"),
    [
        ("Machine Learning", "machine learning"),
        ("Straße", "STRASSE"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("café", "cafe\u0301"),
        ("ﬁne ﬂow", "fine flow"),
        ("CO₂", "co2"),
        ("ＡＢＣ", "abc"),
        ("x²", "x2"),
        ("state-of-the-art", "state of the art"),
        ("state–of—the‐art", "state of the art"),
        ("non\u2011breaking", "non-breaking"),
        ("machine_learning", "machine learning"),
        ("  much \t\n white   space ", "much white space"),
        ("no\u00a0break\u2009thin", "no break thin"),
        ("“quoted”", '"quoted"'),
        ("«quoted» „quoted‟", "quoted quoted"),
        ("Newton’s law", "Newton's law"),
        ("Newton‘s law", "Newtons law"),
        ("Newtonʼs law", "Newton＇s law"),
        ("end.", "end"),
        ("a, b; c: d!", "a b c d"),
        ("(parenthesis)", "parenthesis"),
        ("input/output", "input output"),
        ("wait…", "wait..."),
        ("soft\u00adhyphen", "softhyphen"),
        ("\ufeffmark", "mark"),
        ("zero\u200dwidth", "zerowidth"),
    ],
)
def test_one_spelling_for_many(one: str, other: str) -> None:
    assert normalise(one) == normalise(other) != ""


@every_row(("one", "other"), [("C", "C++"), ("C", "C#"), ("C++", "C#"), ("R", "R&D"), ("5", "5%"), ("A", "Ä")])
def test_distinguishing_signs_are_kept(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_kept_signs_are_kept_literally() -> None:
    assert [normalise(name) for name in ("C++", "C#", "R&D", "5%")] == ["c++", "c#", "r&d", "5%"]


def test_dotted_capital_i_folds_as_unicode_says() -> None:
    assert normalise("İzmir") == "i\u0307zmir"
    assert normalise("ISPARTA") == "isparta"


@every_row("name", ["", " ", "\n\t", "...", "?!", "—", "''", "\u200b", "\ufeff", "()[]"])
def test_what_has_no_letter_or_digit_normalises_to_nothing(name: str) -> None:
    assert normalise(name) == ""


def test_a_lone_surrogate_is_accepted() -> None:
    assert normalise("a\ud800b") == "a\ud800b"


@given(readable_text())
@settings(deadline=None)
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise_text(text)
    assert normalise_text(once) == once


@given(readable_text())
@settings(deadline=None)
def test_normal_form_has_single_spaces_and_none_at_the_ends(text: str) -> None:
    assert normalise_text(text) == " ".join(normalise_text(text).split())


@given(readable_text())
@settings(deadline=None)
def test_names_and_texts_take_the_same_form(text: str) -> None:
    assert normalise(text) == normalise_text(text)


@given(readable_text(), readable_text())
@settings(deadline=None)
def test_a_text_of_two_lines_is_normalised_line_by_line(one: str, other: str) -> None:
    # So a name that occurs in a text also occurs in its normalised form.
    assert normalise_text(f"{one}\n{other}") == f"{normalise_text(one)} {normalise_text(other)}".strip()


@given(st.lists(readable_text(12) | st.sampled_from(("end.", "", "a\x00b", " two  words ")), max_size=6))
@settings(deadline=None)
def test_many_names_at_once_take_the_form_of_each(names: list[str]) -> None:
    assert [*normalise_all(names)] == [normalise_text(name) for name in names]
