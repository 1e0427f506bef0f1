from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from row3.matching.compare import compare
from row3.matching.names import NameIndex, match_names
from row3.matching.scorers import Named, NameRule
from row3.matching.text.quotes import SourceText
from tests.rows import every_row

TEXT = SourceText(
    "Machine learning (ML) — the craft of programs that learn — isn't new.\n"
    "Its “loss function”, which scores\nthe outputs, precedes backpropagation. "
    "C++ and C# are used; so is the art of cartography."
)


@every_row(
    "quote",
    [
        "Machine learning (ML)", "machine learning ml", "the craft of programs that learn",
        'Its "loss function", which scores', "Its 'loss function' which scores", "Its «loss function», which scores",
        "which scores the outputs", "which scores\r\n  the outputs", "isn’t new", "isn't new.", "“isn't new”",
        "(ML) - the craft", "(ML) – the craft", "C++ and C# are used", "cartography.",
    ],
)  # fmt: skip
def test_a_quote_may_differ_in_typography_case_and_line_breaks(quote: str) -> None:
    assert TEXT.contains_quote(quote)


@every_row(
    "quote",
    [
        "", "  ", "...", "…", "“”", "deep learning", "achine learning", "machine learn", "ML machine learning",
        "cart", "C and", "scores outputs",
    ],
)  # fmt: skip
def test_a_quote_must_occur_in_whole_words_and_in_order(quote: str) -> None:
    assert not TEXT.contains_quote(quote)


@every_row("dots", ["…", "...", " … ", " ... ", ". . .", "[...]", " [...] ", "[…]", " [ … ] "])
def test_an_ellipsis_skips_text(dots: str) -> None:
    assert TEXT.contains_quote(f"Machine learning{dots}precedes backpropagation")


def test_an_ellipsis_may_stand_at_the_ends() -> None:
    assert TEXT.contains_quote("… the craft of programs …")
    assert TEXT.contains_quote("...the craft...")


def test_several_ellipses() -> None:
    assert TEXT.contains_quote("machine learning … loss function … cartography")


@every_row(
    "quote",
    [
        "precedes backpropagation … Machine learning", "Machine learning … gradient", "deep … backpropagation",
        "backpropagation … backpropagation",
    ],
)  # fmt: skip
def test_the_parts_around_an_ellipsis_occur_in_order(quote: str) -> None:
    assert not TEXT.contains_quote(quote)


@every_row(
    ("name", "found"),
    [
        ("Machine Learning", True),
        ("ML", True),
        ("loss-function", True),
        ("C++", True),
        ("C#", True),
        ("C", False),
        ("art", True),
        ("cart", False),
        ("machine learnin", False),
        ("", False),
        ("?!", False),
        ("learning machine", False),
    ],
)
def test_names_are_mentioned_as_whole_words(name: str, found: bool) -> None:
    assert TEXT.mentions(name) is found


WORDS = st.lists(st.sampled_from(["Alpha,", "beta", "(gamma)", "δέλτα", "e’s", "x–y"]), min_size=1, max_size=12)


@given(WORDS, st.data())
@settings(deadline=None)
def test_every_span_of_words_is_a_quote(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    text = SourceText("  ".join(words))
    assert text.contains_quote("\n".join(words[start:end]))
    assert text.contains_quote(" ".join(words[:start]) + " … " + " ".join(words[start:]))


@given(WORDS, st.text(max_size=30))
@settings(deadline=None)
def test_a_text_is_searched_without_error(words: list[str], quote: str) -> None:
    assert SourceText(" ".join(words)).contains_quote(quote) in (True, False)
    assert SourceText(quote).mentions(" ".join(words)) in (True, False)


@every_row(
    ("text", "quote", "occurs"),
    [
        ("Newton's method uses curvature.", "Newton", True),
        ("Newton’s method uses curvature.", "Newton", True),
        ("Newtons method uses curvature.", "Newton", False),
        ("Prospero 's Books was filmed.", "Prospero's Books", True),
        ("Prospero's Books was filmed.", "Prospero 's Books", True),
        ("The party won in 2012.", "art", False),
        ("The party won in 2012.", "12", False),
        ("光合作用发生在叶绿体中。", "叶绿体", True),
        ("光合作用发生在叶绿体中。", "叶绿素", False),
        ("植物は光合成を行う。", "光合成", True),
        ("การสังเคราะห์ด้วยแสงเกิดในใบ", "แสง", True),
        ("光合作用 (photosynthesis)用光", "photo", False),
    ],
)
def test_where_words_end(text: str, quote: str, occurs: bool) -> None:
    source = SourceText(text)
    assert source.contains_quote(quote) is source.mentions(quote) is occurs


@every_row(
    ("text", "name", "occurs"),
    [
        ("about ~alpha today", "alpha", True),
        ("a mass of ±5 kg", "5 kg", True),
        ("≈alpha, =beta", "alpha", True),
        ("→Alpha’s end", "alpha", True),
        ("it costs $5 million", "5 million", True),
        ("it costs €5 million", "$5 million", False),
        ("a ~alpha b", "~alpha", True),
        ("alpha b", "~alpha", False),
        ("~alphabet", "alpha", False),
        ("C++ only", "C", False),
        ("R&D", "D", False),
        ("HIV+ patients", "HIV", False),
        ("let x=alpha hold", "alpha", True),
        ("R&D~alpha", "alpha", True),
        ("a bag of ±5kg", "5 kg", True),
        ("a bag of ~5kg", "5 kg", True),
        ("a bag of 10–15kg", "15 kg", True),
        ("a bag of 10–15kg", "10–15 kg", True),
        ("a bag of 10~15 kg", "15kg", True),
        ("at 20°C inside", "20 °C", True),
        ("at 20 °C inside", "20°C", True),
        ("at ±20°C inside", "20 °C", True),
        ("a loss of 50% today", "50 %", True),
        ("a loss of 50 % today", "50%", True),
        ("≤3m deep", "3 m", True),
        ("100km/h", "100 km/h", True),
        (">5 µg", "5µg", True),
        ("a bag of 15kg", "5 kg", False),
        ("a bag of 5kg", "5", False),
        ("in the 1990s", "1990", False),
        ("H2O", "O", False),
        ("5–8 °C", "5 °C", False),
    ],
)
def test_a_sign_before_a_word_does_not_hide_it(text: str, name: str, occurs: bool) -> None:
    assert SourceText(text).mentions(name) is occurs


@given(
    st.sampled_from(["~", "±", "≈", "$", "→", "=", "<", "+", "#", "©"]),
    st.sampled_from(["alpha", "5 kg", "Weiß", "5kg", "20 °C", "20°C"]),
    st.sampled_from(["", "3–", "3 – "]),
)
def test_any_sign_or_range_may_stand_before_a_word(sign: str, name: str, before: str) -> None:
    source = SourceText(f"of {before}{sign}{name}, said")
    assert source.mentions(name.replace(" ", ""))
    assert source.mentions(name)
    assert source.contains_quote(name)
    assert source.contains_quote(f"{sign}{name}")


@given(st.lists(st.sampled_from(["art", "party", "12", "2012", "Newton's", "method", "叶绿体"]), min_size=1), st.data())
def test_whole_words_occur_and_parts_of_words_do_not(words: list[str], data: st.DataObject) -> None:
    text = SourceText(" ".join(words))
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    assert text.contains_quote(" ".join(words[first : last + 1]))
    for part in ("art", "12"):
        assert text.contains_quote(part) is (part in words)


ITEMS = "- rye bread\n- milk\n- two eggs\n- salt\n- flour"
LINE = "the bakers of the old town ask for more rye each year"


@every_row(
    ("text", "quote", "passage"),
    [
        ("Rye is a cereal.", "Rye is a cereal.", False),
        ("Rye is a cereal of the north.", "Rye is a cereal of the", False),
        ("Rye is a cereal of the north.", "of the north", True),
        ("Rye is. It grows. It is cut.", "Rye is. It grows. It is cut", False),
        ("Rye is. It grows. It is cut.", "Rye is … It grows … It is", False),
        ("Rye is. It grows. It is cut.", "Rye is. It grows.", True),
        (ITEMS, ITEMS, False),
        (ITEMS, "rye bread milk two eggs salt", False),
        (ITEMS, "milk two eggs salt", True),
        (f"{LINE}\n" * 5, f"{LINE} " * 4, False),
        (f"{LINE}\n" * 5, LINE, True),
        (f"{LINE}. " * 5, f"{LINE} … {LINE} … {LINE} … {LINE}", False),
        ("Rye 's end. It grows. It is. It was. It fell.", "Rye's end. It grows. It is. It was", False),
        ("Rye 's end. It grows. It is. It was. It fell.", "Rye's end. It grows", True),
        ("Rye is a cereal.", "Rye was", False),
    ],
)
def test_a_passage_has_three_sentences_and_leaves_out_much_of_the_text(text: str, quote: str, passage: bool) -> None:
    assert bool(SourceText(text).is_passage(quote)) is passage


@given(st.lists(st.integers(1, 6), min_size=1, max_size=8), st.sampled_from([". ", "\n", "\n- "]), st.data())
@settings(deadline=None)
def test_no_quote_of_four_sentences_or_nearly_all_words_is_a_passage(
    sizes: list[int], stop: str, data: st.DataObject
) -> None:
    said = [" ".join(f"w{place}{word}" for word in range(size)).capitalize() for place, size in enumerate(sizes)]
    text = SourceText(stop.join(said))
    words = " ".join(said).split()
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    touched = {word.lower()[:2] for word in words[start:end]}
    if len(touched) > 3 or (len(touched) == len(said) and end - start > 0.9 * len(words)):
        assert not text.is_passage(" ".join(words[start:end]))
    elif len(touched) < len(said):
        assert text.is_passage(" ".join(words[start:end]))


@given(
    st.lists(st.sampled_from(["rye", "Rye", "oats", "C++", "é", "5", "kg"]), min_size=2, max_size=24),
    st.data(),
)
@settings(deadline=None)
def test_a_quote_copied_letter_for_letter_is_a_passage_as_any_other(words: list[str], data: st.DataObject) -> None:
    text = "".join(word + data.draw(st.sampled_from([" ", ". ", "! ", ", ", "\n", "…"])) for word in words)
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    # No text has the copy with a line end letter for letter, so that its sentences are counted.
    assert SourceText(text).is_passage(quote) == SourceText(text).is_passage(f"{quote}\n\n\n")


TWO_WHERE_THE_TEXT_HAS_BOTH = [
    (
        "greenhouse",
        "green house",
        "Tomatoes grow in the greenhouse. The Millers live in the green house on Elm Street.",
    ),
    ("Münster", "Munster", "They met at Münster in Westphalia. Cork lies in the Irish province of Munster."),
    ("the Economist", "an economist", "I read it in the Economist. It was written by an economist."),
    ("Turkey", "turkey", "He ate a turkey while he was in Turkey."),
]

WHY = ("different words", "different persons with the same surname", "a proper name and a common noun")


@every_row(("one", "other", "text"), TWO_WHERE_THE_TEXT_HAS_BOTH)
def test_words_differ_only_if_the_text_has_both(one: str, other: str, text: str) -> None:
    for name, expected in ((one, other), (other, one)):
        for known, state in ((text, "unmatched"), ("Nothing of it.", None)):
            index = NameIndex([Named(expected, ())], (), NameRule(), SourceText(known))
            found = match_names([name], index)[0].state
            assert found == state if state else found in ("exact", "fuzzy")
        if name.lower() != expected.lower():
            assert compare(name, expected, text=SourceText(text)).why_not in WHY


@every_row(
    ("one", "other", "text"),
    [
        ("healthcare", "health care", "Health care costs more than healthcare did."),
        ("colour", "color", "The colour was a color."),
        ("hard disk", "hard disc", "A hard disk."),
        ("Reading", "reading", "Reading improves vocabulary. He gave a reading of ten minutes."),
        ("Target", "target", "Target setting matters. It sets a target."),
        ("security", "securities", "A security can be sold. Securities are listed."),
        ("the Mississippi", "Mississippi", "The Mississippi is long."),
        ("cheque fraud", "check fraud", "The report on check fraud cites an older study, which wrote cheque fraud."),
        ("NASA budget", "Nasa budget", "NASA said that the budget of Nasa was cut."),
    ],
)
def test_a_text_with_two_spellings_of_one_thing(one: str, other: str, text: str) -> None:
    assert compare(one, other, text=SourceText(text)).same
