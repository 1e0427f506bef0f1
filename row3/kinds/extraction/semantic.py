"""Semantic matching of names by the similarity of their embeddings. Off unless a suite turns it on.

It gets only names that no other rule matched, and favours precision: an embedding knows what two names are about, not
whether they mean the same. Similarity alone is wrong in one match of four (`docs/matching.md`). So a match requires:

- a similarity of the two names of at least the threshold;
- no contradiction: numbers, negations, opposites, proper names, words that look alike (see `difference_of`);
- a similarity of the differing words of at least the threshold less `MARGIN`, since the words that two names share
  would hide that `central bank credibility` and `central bank transparency` differ;
- no canary and no found concept that is more similar to the item.

Similarities are passed in and may come from any model.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rapidfuzz.distance import OSA

from row3.domain.embeddings import Similarity
from row3.kinds.passages import exclusive
from row3.matching.assignment import assign
from row3.matching.lexicon.inflection import token_form, unaccented
from row3.matching.lexicon.lists import words
from row3.matching.lexicon.vocabulary import is_word
from row3.matching.lexicon.words import FUNCTION_WORDS
from row3.matching.normalise import normalise
from row3.matching.value.values import DIFFERENT_SIGNS, signs_differ, value_of
from row3.matching.word.contradictions import NEGATIONS, opposite

MARGIN = 0.3
"""How much less similar than the names their differing words may be."""

LOOK_ALIKE = 0.54
"""Similarity of spelling from which two words look alike. The spelling rule rejected them (`science` and `scientist`),
and embeddings, made of parts of words, are similar because of the letters."""

SHORT = 3
"""Maximum letters of a word that counts as a code: FBI, CIA."""

LONGEST = 120
"""Maximum characters of a name; a longer text is a sentence."""

SLACK = 1e-9

_FUNCTION_WORDS = FUNCTION_WORDS | words("an in on for to from by with at as its their between among")
_EMPTY = words("process system scheme phenomenon concept method approach technique mechanism regime")
"""Words that add nothing to a name: natural selection, the process of natural selection."""


class Difference(NamedTuple):
    """How two names differ."""

    reason: str
    """Why they do not match, whatever their similarity; empty if they may."""
    one: str = ""
    """The content words that only the first has."""
    other: str = ""
    """The content words that only the second has."""


class Candidate(NamedTuple):
    """An expected concept that nothing found."""

    position: int
    names: Sequence[str]
    """Label and aliases, as written."""


def match_by_meaning(
    items: Mapping[int, str],
    missed: Sequence[Candidate],
    rivals: Sequence[str],
    threshold: float,
    similarity: Similarity,
    *,
    rejected: Mapping[int, int] | None = None,
) -> dict[int, tuple[int, float]]:
    """Return position and similarity of the expected concept by item: the most matches, then the most similar.

    `items` are the names that nothing else matched, `rivals` the canaries and the labels of found concepts. `rejected`
    has, by item, the concept that other rules say it is not. Calls `similarity` at most three times, with few texts.
    """
    texts = {item: key for item, name in items.items() if (key := text_of(name))}
    forms = [(each.position, name, key) for each in missed for name in each.names if (key := text_of(name))]
    if not texts or not forms:
        return {}
    distinct = list(dict.fromkeys(texts.values()))
    alike = dict(zip(distinct, similarity(distinct, list(dict.fromkeys(form[2] for form in forms))), strict=True))
    column = {key: number for number, key in enumerate(dict.fromkeys(form[2] for form in forms))}
    close = [
        (item, position, score, difference)
        for item, key in texts.items()
        for position, name, form in forms
        if (score := alike[key][column[form]]) >= threshold - SLACK
        and (rejected or {}).get(item) != position
        and not (difference := difference_of(items[item], name)).reason
    ]
    if not close:
        return {}
    edges: dict[int, dict[int, float]] = {}
    parts = _difference_similarities([each[3] for each in close], similarity)
    for (item, position, score, _), part in zip(close, parts, strict=True):
        if part >= threshold - MARGIN - SLACK:
            held = edges.setdefault(item, {})
            held[position] = max(score, held.get(position, 0.0))
    return _assigned(edges, texts, [key for rival in rivals if (key := text_of(rival))], similarity)


def _difference_similarities(differences: Sequence[Difference], similarity: Similarity) -> list[float]:
    """Return how similar the differing words of two names are; 1 if at most one of the names has any."""
    pairs = [(each.one, each.other) for each in differences if each.one and each.other]
    if not pairs:
        return [1.0] * len(differences)
    left, right = (list(dict.fromkeys(side)) for side in zip(*pairs, strict=True))
    table = similarity(left, right)
    rows, columns = ({text: number for number, text in enumerate(side)} for side in (left, right))
    return [table[rows[each.one]][columns[each.other]] if each.one and each.other else 1.0 for each in differences]


def _assigned(
    edges: Mapping[int, Mapping[int, float]], texts: Mapping[int, str], rivals: Sequence[str], similarity: Similarity
) -> dict[int, tuple[int, float]]:
    """Return the best assignment of the items that are not more similar to a rival."""
    if edges and rivals:
        keys = list(dict.fromkeys(texts[item] for item in edges))
        nearest = dict(zip(keys, map(max, similarity(keys, list(dict.fromkeys(rivals)))), strict=True))
        edges = {item: close for item, close in edges.items() if max(close.values()) >= nearest[texts[item]] - SLACK}
    return {item: (position, edges[item][position]) for item, position in assign(edges).items()}


def text_of(name: str) -> str:
    """Return the text to embed for a name: its normal form; empty if too long or without letters and digits."""
    key = normalise(name)
    if len(key) > LONGEST or not any(map(str.isalnum, key)):
        return ""
    return "" if any(unicodedata.category(char) == "Cs" for char in key) else key


def difference_of(a: str, b: str) -> Difference:
    """Return why two names of similar meaning do not match, if so, and the words in which they differ. Symmetric."""
    if value_of(a) is not None or value_of(b) is not None:
        return Difference("a value is compared by value")
    if signs_differ(a, b):
        return Difference(DIFFERENT_SIGNS)
    (spelt_a, forms_a), (spelt_b, forms_b) = _words(a), _words(b)
    only_a, only_b = Counter(forms_a) - Counter(forms_b), Counter(forms_b) - Counter(forms_a)
    if any(not form.isalpha() for form in (*only_a, *only_b)):
        return Difference("numbers or codes differ")
    if not NEGATIONS.isdisjoint((*only_a, *only_b)):
        return Difference("negated")
    one, other = (
        [word for word, form in zip(spelt, forms, strict=True) if only[form] and form not in _FUNCTION_WORDS]
        for spelt, forms, only in ((spelt_a, forms_a, only_a), (spelt_b, forms_b, only_b))
    )
    if not one and not other:
        content = [[form for form in forms if form not in _FUNCTION_WORDS] for forms in (forms_a, forms_b)]
        same = (not only_a and not only_b) or content[0] == content[1]
        return Difference("the same words, but their spelling or order makes them two names" if same else "")
    reason = _why(one, other) or ("two proper names" if _is_proper(a) and _is_proper(b) else "")
    return Difference(reason, " ".join(one), " ".join(other))


def _words(name: str) -> tuple[list[str], list[str]]:
    spelt = [unaccented(word) for word in normalise(name).split()]
    return spelt, [token_form(word) for word in spelt]


def _why(one: Sequence[str], other: Sequence[str]) -> str:
    """Return why names that differ in these words do not match; empty if they may."""
    if not one or not other:
        return "" if _EMPTY.issuperset(map(token_form, (*one, *other))) else "one is a kind or part of the other"
    for word in one:
        for word2 in other:
            if exclusive(word, word2) or opposite(word, word2) or opposite(token_form(word), token_form(word2)):
                return "opposites"
            if _look_alike(word, word2):
                return "look-alike words"
    if len(one) == len(other) and all(any(len(word) <= SHORT for word in side) for side in (one, other)):
        return "different short words or codes"
    if all(any(not is_word(word) for word in side) for side in (one, other)):
        return "different names"
    return ""


def _look_alike(one: str, other: str) -> bool:
    bare, bare2 = _bare(one), _bare(other)
    if OSA.normalized_similarity(bare, bare2) >= LOOK_ALIKE:
        return True
    return min(len(bare), len(bare2)) > 4 and (bare.endswith(bare2) or bare2.endswith(bare))


def _bare(word: str) -> str:
    """Return a word without accents, even if that makes it a different word."""
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def _is_proper(name: str) -> bool:
    """Return whether a name has two or more words, all capitalised: a place, an organisation, a person, a title."""
    content = [word for word in name.replace("-", " ").split() if word.casefold() not in _FUNCTION_WORDS]
    return len(content) > 1 and all(not word[0].isalpha() or word[0].isupper() for word in content)
