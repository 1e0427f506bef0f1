"""Similarity of descriptions, and positions of quotes in a document."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from rapidfuzz import fuzz

from row3.matching.lexicon.inflection import token_form, unaccented
from row3.matching.lexicon.lists import lists, words
from row3.matching.lexicon.words import FUNCTION_WORDS
from row3.matching.normalise import normalise, normalise_text
from row3.matching.text.quotes import find_words
from row3.matching.value.values import with_values
from row3.matching.variant.forms import form_key


@lru_cache(maxsize=1)
def _groups() -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(lists("contrasts")["contrasts"].split("/")):
        for word in group.split():
            found.setdefault(token_form(word), set()).add(number)
    return found


def exclusive(one: str, other: str) -> bool:
    """Return whether one of two different lower-case words excludes the other, in any number and spelling."""
    groups, groups_of_other = (_groups().get(token_form(unaccented(word)), set()) for word in (one, other))
    return bool(groups & groups_of_other)


DIGITS = re.compile(r"\d+")
LIGHT = FUNCTION_WORDS | words("a an to in on for at by with is are was were be will we our it its")
"""Words that a description may have or lack without saying anything else."""


@lru_cache(maxsize=8192)
def description_key(text: str) -> str:
    """Return the base forms of a description's words, with values normalised and without light words."""
    spelt = normalise(with_values(text)).split()
    return " ".join([form_key(word).lstrip("=") or word for word in spelt if word not in LIGHT])


def description_similarity(one: str, other: str) -> float:
    """Return how much two descriptions say the same, in [0, 1]: the mean of two similarities of their words.

    rapidfuzz's token sort ratio compares all words in any order, its token set ratio the words they share. So a
    description with one more detail is similar to the shorter one, but less than an equal one. A contradiction (18 and
    12, May and June, yes and no) halves a similarity above 0.5: it is otherwise said in the same words.
    """
    a, b = description_key(one), description_key(other)
    if not a or not b:
        return 0.0
    alike = (fuzz.token_sort_ratio(a, b) + fuzz.token_set_ratio(a, b)) / 200.0
    return alike / 2 if alike > 0.5 and (contradicts(one, other) or contradicts(other, one)) else alike


def contradicts(one: str, other: str, said: Collection[str] = ()) -> bool:
    """Return whether two descriptions differ in a number, a negation or an exclusive word.

    `said` holds the words (see `description_key`) of the passage that reports the event described by `other`, and of
    names: what they say too is no contradiction.
    """
    given, expected = set(description_key(one).split()), set(description_key(other).split())
    numbers, others = _numbers(given), _numbers(expected)
    if {kind for kind, _ in numbers - others - _numbers(said)} & {kind for kind, _ in others - numbers}:
        return True
    negated, denied = bool(given & _NEGATIONS), bool(expected & _NEGATIONS)
    if negated > denied and (expected <= given or _NEGATIONS.isdisjoint(said)):
        return True
    if negated < denied and not _acts("denials", given):
        return True
    left, right = (given - expected).difference(said), expected - given
    return any(exclusive(word, rival) for word in left for rival in right)


def other_act(one: str, other: str, said: Collection[str], names: Collection[str]) -> bool:
    """Return whether a description says an act that is not the other's, nor the passage's, in place of that.

    The first act that only one says is the opposite of the first that only the other says; or it denies; or both begin
    with an act, and no act is in both.
    """
    given, expected = _without_light(one), _without_light(other)
    extra = [word for word in given if _acts("acts", [word]) and not _stated(word, [*expected, *said])][:1]
    missing = [word for word in expected if _acts("acts", [word]) and not _stated(word, given)][:1]
    first = [[word for word in key if word not in names][:1] for key in (given, expected)]
    shared = _acts("acts", given) & _acts("acts", [*expected, *said])
    opposed = {number ^ 1 for number in _acts("acts", extra)} & _acts("acts", missing)
    if extra and first[0] == extra and _acts("denials", extra) and not _acts("denials", expected):
        return _NEGATIONS.isdisjoint(expected)
    return bool(extra and missing and (opposed or (not shared and first == [extra, missing])))


def tells(one: str, other: str, said: Collection[str], actor: Collection[str]) -> bool:
    """Return whether a description tells the act of another, and not just some act of the same passage.

    It says at least half, and two if there are two, of the words and values that the other shares with its passage
    `said`; or most of the other's. The actor's name counts for nothing: it is in all that an actor does.
    """
    given = _without_light(one)
    wanted = [word for word in dict.fromkeys(_without_light(other)) if word not in _NEGATIONS.union(actor)]
    shared = [word for word in wanted if _told(word, said)]
    told, most = (sum(_told(word, given) for word in words) for words in (shared, wanted))
    return told >= max(min(2, len(shared)), len(shared) / 2, 1) or 2 * most > len(wanted)


def _without_light(text: str) -> list[str]:
    return [word for word in description_key(text).split() if word not in _MODAL]


_NEGATIONS = words(lists("contrasts")["negations"])
_MODAL = words(lists("contrasts")["said_with_any_act"])
_KINDS = re.compile("(number|percent|money|date|quantity)valued")


def _numbers(key: Iterable[str]) -> set[tuple[str, tuple[str, ...]]]:
    """Return the values in the words of a key: kind and digits, of a date month and day; a range also as a whole."""
    found: set[tuple[str, tuple[str, ...]]] = set()
    for word in key:
        parts = _KINDS.split(word)
        if word.startswith("range"):
            found.add(("range", (word,)))
        for kind, text in zip(("number", *parts[1::2]), parts[::2], strict=True):
            if digits := DIGITS.findall(text):
                found.add((kind, tuple(digits[-2:])))
    return found


@lru_cache(maxsize=2)
def _forms(section: str) -> dict[str, set[int]]:
    """Return the groups of a list's verbs by their forms."""
    found: dict[str, set[int]] = {}
    sides = [side for group in lists("contrasts")[section].split("/") for side in (*group.split("|"), "")[:2]]
    for number, side in enumerate(sides):
        for verb in side.split():
            stem = verb.removesuffix("e")
            short = stem[:-1] + "i" if verb.endswith("y") else stem
            doubled, endings = stem + stem[-1], ("ing", "al", "ion", "ation", "ment")
            forms = [verb, f"{short}ed", f"{doubled}ed", f"{doubled}ing", f"{verb}ment", *map(stem.__add__, endings)]
            for form in forms:
                found.setdefault(token_form(form), set()).add(number)
    return found


def _acts(section: str, key: Iterable[str]) -> set[int]:
    return {number for word in key for number in _forms(section).get(word, ())}


def _stated(word: str, others: Iterable[str]) -> bool:
    """Return whether a word or another form of it is among others: its first letters, four or all but four, agree."""
    sizes = ((other, max(4, min(len(word), len(other)) - 4)) for other in others)
    return any(word[:size] == other[:size] for other, size in sizes)


def _told(word: str, others: Collection[str]) -> bool:
    """Return whether a word, another form of it, a verb of its act, or its value is among others."""
    if values := _numbers([word]):
        return bool(values & _numbers(others))
    return _stated(word, [other for other in others if "valued" not in other]) or bool(
        _acts("acts", [word]) & _acts("acts", others)
    )


def position_of(quote: str, text: str) -> tuple[int, int] | None:
    """Return start and end of a quote in a normalised text padded with spaces; None if it does not occur."""
    key = normalise_text(quote)
    at = find_words(key, text) if key else -1
    return None if at < 0 else (at, at + len(key))


def overlap(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Return the share of the shorter passage that lies in the other, in [0, 1]."""
    common = min(one[1], other[1]) - max(one[0], other[0])
    return max(0.0, common / min(one[1] - one[0], other[1] - other[0]))
