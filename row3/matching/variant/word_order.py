"""Names in another word order: `theory of relativity` and `relativity theory`, `Korea, South` and `South Korea`,
`patients treated with aspirin` and `aspirin-treated patients`, `cancer of the kidney` and `renal cancer`.

`variants` adds their keys to the name's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from row3.matching.lexicon.lists import lists, pairs, words
from row3.matching.lexicon.words import OTHER_WITH_OF, STATES, TWO_UNIVERSITIES
from row3.matching.normalise import normalise

_LISTS, _PLACES = lists("english"), lists("places")


def _spaced(table: dict[str, str]) -> dict[str, str]:
    return {noun.replace("-", " "): adjective.replace("-", " ") for noun, adjective in table.items()}


COUNTRIES = words(_PLACES["countries"]) | frozenset(_spaced(dict.fromkeys(_PLACES["more_countries"].split(), "")))
"""Normalised names of countries."""
_OF_COUNTRIES = _spaced(pairs(_PLACES["adjectives"]))
_OF_ORGANS = pairs(_LISTS["organs"])
LAST_WORDS = frozenset(noun.rpartition(" ")[2] for noun in (*_OF_COUNTRIES, *_OF_ORGANS))
"""Last words of the nouns that have an adjective here."""
_OF_A_COUNTRY = re.compile(
    rf"(?:the )?(?P<what>(?:{_PLACES['has']})(?: (?:of|for) (?:the )?[a-z]+(?: and [a-z]+)?)?) of (?:the )?"
    rf"(?P<noun>{'|'.join(_OF_COUNTRIES)})"
)
_OF_AN_ORGAN = re.compile(rf"(?:the )?(?P<what>[a-z]+(?: [a-z]+)?) of (?:the )?(?P<noun>{'|'.join(_OF_ORGANS)})")


def with_adjective(low: str) -> str:
    """Return `renal cancer` for `cancer of the kidney`; "" for other lower-case names."""
    if low.rpartition(" ")[2] not in LAST_WORDS:
        return ""
    hit = _OF_A_COUNTRY.fullmatch(low) or _OF_AN_ORGAN.fullmatch(low)
    return "" if hit is None else f"{(_OF_COUNTRIES | _OF_ORGANS)[hit['noun']]} {hit['what']}"


_NEGATIVE_PREFIXES = pairs(_LISTS["negatives"])
"""Negative prefix by adjective, if it means no more than `not`, unlike unveiled."""
_IN_A_WAY = "statistically|clinically|biologically|chemically|technically|medically|legally|economically|socially"
"""Adverbs of manner; with those of degree, not fully insured is not fully uninsured."""
_NOT_AFTER_NOUN = re.compile(
    r"(?P<head>\w+(?: (?!(?:if|when|while|but|and|or|though|yet|as)\b)\w+)?) "
    r"(?P<relative>(?:that|which|who) (?:is|are|was|were|has been|have been) )?"
    rf"not (?P<adverb>(?:{_IN_A_WAY}) )?(?P<adjective>\w+)"
)
_NOT_FIRST = re.compile(
    rf"(?:not (?P<adverb>{_IN_A_WAY})|(?P<adverb2>{_IN_A_WAY}) not) (?P<adjective>\w+)(?P<head>(?: \w+)*)"
)


def negated(low: str) -> Iterator[str]:
    """Yield a lower-case name that has `not` with a negative prefix instead."""
    hit = _NOT_FIRST.fullmatch(low)
    if hit is not None:
        adverb, head = f"{hit['adverb'] or hit['adverb2']} ", hit["head"]
    elif (hit := _NOT_AFTER_NOUN.fullmatch(low)) is not None and (
        hit["relative"] or hit["adjective"] in _NEGATIVE_PREFIXES
    ):
        adverb, head = hit["adverb"] or "", f" {hit['head']}"
    else:
        return
    for prefix in ("non ", "non", _NEGATIVE_PREFIXES.get(hit["adjective"], "")):
        if prefix:
            yield f"{adverb}{prefix}{hit['adjective']}{head}"


_IN = re.compile(
    rf"(?P<head>(?:\S+ )*)(?P<noun>(?i:{_LISTS['nouns_with_in'].replace(' ', '|')})s?|"
    r"(?P<done>(?i:poisoning|pollination|predation|infection|contamination|pollution))|"
    r"(?P<meant>(?i:movement|campaign|demand|market|fight|struggle|need))) "
    r"(?(done)by|(?(meant)for|in)) (?:the )?(?P<field>\S+(?: \S+)?)"
)
_BEHIND = re.compile(
    r"(?P<head>\S+(?: \S+){0,2}) (?P<how>(?:free|made|derived|independent|exempt)(?= of| from)|"
    r"(?:treated|coated|filled|infected|fed|laden|lined|enriched|contaminated|associated)(?= with)|"
    rf"(?:{_LISTS['done_by'].replace(' ', '|')})(?= by)|(?:based|dependent)(?= on)|"
    r"(?:related|resistant|specific|bound|adjacent|sensitive)(?= to)) \w+ (?:the )?(?P<field>\S+(?: \S+)?)"
)
"""A phrase after a noun that may precede it with a hyphen: patients treated with aspirin."""
_GEOGRAPHIC = re.compile(
    r"(?P<kind>river|lake|mount|cape|gulf|isle|port|fort)\s+(?P<name>\S.*)|(?P<name2>\S.*?)\s+(?P<kind2>river|lake)"
)
_COUNTED_LAST = re.compile(
    r"(?P<name>\S.*?)\s+(?P<kind>(?:type|class|grade|stage|phase|level)\s+(?:\d\w*|[ivx]+|[a-d]))"
)
_AND = re.compile(r"(?P<head>(?:\S+ )*?)(?P<one>[^\W\d]+) (?P<sign>and|&|or) (?P<other>[^\W\d]+)(?P<tail>(?: \S+)*)")
_OF = re.compile(r"\s+of\s+(?:the\s+)?")
_FEELINGS = ("fear", "love", "hatred", "dread", "envy", "distrust", "respect", "hope")
"""Feelings that cannot be inverted: the enemy's fear is not the fear of the enemy."""
_DUE_TO = re.compile(r"(?P<head>\S+) (?:due to|caused by|resulting from) (?:the )?(?P<cause>\S+(?: \S+){0,3})")
"""`anaemia due to iron deficiency`"""
_FIELD = re.compile(
    rf"(?:the )?(?:(?P<head>{_LISTS['nouns_with_for'].replace(' ', '|')}) (?:for|on|against) "
    r"(?!(?:sales?|call|hold|board|leave|strike|time|duty)\b)"
    r"(?P<field>[a-z-]+(?: [a-z]+){0,2})|"
    r"(?P<prone>resistance|sensitivity|exposure|allergy|susceptibility|tolerance|access|immunity) to "
    r"(?P<what>[a-z-]+(?: [a-z]+)?))"
)
"""A person or thing for or on a field."""


def reordered(name: str, low: str) -> Iterator[str]:
    """Yield other word orders of a name with a word of `VARIED`; some are ""."""
    yield _without_of(name)
    yield from _without_in(name)
    if (due := _DUE_TO.fullmatch(low)) is not None:
        yield f"{due['cause']} {due['head']}"
    yield _geographic(low)
    yield _hyphenated(low)
    yield _field_first(low)
    yield with_adjective(low)
    if "not" in low:
        yield from negated(low)


def reordered_at_sign(name: str, low: str) -> Iterator[str]:
    """Yield other word orders of a name with a comma, `and` or `or`; some are ""."""
    if " and " in low or " & " in low or " or " in low:
        yield _swapped(name)
    if "," in name:
        yield _inverted(name)


def _inverted(name: str) -> str:
    """Return `South Korea` for `Korea, South`; "" for a list (`France, Germany`)."""
    head, comma, tail = name.partition(", ")
    if not (comma and head and tail) or "," in tail or tail in STATES or {head.lower(), tail.lower()} <= COUNTRIES:
        return ""
    return f"{tail} {head}"


def _without_of(name: str) -> str:
    """Return `relativity theory` for `theory of relativity`; "" if the inverted name means something else."""
    if normalise(name) in OTHER_WITH_OF:
        return ""
    parts = _OF.split(name)
    if not 2 <= len(parts) <= 3 or not all(parts):
        return ""
    tail = " ".join(parts[:0:-1])
    head = re.sub(r"(?i)^the\s+", "", parts[0])
    if normalise(head) in _FEELINGS or (normalise(head) == "university" and normalise(tail) in TWO_UNIVERSITIES):
        return ""
    return f"{tail} {head}"


def _without_in(name: str) -> list[str]:
    """Return `Nobel Physics Prize` for `Nobel Prize in Physics`, `lead poisoning` for `poisoning by lead`."""
    hit = _IN.fullmatch(name)
    if hit is None:
        return []
    return [f"{hit['head']}{hit['field']} {hit['noun']}", f"{hit['field']} {hit['head']}{hit['noun']}"]


def _hyphenated(low: str) -> str:
    """Return `aspirin treated patients` for `patients treated with aspirin`."""
    hit = _BEHIND.fullmatch(low)
    if hit is None:
        return ""
    return f"{hit['field']} {hit['how']} {hit['head']}"


def _field_first(low: str) -> str:
    """Return `fisheries ministry` for `Ministry for Fisheries`, `smoking ban` for `ban on smoking`."""
    hit = _FIELD.fullmatch(low)
    return "" if hit is None else f"{hit['field'] or hit['what']} {hit['head'] or hit['prone']}"


def _swapped(name: str) -> str:
    """Return `social and economic rights` for `economic and social rights`."""
    hit = _AND.fullmatch(name)
    if hit is None:
        return ""
    sign = "or" if hit["sign"] == "or" else "and"
    return f"{hit['head']}{hit['other']} {sign} {hit['one']}{hit['tail']}"


def _geographic(low: str) -> str:
    """Return `Thames River` for `River Thames`, `type 2 diabetes mellitus` for `diabetes mellitus type 2`."""
    if (hit := _GEOGRAPHIC.fullmatch(low)) is not None:
        return f"{hit['name']} {hit['kind']}" if hit["kind"] else f"{hit['kind2']} {hit['name2']}"
    hit = _COUNTED_LAST.fullmatch(low)
    return f"{hit['kind']} {hit['name']}" if hit is not None else ""
