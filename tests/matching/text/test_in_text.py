from __future__ import annotations

import pytest

from row3.matching.compare import compare
from row3.matching.names import Named, NameIndex, NameRule, match_names
from row3.matching.text.quotes import SourceText

TWO_WHERE_THE_TEXT_HAS_BOTH = [
    (
        "greenhouse",
        "green house",
        "Tomatoes grow in the greenhouse. The Millers live in the green house on Elm Street.",
    ),
    ("Greenhouses", "green house", "Greenhouses are warm, and so is a green house."),
    ("metre", "meter", "Mount the electricity meter at least one metre above the floor."),
    ("meters", "metres", "The meters stand thirty metres apart."),
    ("The Who", "the WHO", "The Who played Leeds in 1970. Advice came from the WHO in Geneva."),
    ("cheque", "check", "Moving the bishop gave check. The club paid the winner by cheque."),
    ("minutes", "minute", "Each speaker had one minute. The secretary circulated the minutes."),
    ("Münster", "Munster", "They met at Münster in Westphalia. Cork lies in the Irish province of Munster."),
    ("“The Office”", "the office", "She watched “The Office” at night, and was back at the office by eight."),
    ("hives", "hive", "The child broke out in hives after standing near the hive."),
    ("grey", "gray", "The housing is painted grey. The absorbed dose was two gray."),
    ("John Adams", "John Quincy Adams", "John Adams left office. His son John Quincy Adams became president in 1825."),
    (
        "second storey",
        "second story",
        "The fire began on the second storey of the hotel. In her book the second story is about a fox.",
    ),
    ("the Mississippi", "Mississippi", "They went down the Mississippi. The governor of Mississippi signed the bill."),
    ("security", "securities", "Security at the site is provided by a firm. The fund invests in listed securities."),
    ("the draught", "the draft", "Members complained of the draught. The draft was approved."),
    ("n", "N", "In all formulas n is the size of the sample and N that of the population."),
    ("the student's essays", "the students' essays", "Here are the student's essays. There are the students' essays."),
    (
        "the chairman and treasurer",
        "the chairman and the treasurer",
        "Once one man was the chairman and treasurer of the club. Now two are the chairman and the treasurer.",
    ),
    ("Newport", "New Port", "The ferry leaves from the New Port. Its passengers come from Newport."),
    ("axes", "axe", "Label both axes of the plot. The picture shows a woodcutter with his axe."),
    ("the Economist", "an economist", "I read it in the Economist. It was written by an economist."),
    ("Turkey", "turkey", "He ate a turkey while he was in Turkey."),
    (
        "heavy metal-detector",
        "heavy-metal detector",
        "He carried a heavy metal-detector. They bought a heavy-metal detector for lead.",
    ),
    ("the boss's letter", "the bosses' letter", "The boss's letter came first. The bosses' letter came later."),
    ("sister company", "sister's company", "It is a sister company of the buyer. Her sister's company bid as well."),
    ("Polish USB lamp", "polish USB lamp", "Our Polish USB lamp is new. The polish USB lamp is old."),
    ("Polish remover", "polish remover", "Our Polish remover carried the piano. The polish remover leaked."),
    (
        "J. Brennan",
        "Joan Brennan",
        "Joan Brennan wrote about parking, and her brother James, who signs as J. Brennan, about noise.",
    ),
]

WHY = ("two words", "two persons of one family", "a proper name and a common noun")


@pytest.mark.parametrize(("one", "other", "text"), TWO_WHERE_THE_TEXT_HAS_BOTH)
def test_two_where_the_text_has_both_and_one_where_it_has_not(one: str, other: str, text: str) -> None:
    for name, expected in ((one, other), (other, one)):
        for known, state in ((text, "unmatched"), ("Nothing of it.", None)):
            index = NameIndex([Named(expected, ())], (), NameRule(), SourceText(known))
            found = match_names([name], index)[0].state
            assert found == state if state else found in ("exact", "fuzzy")
        if name.lower() != expected.lower():
            assert compare(name, expected, known=SourceText(text)).why_not in WHY


@pytest.mark.parametrize(
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
def test_a_text_that_spells_one_thing_in_two_ways(one: str, other: str, text: str) -> None:
    assert compare(one, other, known=SourceText(text)).same
