"""Decide whether two similar spellings are one word with a slip, or two words.

The kinds of slip are those of F. J. Damerau, "A technique for computer detection and correction of spelling errors",
CACM 7(3), 1964. Their frequencies, by kind and position, were measured on the 34,000 misspellings of the package
codespell 2.4 and on 15,000 pairs of English words one letter apart (Wiktionary lemmas). Doubled or halved letters,
swapped neighbours, and letters lost or added inside a word are 5 to 20 times as often slips as other words; a changed
first or last letter is 10 to 50 times as often another word. Two listed words are always different.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA, Levenshtein

from row3.matching.lexicon.lists import listed, lists, pairs, words
from row3.matching.lexicon.vocabulary import ORDINARY, frequency, is_listed, is_word
from row3.matching.person.roles import is_name, is_person_name

_LISTS = lists("english")
DIFFERENT_WORDS = "different words"

MIN_LENGTH = 5
"""Minimum length of the shorter word for a slip: shorter words have too many neighbours."""
COMMON = 10_000
"""Frequency above which an unknown spelling of a word is no other word: council, but not methane."""

VOWELS = frozenset("aeiouy")

CONFUSABLE = words("mn dt cs ct st cz ck cq ks fv gj hn kl rt as op iy ae ei eo io ai iu eu ao ou ey au pb")
"""Pairs of letters often confused by sound or keyboard position."""

ENDINGS = words(_LISTS["endings"])
"""Endings that distinguish words: methane and methene, Hansen and Hanson."""

AGENT_ENDINGS = {"er", "or"}
"""Endings of equal meaning, so that one is a slip of the other: conductor, conducter."""

NAME_ENDINGS = listed(_LISTS["name_ends"])
"""Endings of place and family names, which have many neighbours: Greenville and Grenville."""

_SKY = re.compile(r"sk(?:iy|ij|ii|yi|y|i)$")
"""Transliterations of one ending: Zelenskiy, Zelensky."""
_HARD_C = re.compile("c(?![eih])")
_TWICE = re.compile(r"(.)\1+")
_SOUND_LETTERS = frozenset("phfckquwyi")
"""Letters that may occur in only one of two spellings of a sound (`_sound`): a quick test."""


class Edit(NamedTuple):
    """One edit from a word to its misspelling."""

    kind: str
    """swap, double, halve, drop, add or change."""
    at: int
    """Number of letters before it."""
    rest: int
    """Number of letters after it."""
    letters: str
    """The letters edited."""


def word_difference(
    one: str, other: str, known: Container[str] = (), *, name: bool = False, context: bool = False
) -> str:
    """Return why two tokens are different words; "" if one is a slip of the other.

    `known` holds the words of the source text, which count as spelt correctly. With `name` the tokens are from a
    person's name, which may be shorter: any single slip counts unless it makes another known name. With
    `context`, more words of the two names are equal, and any inner edit of a known word counts; of an ordinary word
    also if that is shorter, of a common one also if the ending differs.
    """
    if one > other:
        one, other = other, one
    least = 3 if name else 4 if context else MIN_LENGTH
    if min(len(one), len(other)) < least or not (one.isalpha() and other.isalpha()):
        return "different short words or codes"
    return _word_difference(one, other, (one in known, other in known), name=name, context=context)


@lru_cache(maxsize=4096)
def _word_difference(one: str, other: str, known: tuple[bool, bool], *, name: bool, context: bool) -> str:
    """Compare long enough words for `word_difference`; cached, since slips recur."""
    if _SKY.sub("sky", one) == _SKY.sub("sky", other):
        return ""
    is_right = is_name if name else is_word
    one_right, other_right = known[0] or is_right(one), known[1] or is_right(other)
    if one_right and other_right:
        return DIFFERENT_WORDS
    if not one_right and not other_right:
        good = (name or len(one) >= MIN_LENGTH <= len(other)) and _is_inner_slip(one, other, name=name)
    else:
        word, slip = (one, other) if one_right else (other, one)
        probable = _is_name_slip if name else _is_inner_edit if context else _is_probable_slip
        good = probable(word, slip) and (name or not _are_two_names(word, slip))
    return "" if good else "more than a misspelling"


def _is_name_slip(word: str, slip: str) -> bool:
    """Return whether a name has one slip (two if long) that does not make another name: Fernand, Fernando."""
    done = edits(word, slip)
    if len(done) > (1 if len(word) < 8 else 2):
        return False
    return all(edit.kind == "swap" or _is_name_edit(word, edit) for edit in done)


def _is_name_edit(word: str, edit: Edit) -> bool:
    if edit.rest == 0 and not _DISTINCTIVE_FINALS.isdisjoint(edit.letters):
        return False
    if edit.kind != "change":
        return len(word) > 3
    return len(word) >= MIN_LENGTH and (edit.at > 0 or is_person_name(word))


_DISTINCTIVE_FINALS = frozenset("aeiosy")
"""Final letters that make another name: a woman's name, a plural."""

_INNER = ("swap", "double", "halve")
_INNER_OF_A_NAME = (*_INNER, "drop", "add")


def _is_inner_slip(one: str, other: str, *, name: bool) -> bool:
    """Return whether two unlisted spellings differ by one inner swap, or in a person's name by one inner letter."""
    done = edits(one, other)
    if name and len(done) == 1 and done[0].kind == "change" and min(len(one), len(other)) > 5:
        return VOWELS.issuperset(done[0].letters) and done[0].at > 0 and done[0].rest > 1
    kinds = _INNER_OF_A_NAME if name and len(one) > 5 else _INNER if min(len(one), len(other)) > 8 else _INNER[:1]
    return len(done) == 1 and done[0].kind in kinds and done[0].at > 0 and (done[0].rest > 0 or len(one) > 6)


def _are_two_names(word: str, slip: str) -> bool:
    """Return whether two words with name endings differ by more than a swap and so are two names."""
    if not (word.endswith(NAME_ENDINGS) and slip.endswith(NAME_ENDINGS)):
        return False
    done = [edit for edit in edits(word, slip) if edit.kind != "swap"]
    # Nouns have a plural (skeleton, comparison), and slips in their first two letters are rare.
    return bool(done) and (done[0].at < 2 or not is_listed(word + "s"))


@lru_cache(maxsize=1024)
def edits(word: str, slip: str) -> tuple[Edit, ...]:
    """Return the fewest edits from a word to a misspelling; a swap of neighbours counts as one."""
    result: list[Edit] = []
    ops = [(op.tag, op.src_pos, op.dest_pos) for op in Levenshtein.editops(word, slip)]
    swapped = OSA.distance(word, slip) < len(ops)
    at = 0
    while at < len(ops):
        tag, i, j = ops[at]
        rest = len(word) - i - 1
        pair = word[i : i + 2]
        if swapped and pair[:1] != pair[-1:] and pair == slip[j : j + 2][::-1]:
            result.append(Edit("swap", i, rest - 1, pair))
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


def _is_probable_slip(word: str, slip: str) -> bool:
    """Return whether an unknown spelling is probably a slip of a known word."""
    done = edits(word, slip)
    if len(done) <= (1 if len(word) < 9 else 2) and all(_is_probable_edit(word, slip, edit) for edit in done):
        return True
    if len(word) < 7 or word[0] != slip[0]:
        return False
    return _SOUND_LETTERS.issuperset(set(word) ^ set(slip)) and _sound(word, _SOUNDS) == _sound(slip, _SOUNDS)


def _is_inner_edit(word: str, slip: str) -> bool:
    """Return whether a spelling is a probable slip of a word, or one edit between its first and last letter."""
    first, *more = edits(word, slip)
    inner = not more and first.at > 0 and first.rest > 0
    if min(len(word), len(slip)) < MIN_LENGTH:
        return inner and frequency(word) > ORDINARY and not is_name(slip)
    inner = inner and (frequency(word) > COMMON or not _has_other_ending(word, slip, first))
    return inner or _is_probable_slip(word, slip)


def _is_probable_edit(word: str, slip: str, edit: Edit) -> bool:
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
    if letters not in CONFUSABLE or at < (1 if vowel and size > 8 else 2) or rest == 0:
        return False
    return not _has_other_ending(word, slip, edit) and (rest > 2 or vowel or letters in ("dt", "mn", "cs", "ck"))


def _has_other_ending(word: str, slip: str, edit: Edit) -> bool:
    """Return whether a changed letter makes another ending: methane and methene."""
    ends = {word[edit.at :], slip[-edit.rest - 1 :]}
    return edit.kind == "change" and edit.rest < 3 and ends <= ENDINGS and ends != AGENT_ENDINGS


_SOUNDS = pairs("ph f ck k qu kw y i")
_GIVEN_SOUNDS = pairs("ph f th t ck k ch k aw au y i z s")


def _sound(token: str, sounds: dict[str, str]) -> str:
    """Return a token with one spelling for each sound and single letters for double ones."""
    for by, sign in sounds.items():
        token = token.replace(by, sign)
    return _TWICE.sub(r"\1", _HARD_C.sub("k", token))


def sound_alike(one: str, other: str) -> bool:
    """Return whether two given names sound alike: Catherine and Katherine, Stephanie and Stefanie."""
    return min(len(one), len(other)) > 2 and _sound(one, _GIVEN_SOUNDS) == _sound(other, _GIVEN_SOUNDS)
