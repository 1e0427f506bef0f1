"""Names that are one elsewhere, and two where their text uses both: China and bone china, the WHO and The Who."""

from __future__ import annotations

import re

from row3.matching.lexicon.inflection import plain
from row3.matching.lexicon.lists import lists, pairs, words

_LISTS = lists("english")

WITH_CAPITAL = words(_LISTS["with_capital"])
"""Words that are other words with a capital: Turkey and a turkey. Where a text has both, they are two."""

LONGEST = max(map(len, WITH_CAPITAL)) + len("the ")

ALWAYS_A_NAME = words("turkey china polish")
"""Those of which a capital tells where it begins a sentence too."""


TWO_SENSES = pairs(
    "metre meter storey story grey gray cheque check tyre tire kerb curb draught draft programme program"
)
"""Spellings of one word of which each has a sense of its own where it stands alone: a meter, two gray, a check."""

OTHER_IN_PLURAL = words("hive shingle draught dart checker minute spirit bellow brace")
"""Words whose plural is something else as well: hives on the skin."""

MASS = pairs("security securities damage damages custom customs glass glasses iron irons wood woods")
"""Words of which there is some, with plurals of which there are several: where a text counts none of the first."""

RIVERS_TOO = words(
    "mississippi missouri ohio colorado delaware tennessee arkansas illinois iowa minnesota wisconsin kansas niger "
    "senegal paraguay uruguay jordan potomac hudson"
)
"""Names of a state, a country or a person that are rivers with the article."""

SHORT_AND_WORD = words(
    "us who it aids led ram rest soap basic pet sad sat nice cobra dos dare pin cat act aid care mad ice arm"
)
"""Acronyms that are other words in small letters, where they are the whole name."""

FIRST_OF_TWO = words(
    "black blue green grey red white dark light hot cold warm wet dry high low big small long short hard soft sweet "
    "sour free fast loose over under on off out in up down any every some no"
)
"""Words that make another thing of the next one where no space parts them: a green house, a greenhouse."""


def two_by_text(one: str, other: str, text: str) -> bool:
    """Two words that a capital parts, with an article or without, where the text has both: `China` and bone `china`."""
    if " " in one and one[1:] == other[1:] and one[:1] != other[:1] and one.lower().partition(" ")[0] in ALWAYS_A_NAME:
        low, high = (one, other) if one[:1].islower() else (other, one)
        return low in text and re.search(_INSIDE + re.escape(high), text) is not None  # a Polish remover
    if len(one) > LONGEST or one[-2:] != other[-2:]:
        return False
    if _river_and_state(one, other, text):
        return True
    low, high = _ARTICLE.sub("", one), _ARTICLE.sub("", other)
    if low.lower() not in WITH_CAPITAL:
        return False
    if low[:1].isupper():
        low, high = high, low
    if high[1:] != low[1:] or not low.islower() or high[:1] == low[:1]:
        return False
    said, named = (re.search(rf"{before}{word}\b", text) for before, word in ((r"\b", low), (_INSIDE, high)))
    return said is not None and (named is not None or (low in ALWAYS_A_NAME and high in text))


def _river_and_state(one: str, other: str, text: str) -> bool:
    """`the Mississippi` and `Mississippi`, where the text has both."""
    bare, river = sorted((one, other), key=len)
    if bare.lower() not in RIVERS_TOO or river not in (f"the {bare}", f"The {bare}"):
        return False
    return all(re.search(rf"(?<!\w){form}\b", text) for form in (f"[Tt]he {bare}", rf"(?<![Tt]he ){bare}"))


_ARTICLE = re.compile(r"^(?:[Tt]he|[Aa]n?) ")
_INSIDE = r"(?<=[a-z,;] )"
"""Before a word that does not begin a sentence."""


def _two_in_writing(one: str, other: str, text: str) -> bool:
    """Names that look-up takes for one, and that a text which has both, letter by letter, uses for two.

    Symbols of one letter (`n` and `N`), possessives of one, of several and of none (`student's`, `students'`, a `sister
    company` and a sister's), two posts of one holder and of two (`the chairman and treasurer`, `the chairman and the
    treasurer`), `Newport` and the `New Port`, hyphens in other places.
    """
    low, low2 = one.lower(), other.lower()
    if not (
        (len(one) == 1 and low == low2)
        or (
            low != low2
            and _POSSESSIVE.sub("", low) == _POSSESSIVE.sub("", low2)
            and (_possessed(one) or _possessed(other))
        )
        or (
            "-" in one
            and "-" in other
            and low.replace("-", " ") == low2.replace("-", " ")
            and _joined_elsewhere(one, other)
        )
        or (low.replace(" and the ", " and ") == low2.replace(" and the ", " and ") and low != low2)
        or (low.replace("new ", "new") == low2.replace("new ", "new") and low != low2 and one[0] + other[0] == "NN")
    ):
        return False
    return one != other and _has_both(one, other, text)


_POSSESSIVE = re.compile(r"(?:(?:es|s)['’]|['’]s)(?= )")


def _possessed(name: str) -> bool:
    """A common noun has something, as a sister's company; of a proper name (Parkinson's disease) it may be dropped."""
    return re.search(r"(?<!\w)[a-z]\w*(?:['’]s|s['’]) ", name) is not None


def _joined_elsewhere(one: str, other: str) -> bool:
    """Hyphens join other words: a `heavy-metal detector`, a `heavy metal-detector`."""
    joints, joints2 = (
        {at for at, gap in enumerate(re.findall(r"[\s-]+", name.strip())) if "-" in gap} for name in (one, other)
    )
    return bool(joints and joints2) and joints.isdisjoint(joints2)


def _has_both(one: str, other: str, text: str) -> bool:
    """The text has both, letter by letter but for a capital that begins a sentence."""
    return all(
        re.search(rf"(?<!\w)(?:{re.escape(name)}|(?<![\w,;] ){re.escape(name[:1].upper() + name[1:])})(?!\w)", text)
        for name in (one, other)
    )


def two_written(one: str, other: str, text: str) -> bool:
    """Names that look-up or form takes for one and that the text has both, letter by letter: Münster and Munster.

    They part in accents or quotation marks alone, or as `_two_in_writing` says.
    """
    if _two_in_writing(one, other, text):
        return True
    if one == other or (one.isascii() and other.isascii() and '"' not in one + other):
        return False
    low, low2 = one.casefold(), other.casefold()
    if low != low2 and plain(low) == plain(low2):
        return all(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in (one, other))
    for title, words_ in ((one, other), (other, one)):
        if _TITLE.fullmatch(title) and not _TITLE.fullmatch(words_) and words_.islower() and title not in words_:
            return title in text
    return False


_TITLE = re.compile(r"[\"“«„].+[\"”»“]")


def two_shouted(one: str, other: str, text: str) -> bool:
    """Names that part in the capitals of one word, which are an acronym and a word that the text has both: WHO, Who."""
    spelt, spelt2 = ([word for word in name.split() if word.lower() != "the"] for name in (one, other))
    if len(spelt) != len(spelt2):
        return False
    for word, word2 in zip(spelt, spelt2, strict=True):
        if (
            word.isupper() != word2.isupper()
            and word.lower() == word2.lower()
            and word.lower() in SHORT_AND_WORD
            and all(re.search(rf"\b{form}\b", text) for form in (word, word2))
        ):
            return True
    return False


KIN = (
    "son|daughter|father|mother|brother|sister|wife|husband|nephew|niece|uncle|aunt|cousin|"
    "grandson|granddaughter|grandfather|grandmother|namesake"
)


def relatives(one: str, other: str, text: str) -> bool:
    """The text has both persons, one of them as somebody's kin: John Adams, and his son John Quincy Adams."""
    return (
        one in text
        and other in text
        and one != other
        and re.search(rf"\b(?:{KIN}),? (?:{re.escape(one)}|{re.escape(other)})\b", text) is not None
    )


def side_by_side(one: str, other: str, text: str) -> bool:
    """The same words in two orders, which the text names together: Anselm Gregor from Linz and Gregor Anselm."""
    if one == other or sorted(one.split()) != sorted(other.split()):
        return False
    return any(
        re.search(rf"{re.escape(first)}\b[^.;]{{0,60}}\band {re.escape(second)}\b", text)
        for first, second in ((one, other), (other, one))
    )


def of_another(one: str, other: str, text: str) -> bool:
    """An initial that the text has for somebody else: her brother James, of `J. Brennan` and `Joan Brennan`."""
    for short, full in ((one, other), (other, one)):
        initial, given = _INITIAL.match(short), _GIVEN.match(full)
        if initial is None or given is None or initial[2] != given[2] or initial[1] != given[1][0]:
            continue
        kin = {hit[1] for hit in re.finditer(rf"\b(?:{KIN}),? ([A-Z][^\W\d_]+)", text)}
        if any(name[0] == initial[1] and name != given[1] for name in kin):
            return True
    return False


_INITIAL = re.compile(r"([A-Z])\.? ([A-Z][^\W\d_]+)$")
_GIVEN = re.compile(r"([A-Z][^\W\d_]+) ([A-Z][^\W\d_]+)$")


def two_spellings(one: str, other: str, text: str) -> bool:
    """Two spellings of one form, each with a sense of its own, where the text has both: `metre`, gas `meter`."""
    if _mass_and_plural(one.lower(), other.lower(), text) or _axe_and_axes(one.lower(), other.lower(), text):
        return True
    stem = one.lower().removesuffix("s")
    if one.lower() != other.lower() and stem in OTHER_IN_PLURAL and stem == other.lower().removesuffix("s"):
        return all(re.search(rf"\b{form}\b", text, re.IGNORECASE) for form in (stem, f"{stem}s"))
    one, other = _ARTICLE.sub("", one), _ARTICLE.sub("", other)
    low, low2 = sorted((one.lower().removesuffix("s"), other.lower().removesuffix("s")), key=len)
    if " " not in low2:
        senses = {low, low2}
        return any(senses == {sense, sense2} for sense, sense2 in TWO_SENSES.items()) and all(
            _has(text, sense) for sense in senses
        )
    if "storey" in low2 and low == low2.replace("storey", "story"):  # the second storey, the second story of a book
        return _has(text, low) and _has(text, low2)
    return (
        low == low2.replace(" ", "", 1)
        and low2.partition(" ")[0] in FIRST_OF_TWO
        and _has(text, low)
        and _has(text, low2)
    )


def _mass_and_plural(one: str, other: str, text: str) -> bool:
    """A word that is a substance or the like, and a plural that is something else: security, securities."""
    word, plural = sorted((one, other), key=len)
    if MASS.get(word) != plural:
        return False
    counted = re.search(rf"\b(?:an?|each|every|any|one|per|this|that|the) (?:\w+ )?{word}\b", text, re.IGNORECASE)
    return counted is None and _has(text, word) and re.search(rf"\b{plural}\b", text, re.IGNORECASE) is not None


def _axe_and_axes(one: str, other: str, text: str) -> bool:
    """`axe` and the `axes` of a plot, where the text has both."""
    if {one, other} != {"axe", "axes"}:
        return False
    told = re.search(r"\b(?:axis|plot|graph|chart|diagram|coordinates?)\b", text, re.IGNORECASE)
    return told is not None and _has(text, "axe") and re.search(r"\baxes\b", text, re.IGNORECASE) is not None


def _has(text: str, word: str) -> bool:
    """The text has a word or its plural, however it is written."""
    return re.search(rf"\b{re.escape(word)}s?\b", text, re.IGNORECASE) is not None
