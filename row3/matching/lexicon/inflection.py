"""Reduce a word to one form: singular, American spelling, no accents, small numerals as digits."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from row3.matching.lexicon.lists import lists, pairs
from row3.matching.lexicon.words import ACCENTED, GREEK, INVARIANT, NUMERALS, PLURALS, SPELLINGS

_LISTS = lists("english")
CYRILLIC = pairs(_LISTS["cyrillic"]) | dict.fromkeys("ъь", "")
"""BGN/PCGN romanization (1947), without its apostrophes."""
LETTERS = str.maketrans(pairs("ø o đ d ł l æ ae œ oe ð d þ th ı i ħ h") | GREEK | CYRILLIC)
"""Letters that Unicode does not decompose. Greek letters become their names (`TNF-α`, `TNF-alpha`)."""

UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ø": "oe", "Ø": "Oe"})
UMLAUTS |= str.maketrans({"å": "aa", "Å": "Aa"})

MEN = ("women", "smen", "emen", "rmen")
"""Endings of plurals in -men, unlike specimen and abdomen."""

IN_SS = ("canvass",)
"""Words in -ss that are not genitives of words in -s."""

_NOT_PLURAL = r"(?:ss|is|ics|^.{0,2}s|.*\d.*)$|(?<!^[^aeiouy]{2})us$"  # glass, physics, dns, virus
_GREEK = f"(?:{_LISTS['plurals_in_ses'].replace(' ', '|')})$"  # hypotheses -> hypothesis
_US = r"(?<![ao])(?<!f)(?<!b)(?<!c)uses$"
_ENDING = r"(?=(?:ed|ing|er|or|ous)$)"
_AMERICAN = (
    ("is", r"(?<=[a-z]{2})is(?=(?:e|ed|er|able|ably|ing|ingly|ement|ation|ational|ability)$)", "iz"),  # organise
    ("ys", r"(?<=[a-z]l)ys(?=(?:e|ed|er|ing)$)", "yz"),  # analyse
    ("our", r"(?<=[a-z]{3})our(?=(?:ed|ing|al|able|ably|ite|itism|hood|less|ful|ism|ist|er|y)?$)", "or"),  # behaviour
    ("re", r"(?<=[a-z]{2}[tv])re(?=d?$)|(?<=[a-z][ai]b)re(?=d?$)", "er"),  # centre, fibre
    ("ogue", r"(?<=[a-z]{4})ogue$", "og"),  # catalogue
    ("ll", r"(?<=[aeiouy][^aeiouy])([ae])ll" + _ENDING, r"\1l"),  # modelling
    ("ll", r"(?<=[aeiouy][^aeiouy]{2})([aei])ll" + _ENDING, r"\1l"),  # cancelled
    ("aem", r"aem(?=[aio])", "em"),  # anaemia
    ("ae", r"ae(?=st[hi]|tiol|sar[ei]|siu|col|olog|oli|ont)|(?<=p)ae(?=d)|(?<=di)ae(?=v)|(?<=f)ae(?=c)", "e"),
    ("oe", r"^oe(?=st|de|so|no)|(?<=f)oe(?=t)|(?<=rrh)oe(?=a)|(?<=am)oe(?=b)|(?<=hom)oe(?=o)|(?<=c)oe(?=li|lo)", "e"),
    ("oeuv", r"oeuv", "euv"),
    ("euvre", r"euvre", "euver"),
    ("sulph", r"sulph", "sulf"),
)
"""Letters without which nothing changes, the pattern of what is British, and what replaces it."""

_MAY_BE_BRITISH = re.compile("is[eai]|lys|our|[tvb]re|gue|[aei]ll|[ao]e|sulph")
"""Matches every word that a pattern above may change; it excludes nine words in ten."""
_MAY_CHANGE = re.compile(f"{_MAY_BE_BRITISH.pattern}|men$").search
_IRREGULAR = PLURALS.keys() | SPELLINGS.keys() | NUMERALS.keys()


def unaccented(token: str) -> str:
    """Remove accents from a casefolded token: `é` -> `e`, `ø` -> `o`."""
    if token.isascii() or token in ACCENTED:
        return token
    bare = "".join(char for char in unicodedata.normalize("NFD", token) if not unicodedata.combining(char))
    return bare.translate(LETTERS)


def singular(token: str) -> str:
    """Return the singular of a lower-case plural, or any other token unchanged."""
    known = PLURALS.get(token)
    if known is not None:
        return known
    if token.endswith(MEN):
        return token[:-2] + "an"
    if token.endswith("ss"):
        # A genitive that lost its apostrophe: Gauss's law, Charles's law.
        if token.endswith("sss") or (len(token) > 4 and token not in IN_SS and token[:-1] in INVARIANT):
            return token[:-1]
        return token
    if token[-1:] != "s" or token in INVARIANT or re.search(_NOT_PLURAL, token):
        return token
    stem = token[:-2]
    if token.endswith("ies") and len(token) > 4:
        return token[:-3] + "y"
    if re.search(_GREEK, token):
        return stem + "is"
    if len(token) > 5 and re.search(_US, token):
        return stem
    if token.endswith(("sses", "xes", "ches", "shes", "zzes")) or (token.endswith("oes") and len(token) > 5):
        return stem
    return token[:-1]


def american(token: str) -> str:
    """Return one form for the British and American spelling of a lower-case word.

    The result need not be a word ("advize"), but no other word may have it.
    """
    known = SPELLINGS.get(token)
    if known is not None:
        return known
    if len(token) > 4 and _MAY_BE_BRITISH.search(token):
        for letters, pattern, by in _AMERICAN:
            if letters in token:
                token = re.sub(pattern, by, token)
    return token


@lru_cache(maxsize=8192)
def token_form(token: str) -> str:
    """Return the form of one normalised token: no accents, singular, American, small numerals as digits.

    Idempotent.
    """
    if token[-1:] != "s" and token.isascii() and token not in _IRREGULAR and not _MAY_CHANGE(token):
        return token
    form = unaccented(token)
    for _ in range(8):
        before = form
        form = NUMERALS.get(form) or american(singular(form))
        if form == before:
            break
    return form
