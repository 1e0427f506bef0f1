"""Veto fuzzy matches of names that differ in more than spelling.

A similarity says how many letters two names share, not which. Here every pair of differing tokens has to be a slip of
spelling (see `slips`). Numbers, codes, short words and extra words never are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import NamedTuple

from row3.matching.lexicon.inflection import singular, unaccented
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.words import FUNCTION_WORDS
from row3.matching.normalise import normalise
from row3.matching.person.persons import Person
from row3.matching.person.roles import is_given
from row3.matching.variant.forms import APART, form_parts
from row3.matching.word.slips import DIFFERENT_WORDS, sound_alike, word_difference

_LISTS = lists("english")

PREFIXES = words(_LISTS["prefixes"])
"""Prefixes of stems. Words that differ only in their prefix, which may be missing, are different words."""

OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _LISTS["opposites"].split())
"""Pairs of prefixes that form opposites; one may be ""."""

NEGATIONS = words("not no non without never neither nor un anti")
"""Words that negate the rest of a name."""
CONTEXT = 2
"""Equal words that show which word a slip is of: a `Counsil` alone is rarely, a `New York City Counsil` always it."""


def split_common_ending(one: str, other: str) -> tuple[str, str, str]:
    """Return what precedes the longest common ending in each word, and that ending."""
    size = 0
    while size < min(len(one), len(other)) and one[-1 - size] == other[-1 - size]:
        size += 1
    return one[: len(one) - size], other[: len(other) - size], one[len(one) - size :]


@lru_cache(maxsize=4096)
def opposite(one: str, other: str) -> str:
    """Return "opposites" or "different prefixes" for words that differ only in their prefix, else ""."""
    head, head2, stem = split_common_ending(one, other)
    # The prefixes may end in common letters: hyper- and hypo-, inter- and intra-.
    for _ in range(4):
        if len(stem) > 2 and (head in PREFIXES or not head) and (head2 in PREFIXES or not head2) and head != head2:
            return "opposites" if frozenset((head, head2)) in OPPOSITES else "different prefixes"
        if not stem:
            break
        head, head2, stem = head + stem[0], head2 + stem[0], stem[1:]
    return ""


Words = tuple[tuple[str, str], ...]
"""The words of a name as spelt, each with its form."""


class _Tokens(NamedTuple):
    """The tokens of a name without article and company suffix."""

    spelt: tuple[str, ...]
    """Tokens as spelt, without accents."""
    forms: tuple[str, ...]
    codes: tuple[str, ...]
    """Forms that contain a digit or symbol, sorted."""


@lru_cache(maxsize=1024)
def _tokens(name: str) -> _Tokens:
    spelt, forms = form_parts(normalise(name))
    codes = () if "".join(forms).isalpha() else tuple(sorted([form for form in forms if not form.isalpha()]))
    return _Tokens(tuple([unaccented(word) for word in spelt]), forms, codes)


def contradict(a: str, b: str, known: Container[str] = ()) -> str | None:
    """Return why two similar names differ, or None if they differ only by slips of spelling. Symmetric.

    `known` holds the normalised words of the source text, which count as spelt correctly. Takes about 10 µs, more for
    the first pair that needs the word list.
    """
    (spelt_a, forms_a, codes_a), (spelt_b, forms_b, codes_b) = _tokens(a), _tokens(b)
    if forms_a == forms_b:
        return None
    if codes_a != codes_b:
        one, other = Counter(codes_a), Counter(codes_b)
        if any(APART in code for code in (one - other) + (other - one)):
            return "the space changes the meaning"
        return f"numbers or codes differ: {_listed(one - other)} / {_listed(other - one)}"
    if len(forms_a) == len(forms_b) and sorted(forms_a) == sorted(forms_b):
        return "different word order"
    words_a, words_b = tuple(zip(spelt_a, forms_a, strict=True)), tuple(zip(spelt_b, forms_b, strict=True))
    if len(words_a) != len(words_b):
        words_a, words_b = _content(words_a), _content(words_b)
    if len(words_a) != len(words_b):
        return _extra(words_a, words_b)
    return contradict_words(words_a, words_b, known) or None


def contradict_words(a: Iterable[tuple[str, str]], b: Iterable[tuple[str, str]], known: Container[str] = ()) -> str:
    """Return why equally many words, each with its form, differ by more than slips, else ""."""
    pairs = list(zip(a, b, strict=True))
    left = [(one[0], other[0]) for one, other in pairs if one[1] != other[1]]
    shared = [one for one, other in pairs if one[1] == other[1] and one[1] not in FUNCTION_WORDS]
    context = len(left) == 1 and len(shared) >= CONTEXT
    reasons = (token_difference(*words, known, context=context) for words in left)
    return next(filter(None, reasons), "")


def token_difference(a: str, b: str, known: Container[str] = (), *, context: bool = False) -> str:
    """Return why two tokens are different words, naming them; "" if one is a slip of the other."""
    reason = word_difference(a, b, known, context=context)
    if reason not in ("", DIFFERENT_WORDS) and (singular(a) != a) != (singular(b) != b):
        # One is a plural: look for the slip in the singular (`algoritms`).
        reason = word_difference(singular(a), singular(b), known, context=context)
    if not reason:
        return ""
    if negation := NEGATIONS & {a, b}:
        return f"negated: {min(negation)}"
    return f"{opposite(a, b) or reason}: {a} / {b}"


def person_difference(one: Person, other: Person, known: Container[str] = ()) -> str:
    """Return why similar names are two persons', or "" if they differ by one or two slips."""
    a, b = one.given + one.surname, other.given + other.surname
    sexes = {one.sex, other.sex} - {""} if one.titles or other.titles else set()
    if len(a) != len(b) or one.generation != other.generation or len(sexes) > 1:
        return "different persons with the same surname" if one.surname == other.surname else "different persons"
    # Surname last or first, as in East Asia and in lists.
    reasons = [_name_difference(a, turned, known) for turned in dict.fromkeys((b, b[1:] + b[:1], b[-1:] + b[:-1]))]
    return "" if "" in reasons else reasons[0]


def _name_difference(a: tuple[str, ...], b: tuple[str, ...], known: Container[str]) -> str:
    """Return why two names, surname last, differ word by word; "" for one or two slips."""
    if min(len(a[-1]), len(b[-1])) == 1:
        return "a surname and an initial"
    slips = 0
    for word, word2 in zip(a, b, strict=True):
        initial = min(len(word), len(word2)) == 1 and word[0] == word2[0]
        if word == word2 or initial:
            continue
        slips += 1
        reason = word_difference(word, word2, known, name=True)
        if reason and not ((is_given(word) or is_given(word2)) and sound_alike(word, word2)):
            return f"{reason}: {word} / {word2}"
    return "" if 0 < slips < 3 else "different persons"


def _listed(codes: Counter[str]) -> str:
    return " ".join(sorted(codes)) or "none"


def _content(words: Words) -> Words:
    """Return the words that are not function words."""
    return tuple(word for word in words if word[1] not in FUNCTION_WORDS)


def _extra(a: Words, b: Words) -> str:
    """Return the reason for names of different length: the words that only one has."""
    one, other = Counter(form for _, form in a), Counter(form for _, form in b)
    more = sorted((one - other) + (other - one))
    negation = [word for word in more if word in NEGATIONS]
    return f"negated: {negation[0]}" if negation else f"extra words: {' '.join(more[:4])}"
