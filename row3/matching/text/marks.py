"""Marks that tell two names apart whose words are the same: the case of a unit or formula, the legal form."""

from __future__ import annotations

import re
from itertools import accumulate

from row3.matching.lexicon.inflection import singular
from row3.matching.lexicon.lists import words
from row3.matching.lexicon.phrases import COMPANY_ENDS
from row3.matching.lexicon.vocabulary import is_word
from row3.matching.lexicon.words import NUMERALS, TENS
from row3.matching.normalise import normalise
from row3.matching.text.in_text import SHORT_AND_WORD, two_by_text, two_shouted, two_written
from row3.matching.value.numbers import SCALES
from row3.matching.value.signs import TWO_SIGNS, two_signs

_QUANTITY = re.compile(r"\d\s?([A-Za-zµμ]{1,4})\b")
_ONE_FORM = {
    "limited": "ltd",
    "incorporated": "inc",
    "corporation": "corp",
    "company": "co",
    "aktiengesellschaft": "ag",
}


ELEMENTS = words(
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au "
    "Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts "
    "Og"
)
"""Symbols of the chemical elements."""
_FORMULA = re.compile(r"(?:[A-Z][a-z]?\d*)+")
_ATOM = re.compile(r"[A-Z][a-z]?")
_SHOUTED = re.compile(r"[A-Z]{2}")
_TELLING = re.compile(r"[A-Z]{2}|[A-Z]\*|[\d¼-¾⅐-⅞]|\w[-−⁻](?!\w)")
"""Without one of these in either, two names are no two units, codes or numbers with a sign."""
_DOTTED = re.compile(r"(?<!\w)\.[A-Z]{2,}")
"""`.NET`"""
_SHORT_PAIR = 8
"""Characters of two names below which they may be symbols: Mg, mg."""
_STAR = re.compile(r"\b(?:[A-Z]|[IVX]+)\*")


def two_by_case(one: str, other: str) -> bool:
    """Two names that only normalising makes equal: `CO` and `Co`, `WHO` and `who`, `A*` and `A`."""
    if _STAR.findall(one) != _STAR.findall(other) or _DOTTED.findall(one) != _DOTTED.findall(other):
        return True
    spelt, spelt2 = one.split(), other.split()
    if len(spelt) != len(spelt2):
        return False
    if len(spelt) == 1:
        shouted, said = sorted((one, other))
        if shouted.isupper() and said.islower():
            return said in SHORT_AND_WORD
        if len(one) < 4 and _two_cased_units(one, other):
            return True
    elif one.isupper() or other.isupper():
        return False
    return any(word != word2 and _two_formulas(word, word2) for word, word2 in zip(spelt, spelt2, strict=True))


def _two_formulas(one: str, other: str) -> bool:
    """Both are formulas, of other elements: carbon monoxide and cobalt."""
    if len(one) > 6 or one.lower() != other.lower() or not (_FORMULA.fullmatch(one) and _FORMULA.fullmatch(other)):
        return False
    atoms, atoms2 = _ATOM.findall(one), _ATOM.findall(other)
    return atoms != atoms2 and ELEMENTS.issuperset(atoms) and ELEMENTS.issuperset(atoms2)


def _two_cased_units(one: str, other: str) -> bool:
    from row3.matching.value.units import CASED

    first, second = CASED.get(one), CASED.get(other)
    if first is not None and second is not None:
        return first != second
    return (one in ELEMENTS and second is not None) or (other in ELEMENTS and first is not None)  # Mg, mg


def apart(one: str, other: str, text: str = "") -> str:
    """Why two names are two that normalising makes equal, as the text tells too; "" where they are one."""
    one, other = " ".join(one.split()), " ".join(other.split())
    both = f"{one} {other}"
    letters = both.isascii() and both.replace(" ", "").isalpha()  # as in most names, and seen at once
    if (_SHOUTED if letters else _TELLING).search(both) or len(both) < _SHORT_PAIR:
        if two_units(one, other):
            return "two units"
        if two_by_case(one, other):
            return "two codes"
        if two_signs(one, other):
            return TWO_SIGNS
        if text and two_shouted(one, other, text):
            return "two words"
    if "-" in one + other and (
        _DOER.findall(one) != _DOER.findall(other) or _LETTER.findall(one) != _LETTER.findall(other)
    ):
        return "two words"
    if "-" in one and "-" in other and _counted_otherwise(one, other):
        return "two numbers"
    return "two words" if text and (two_by_text(one, other, text) or two_written(one, other, text)) else ""


_DOER = re.compile(
    r"\b(?:man|woman|men|people|dog|cat|horse|cow|lion|bear|bird|boy|girl|child)-(?:eating|hunting|killing|loving|fearing)\b",
    re.IGNORECASE,
)
"""Who does it to whom hangs on the hyphen: a man-eating shark, a man eating shark."""
_LETTER = re.compile(r"^A-(?=[a-z])")
"""`A-level result`, a level result."""


def _counted_otherwise(one: str, other: str) -> bool:
    """Names in which a hyphen joins a number to another word: `twenty-four hour shifts`, `twenty four-hour shifts`.

    Before one thing it does not matter: `a 5 year-old child`, but not `5 year-old children`.
    """
    for low, low2 in ((one.casefold(), other.casefold()), (other.casefold(), one.casefold())):
        for hit in _BEFORE_HYPHEN.finditer(low):
            if _counts(hit[1]) and f"{hit[1]}-{hit[2]}" in low2:
                last = low.rpartition(" ")[2]
                return _counts(hit[2]) or (singular(last) != last and not last.endswith("olds"))
    return False


def _counts(word: str) -> bool:
    return word.isdigit() or word in NUMERALS or word in TENS or word in SCALES


_BEFORE_HYPHEN = re.compile(r"\b(\w{1,12}) (\w{1,12})-")


def two_units(one: str, other: str) -> bool:
    """Names that are equal but for the case of a unit after a number: `10 mW laser` and `10 MW laser`."""
    units = [_QUANTITY.findall(name) for name in (one, other)]
    if units[0] == units[1] or len(units[0]) != len(units[1]):
        return False
    from row3.matching.value.units import CASED

    known = [(CASED.get(a), CASED.get(b)) for a, b in zip(*units, strict=True)]
    return any(a is not None and b is not None and a != b for a, b in known)


def parted_elsewhere(one: str, other: str) -> bool:
    """Names of the same letters whose spaces part them into other words: `lighthouse keeping`, `light housekeeping`.

    Fewer spaces part no other words, but for one that stands behind a genitive: `man's laughter`, `manslaughter`.
    """
    spelt, spelt2 = normalise(one).split(), normalise(other).split()
    if len(spelt) == len(spelt2) == 1 or "".join(spelt) != "".join(spelt2):
        return False
    if ("-" in one) != ("-" in other):  # light-house keeping, light housekeeping
        joined, joined2 = (set(accumulate(map(len, normalise(name.replace("-", "")).split()))) for name in (one, other))
        if not (joined <= joined2 or joined2 <= joined):
            return True
    breaks, breaks2 = (set(accumulate(map(len, words))) for words in (spelt, spelt2))
    if not (breaks <= breaks2 or breaks2 <= breaks):
        return True
    return len(spelt) != len(spelt2) and any(_GENITIVE.search(name) for name in (one, other))


_GENITIVE = re.compile(r"\w['’]s \w")


def two_companies(one: str, other: str) -> bool:
    """Names of companies with two legal forms: `Merck KGaA` and `Merck & Co.`. One that is not told is no other."""
    first, second = _legal_forms(one), _legal_forms(other)
    return bool(first and second) and first.isdisjoint(second)


def is_company(name: str, noun: str) -> bool:
    """A name that is a common noun and legal forms: `Target Corp.`, and `target`."""
    rest = name.casefold().replace(",", " ").split()[1:]
    return is_word(noun) and all(word.replace(".", "") in COMPANY_ENDS for word in rest) and len(rest[0]) > 1


def _legal_forms(name: str) -> set[str]:
    """The legal forms that end a name, each in its short form: `Co., Ltd.` has two."""
    spelt = name.casefold().replace(",", " ").replace("&", " ").split()
    found: set[str] = set()
    while len(spelt) > 1 and spelt[-2] != "the":
        word = spelt[-1].replace(".", "").replace("/", "")
        if word not in COMPANY_ENDS or len(word) < 2:
            break
        found.add(_ONE_FORM.get(word, word))
        spelt.pop()
    return found
