"""Whether two spellings are one word: a slip of the writer, or another word.

The kinds of slip are those of F. J. Damerau, "A technique for computer detection and correction of spelling errors",
CACM 7(3), 1964. How often each is one was measured, by kind and place of the edit, on the 34,000 misspellings of
the package codespell 2.4 and on 15,000 pairs of English words one letter apart (Wiktionary lemmas). Doubled or halved
letters, swapped neighbours, and letters lost or added inside a word are slips five to twenty times as often as other
words; a changed first or last letter is another word ten to fifty times as often as a slip. The word list decides
before the edits do: two words of it are two.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA, Levenshtein

from row3.matching.lexicon.lists import listed, lists, words
from row3.matching.lexicon.vocabulary import is_listed, is_word
from row3.matching.person.roles import is_name, is_of_persons

_LISTS = lists("english")
TWO_WORDS = "two words"

SHORTEST = 5
"""Letters of the shorter word below which nothing is a slip: short words have too many neighbours."""

VOWELS = frozenset("aeiouy")

NEAR = words("mn dt cs ct st cz ck cq ks fv gj hn kl rt as op iy ae ei eo io ai iu eu ao ou ey au pb")
"""Letters taken for one another: by sound, or by their place on the keyboard."""

ENDINGS = words(_LISTS["endings"])
"""Where two words part only in one of these they are two: methane and methene, Hansen and Hanson."""

AGENTS = {"er", "or"}
"""Endings of one sense, which the one word has and the other has not: conductor, not conducter."""

NAME_ENDS = listed(_LISTS["name_ends"])
"""Endings of names of places and families, which have many neighbours: Greenville and Grenville."""

_SKY = re.compile(r"sk(?:iy|ij|ii|yi|y|i)$")
"""Names of another script that are written in several ways: Zelenskiy, Zelensky."""
_HARD_C = re.compile("c(?![eih])")
_TWICE = re.compile(r"(.)\1+")
_SAID_ALIKE = frozenset("phfckquwyi")
"""Letters that only one of two spellings of a sound may have (`_sound`): a look that spares hearing most."""


class Edit(NamedTuple):
    """One edit that turns a word into a spelling of it."""

    kind: str
    """swap, double, halve, drop, add or change."""
    at: int
    """Letters of the word before it."""
    rest: int
    """Letters of the word after it."""
    letters: str
    """The letters concerned."""


def why_two(one: str, other: str, known: Container[str] = (), *, name: bool = False) -> str:
    """Why two differing tokens are two words; "" where one is a slip of the other.

    `known` are the words of the source text, which are spelt right. With `name` the tokens are of a person's name,
    which may be short and has few letters that tell: any one slip counts that makes no other known name.
    """
    if one > other:
        one, other = other, one
    if min(len(one), len(other)) < (3 if name else SHORTEST) or not (one.isalpha() and other.isalpha()):
        return "short words and codes are never taken for one another"
    return _why_two(one, other, one in known, other in known, name)


@lru_cache(maxsize=4096)
def _why_two(one: str, other: str, one_known: bool, other_known: bool, name: bool) -> str:
    """`why_two` of words long enough; cached, since repeats and the two sides of a comparison make the same slips."""
    if _SKY.sub("sky", one) == _SKY.sub("sky", other):
        return ""
    is_right = is_name if name else is_word
    one_right, other_right = one_known or is_right(one), other_known or is_right(other)
    if one_right and other_right:
        return TWO_WORDS
    if not one_right and not other_right:
        good = _inside(one, other, name=name)
    else:
        word, slip = (one, other) if one_right else (other, one)
        good = _of_a_name(word, slip) if name else _likely(word, slip) and not _two_places(word, slip)
    return "" if good else "more than a slip of spelling"


def _of_a_name(word: str, slip: str) -> bool:
    """One slip, or two in a long name; not one that makes an ending of another name: Fernand, Fernando."""
    done = edits(word, slip)
    if len(done) > (1 if len(word) < 8 else 2):
        return False
    return all(edit.kind == "swap" or _may_slip(word, edit) for edit in done)


def _may_slip(word: str, edit: Edit) -> bool:
    if edit.rest == 0 and not _TELLING.isdisjoint(edit.letters):
        return False
    if edit.kind != "change":
        return len(word) > 3
    return len(word) >= SHORTEST and (edit.at > 0 or is_of_persons(word))


_TELLING = frozenset("aeiosy")
"""Letters at the end of a name that make another: a woman's name, a plural."""


_INNER = ("swap", "double", "halve")
_INNER_OF_A_NAME = (*_INNER, "drop", "add")


def _inside(one: str, other: str, *, name: bool) -> bool:
    """Of two spellings that no list knows one is a slip of the other: neighbours changed places inside, or in the name
    of a person a letter is lost or added there."""
    done = edits(one, other)
    if name and len(done) == 1 and done[0].kind == "change" and min(len(one), len(other)) > 5:
        return VOWELS.issuperset(done[0].letters) and done[0].at > 0 and done[0].rest > 1
    kinds = _INNER_OF_A_NAME if name and len(one) > 5 else _INNER if min(len(one), len(other)) > 8 else _INNER[:1]
    return len(done) == 1 and done[0].kind in kinds and done[0].at > 0 and (done[0].rest > 0 or len(one) > 6)


def _two_places(word: str, slip: str) -> bool:
    """Two names with endings of names, in which a letter is lost, added or another."""
    if not (word.endswith(NAME_ENDS) and slip.endswith(NAME_ENDS)):
        return False
    done = [edit for edit in edits(word, slip) if edit.kind != "swap"]
    # A plural tells a noun (skeleton, comparison); hardly anybody slips in the second letter of one.
    return bool(done) and (done[0].at < 2 or not is_listed(word + "s"))


@lru_cache(maxsize=1024)
def edits(word: str, slip: str) -> tuple[Edit, ...]:
    """The fewest edits from a word to a spelling, neighbours swapped counting as one."""
    result: list[Edit] = []
    ops = [(op.tag, op.src_pos, op.dest_pos) for op in Levenshtein.editops(word, slip)]
    swapped = OSA.distance(word, slip) < len(ops)
    at = 0
    while at < len(ops):
        tag, i, j = ops[at]
        rest = len(word) - i - 1
        if swapped and _is_swap(word, slip, i, j):
            result.append(Edit("swap", i, rest - 1, word[i : i + 2]))
            at += 2
            continue
        if tag == "delete":
            letter = word[i]
            twice = letter in (word[i - 1 : i], word[i + 1 : i + 2])
            result.append(Edit("halve" if twice else "drop", i, rest, letter))
        elif tag == "insert":
            letter = slip[j]
            twice = letter in (word[i - 1 : i], word[i : i + 1])
            result.append(Edit("double" if twice else "add", i, rest + 1, letter))
        else:
            result.append(Edit("change", i, rest, "".join(sorted(word[i] + slip[j]))))
        at += 1
    return tuple(result)


def _is_swap(word: str, slip: str, i: int, j: int) -> bool:
    return (
        i + 1 < len(word) and j + 1 < len(slip) and word[i] != word[i + 1]
        and word[i] == slip[j + 1] and word[i + 1] == slip[j]
    )  # fmt: skip


def _likely(word: str, slip: str) -> bool:
    """A spelling that is no word may be a slip of one that is."""
    done = edits(word, slip)
    if len(done) <= (1 if len(word) < 9 else 2) and all(_is_likely(word, slip, edit) for edit in done):
        return True
    if len(word) < 7 or word[0] != slip[0]:
        return False
    return _SAID_ALIKE.issuperset(set(word).symmetric_difference(slip)) and _sound(word) == _sound(slip)


def _is_likely(word: str, slip: str, edit: Edit) -> bool:
    kind, at, rest, letters = edit
    size = len(word)
    if at == 0:
        return False
    if kind == "swap":
        return True
    if kind in ("double", "halve"):
        return rest > 0
    vowel = VOWELS.issuperset(letters)
    if size < (8 if kind == "change" else 6 if vowel else 7):
        return False
    if kind == "drop":
        return rest > 0 or letters in "etghmkl"
    if kind == "add":
        return at > 1 and rest > 0
    if letters not in NEAR or at < (1 if vowel and size > 8 else 2) or rest == 0:
        return False
    if rest < 3 and (ends := {word[at:], slip[-rest - 1 :]}) <= ENDINGS and ends != AGENTS:
        return False
    return rest > 2 or vowel or letters in ("dt", "mn", "cs", "ck")


def _sound(token: str) -> str:
    """One spelling for what is said in one way: ph and f, ck and k, y and i, single and double letters."""
    for by, sign in (("ph", "f"), ("ck", "k"), ("qu", "kw"), ("y", "i")):
        token = token.replace(by, sign)
    return _TWICE.sub(r"\1", _HARD_C.sub("k", token))


_GIVEN_SOUNDS = (("ph", "f"), ("th", "t"), ("ck", "k"), ("ch", "k"), ("aw", "au"), ("y", "i"), ("z", "s"))


def said_alike(one: str, other: str) -> bool:
    """Two given names are one to the ear: Catherine and Katherine, Stephanie and Stefanie, Mathew and Matthew."""
    return min(len(one), len(other)) > 2 and _heard(one) == _heard(other)


def _heard(token: str) -> str:
    for by, sign in _GIVEN_SOUNDS:
        token = token.replace(by, sign)
    return _TWICE.sub(r"\1", _HARD_C.sub("k", token))
