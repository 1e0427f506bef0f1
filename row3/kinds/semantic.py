"""Semantic matching of names and descriptions by their embeddings. Off unless a suite turns it on.

It gets only what no other rule matched, and favours precision: an embedding knows what two names are about, not
whether they mean the same. Similarity alone is wrong in one match of four (`docs/matching.md`). So a match requires:

- a similarity of the two names of at least the threshold;
- no contradiction: numbers, negations, opposites, proper names, words that look alike (see `difference_of`); of
  descriptions, by the rules of kind `events` and `description_difference`;
- of names, a similarity of the differing words of at least the threshold less `MARGIN`, since the words that two names
  share would hide that `central bank credibility` and `central bank transparency` differ;
- no canary and nothing found that is more similar to the item.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple

from rapidfuzz.distance import OSA

from row3.domain.asks import Ask, EmbeddingRequest, SemanticRule, Similarity, Vector, cosine
from row3.domain.matches import CORRECT
from row3.kinds.passages import exclusive
from row3.matching.assignment import assign
from row3.matching.lexicon.inflection import token_form, unaccented
from row3.matching.lexicon.lists import words
from row3.matching.lexicon.vocabulary import is_word
from row3.matching.lexicon.words import FUNCTION_WORDS
from row3.matching.names import NameMatch
from row3.matching.normalise import normalise
from row3.matching.scorers import Named
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
"""Maximum characters of a name or description; a longer text is about many things."""

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
    """An expected concept, entity or event that nothing found."""

    position: int
    names: Sequence[str]
    """Label and aliases, or the description, as written."""


class Unmatched(NamedTuple):
    """What nothing else matched."""

    items: Mapping[int, str]
    """Names or descriptions of the answer's items."""
    missed: Sequence[Candidate]
    rivals: Sequence[str]
    """The canaries, and what was found."""
    difference: Callable[[str, str], Difference]
    may_match: Callable[[int, int], bool] = lambda item, position: True
    """Whether other rules allow an item to match the expected one at a position."""


def names_by_meaning(
    matches: Sequence[NameMatch],
    labels: Sequence[str],
    expected: Sequence[Named],
    canaries: Sequence[str],
    rule: SemanticRule,
) -> Generator[Ask, Any, list[NameMatch]]:
    """Return the matches, with semantic ones of unmatched names to expected names that nothing else found."""
    found = {match.position for match in matches if match.state in CORRECT}
    missed = [Candidate(place, (one.label, *one.aliases)) for place, one in enumerate(expected) if place not in found]
    said: dict[str, int] = {}  # of a name said twice, the first counts
    unmatched = [item for item, match in enumerate(matches) if match.state == "unmatched"]
    left = {item: labels[item] for item in unmatched if said.setdefault(normalise(labels[item]), item) == item}
    rivals = [*canaries, *(expected[place].label for place in sorted(found))]

    def may_match(item: int, position: int) -> bool:
        # A name that resembles another's spelling and was rejected must not match that one by meaning.
        return not (matches[item].why_not and matches[item].position == position)

    edges = yield from near_in_meaning(Unmatched(left, missed, rivals, difference_of, may_match), rule)
    chosen = assign(edges)
    result = list(matches)
    for item in unmatched:
        first = said[normalise(labels[item])]
        if first in chosen:
            state: Any = "semantic" if item == first else "duplicate"
            result[item] = NameMatch(state, chosen[first], edges[first][chosen[first]])
    return result


def near_in_meaning(left: Unmatched, rule: SemanticRule) -> Generator[Ask, Any, dict[int, dict[int, float]]]:
    """Return `near` by the rule's model, whose embeddings it asks for."""
    held: dict[str, Vector | None] = {}
    missing: dict[str, None] = {}

    def similarity(one: str, other: str) -> float:
        a, b = held.get(one), held.get(other)
        missing.update((text, None) for text in (one, other) if text not in held)
        return 0.0 if a is None or b is None else cosine(a, b)

    while True:
        # Later steps need embeddings that depend on earlier ones, so this repeats, three times at most.
        found = near(left, rule.threshold, similarity)
        if not missing:
            return found
        given = yield EmbeddingRequest(rule.model, tuple(missing))
        held |= dict.fromkeys(missing) | dict(given)  # a text without an embedding is similar to nothing
        missing.clear()


def near(left: Unmatched, threshold: float, similarity: Similarity) -> dict[int, dict[int, float]]:
    """Return the similarity of each pair that may be matched, by item and position of the expected one."""
    texts = {item: key for item, name in left.items.items() if (key := text_of(name))}
    forms = [(each.position, name, key) for each in left.missed for name in each.names if (key := text_of(name))]
    close = [
        (item, position, score, difference)
        for item, key in texts.items()
        for position, name, form in forms
        if (score := similarity(key, form)) >= threshold - SLACK
        and left.may_match(item, position)
        and not (difference := left.difference(left.items[item], name)).reason
    ]
    edges: dict[int, dict[int, float]] = {}
    for item, position, score, (_, one, other) in close:
        if not (one and other) or similarity(one, other) >= threshold - MARGIN - SLACK:
            scores = edges.setdefault(item, {})
            scores[position] = max(score, scores.get(position, 0.0))
    rivals = [key for rival in left.rivals if (key := text_of(rival))]
    nearest = {item: max((similarity(texts[item], rival) for rival in rivals), default=0.0) for item in edges}
    return {item: scores for item, scores in edges.items() if max(scores.values()) >= nearest[item] - SLACK}


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
            if _opposed(word, word2):
                return "opposites"
            if _look_alike(word, word2):
                return "look-alike words"
    if len(one) == len(other) and all(any(len(word) <= SHORT for word in side) for side in (one, other)):
        return "different short words or codes"
    return "different names" if _name_both(one, other) else ""


def description_difference(a: str, b: str) -> Difference:
    """Return why two descriptions do not match, for opposites or other names in their differing words. Symmetric.

    Their values are compared by other rules. How similar the differing words are tells nothing of whole clauses.
    """
    (spelt_a, forms_a), (spelt_b, forms_b) = _words(a), _words(b)
    one = [word for word, form in zip(spelt_a, forms_a, strict=True) if form not in forms_b and form.isalpha()]
    other = [word for word, form in zip(spelt_b, forms_b, strict=True) if form not in forms_a and form.isalpha()]
    if any(_opposed(word, word2) for word in one for word2 in other):
        return Difference("opposites")
    return Difference("different names" if _name_both(one, other) else "")


def _opposed(one: str, other: str) -> bool:
    return exclusive(one, other) or bool(opposite(one, other) or opposite(token_form(one), token_form(other)))


def _name_both(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether both have a word that no list knows."""
    return all(any(not is_word(word) for word in side) for side in (one, other))


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
