"""A name's words in another order: `theory of relativity` and `relativity theory`, `Korea, South` and `South Korea`,
`patients treated with aspirin` and `aspirin-treated patients`, `cancer of the kidney` and `renal cancer`.

Each gives a further name, whose keys are keys of the name (see `variants`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from row3.matching.lexicon.lists import lists, pairs, words
from row3.matching.lexicon.words import OTHER_WITH_OF, STATES, TWO_UNIVERSITIES
from row3.matching.normalise import normalise

_PLACES = lists("places")


def _spaced(table: dict[str, str]) -> dict[str, str]:
    return {noun.replace("-", " "): adjective.replace("-", " ") for noun, adjective in table.items()}


COUNTRIES = words(_PLACES["countries"]) | frozenset(_spaced(dict.fromkeys(_PLACES["more_countries"].split(), "")))
"""Names of countries in their normal form."""
_OF_COUNTRIES = _spaced(pairs(_PLACES["adjectives"]))
_OF_ORGANS = pairs(lists("english")["organs"])
LAST_WORDS = frozenset(noun.rpartition(" ")[2] for noun in (*_OF_COUNTRIES, *_OF_ORGANS))
"""The last word of each noun that has an adjective here."""
_OF_A_COUNTRY = re.compile(
    rf"(?:the )?(?P<what>(?:{_PLACES['has']})(?: (?:of|for) (?:the )?[a-z]+(?: and [a-z]+)?)?) of (?:the )?"
    rf"(?P<noun>{'|'.join(_OF_COUNTRIES)})"
)
_OF_AN_ORGAN = re.compile(rf"(?:the )?(?P<what>[a-z]+(?: [a-z]+)?) of (?:the )?(?P<noun>{'|'.join(_OF_ORGANS)})")


def with_adjective(low: str) -> str:
    """`cancer of the kidney` -> `renal cancer`; "" for any other name in small letters."""
    if low.rpartition(" ")[2] not in LAST_WORDS:
        return ""
    hit = _OF_A_COUNTRY.fullmatch(low) or _OF_AN_ORGAN.fullmatch(low)
    return "" if hit is None else f"{(_OF_COUNTRIES | _OF_ORGANS)[hit['noun']]} {hit['what']}"


_TAKES = pairs(lists("english")["negatives"])
"""The prefix that an adjective takes, where it says no more than `not`: veiled and unveiled are more."""
_IN_A_WAY = "statistically|clinically|biologically|chemically|technically|medically|legally|economically|socially"
"""Adverbs that say in which way and not how far: not fully insured is not fully uninsured."""
_NOT_BEHIND = re.compile(
    r"(?P<head>\w+(?: (?!(?:if|when|while|but|and|or|though|yet|as)\b)\w+)?) "
    r"(?P<relative>(?:that|which|who) (?:is|are|was|were|has been|have been) )?"
    rf"not (?P<adverb>(?:{_IN_A_WAY}) )?(?P<told>\w+)"
)
_NOT_BEFORE = re.compile(
    rf"(?:not (?P<adverb>{_IN_A_WAY})|(?P<adverb2>{_IN_A_WAY}) not) (?P<told>\w+)(?P<head>(?: \w+)*)"
)


def negated(low: str) -> Iterator[str]:
    """Names in one word less for a name in small letters that has `not`; nothing for others."""
    hit = _NOT_BEFORE.fullmatch(low)
    if hit is not None:
        adverb, head = f"{hit['adverb'] or hit['adverb2']} ", hit["head"]
    elif (hit := _NOT_BEHIND.fullmatch(low)) is not None and (hit["relative"] or hit["told"] in _TAKES):
        adverb, head = hit["adverb"] or "", f" {hit['head']}"
    else:
        return
    for prefix in ("non ", "non", _TAKES.get(hit["told"], "")):
        if prefix:
            yield f"{adverb}{prefix}{hit['told']}{head}"


_IN = re.compile(
    r"(?P<head>(?:\S+ )*)(?P<noun>(?i:prize|award|medal|degree|increase|decrease|decline|growth|rise|fall|change|"
    r"reduction|investment|variation|delay|gap|improvement|reform|trend|shift|deficit|surplus|inequality|trade|advance|"
    r"shortage|fraud|corruption|bias|error)s?|(?P<done>(?i:poisoning|pollination|predation|infection|contamination|pollution))|"
    r"(?P<meant>(?i:movement|campaign|demand|market|fight|struggle|need))) "
    r"(?(done)by|(?(meant)for|in)) (?:the )?(?P<field>\S+(?: \S+)?)"
)
_BEHIND = re.compile(
    r"(?P<head>\S+(?: \S+){0,2}) (?:(?P<how>free|made|derived|independent|exempt) (?:of|from)|"
    r"(?P<by>treated|coated|filled|infected|fed|laden|lined|enriched|contaminated|associated) with|"
    r"(?P<agent>induced|driven|mediated|borne|powered|fed|led|funded|owned|held|issued|backed|"
    r"sponsored|controlled|managed|sanctioned|transmitted|triggered) by|"
    r"(?P<on>based|dependent) on|(?P<to>related|resistant|specific|bound|adjacent|sensitive) to) "
    r"(?:the )?(?P<field>\S+(?: \S+)?)"
)
"""Behind a noun what may stand before it with a hyphen: patients treated with aspirin."""
_GEOGRAPHIC = re.compile(
    r"(?P<kind>river|lake|mount|cape|gulf|isle|port|fort)\s+(?P<name>\S.*)|(?P<name2>\S.*?)\s+(?P<kind2>river|lake)"
)
_COUNTED_LAST = re.compile(
    r"(?P<name>\S.*?)\s+(?P<kind>(?:type|class|grade|stage|phase|level)\s+(?:\d\w*|[ivx]+|[a-d]))"
)
_AND = re.compile(r"(?P<head>(?:\S+ )*?)(?P<one>[^\W\d]+) (?P<sign>and|&|or) (?P<other>[^\W\d]+)(?P<tail>(?: \S+)*)")
_OF = re.compile(r"\s+of\s+(?:the\s+)?")
_FELT = ("fear", "love", "hatred", "dread", "envy", "distrust", "respect", "hope")
"""The enemy's fear is no fear of the enemy."""
_DUE_TO = re.compile(r"(?P<head>\S+) (?:due to|caused by|resulting from) (?:the )?(?P<cause>\S+(?: \S+){0,3})")
"""`anaemia due to iron deficiency`"""
_FIELD = re.compile(
    r"(?:the )?(?:(?P<head>ministry|minister|department|committee|commission|institute|council|agency|bureau|"
    r"cent(?:re|er)|task force|working group|treaty|tax(?:es)?|levy|ban|(?:law|rule|regulation|restriction|tariff|"
    r"quota|duty|subsid(?:y|ie)|sanction|guideline|screening|treatment|therap(?:y|ie)|vaccine|vaccination|research|"
    r"test|testing|cure|drug|insurance)s?) (?:for|on|against) "
    r"(?!(?:sales?|call|hold|board|leave|strike|time|duty)\b)"
    r"(?P<field>[a-z-]+(?: [a-z]+){0,2})|"
    r"(?P<prone>resistance|sensitivity|exposure|allergy|susceptibility|tolerance|access|immunity) to "
    r"(?P<what>[a-z-]+(?: [a-z]+)?))"
)
"""Who or what is for a field, or on one."""


def turned(name: str, low: str) -> Iterator[str]:
    """Names that have one of the words by which a name is written in another order (`phrases.VARIED`); some are ""."""
    yield _without_of(name)
    yield from _without_in(name)
    if (due := _DUE_TO.fullmatch(low)) is not None:
        yield f"{due['cause']} {due['head']}"
    yield _geographic(low)
    yield _before(low)
    yield _field_first(low)
    yield with_adjective(low)
    if "not" in low:
        yield from negated(low)


def turned_by_sign(name: str, low: str) -> Iterator[str]:
    """Names that have a comma or `and`; some are ""."""
    if " and " in low or " & " in low or " or " in low:
        yield _turned(name)
    if "," in name:
        yield _inverted(name)


def _inverted(name: str) -> str:
    """`Korea, South` -> `South Korea`; `Battle of` and `The` may stand last. `France, Germany` is a list."""
    head, comma, tail = name.partition(", ")
    if not (comma and head and tail) or "," in tail or tail in STATES or {head.lower(), tail.lower()} <= COUNTRIES:
        return ""
    return f"{tail} {head}"


def _without_of(name: str) -> str:
    """`theory of relativity` -> `relativity theory`, `law of conservation of mass` -> `mass conservation law`.

    Not where a name so turned is another university."""
    if normalise(name) in OTHER_WITH_OF:
        return ""
    parts = _OF.split(name)
    if not 2 <= len(parts) <= 3 or not all(parts):
        return ""
    tail = " ".join(parts[:0:-1])
    head = re.sub(r"(?i)^the\s+", "", parts[0])
    if normalise(head) in _FELT or (normalise(head) == "university" and normalise(tail) in TWO_UNIVERSITIES):
        return ""
    return f"{tail} {head}"


def _without_in(name: str) -> list[str]:
    """`Nobel Prize in Physics` -> `Nobel Physics Prize`, `poisoning by lead` -> `lead poisoning`.

    After what is given or grows in something, or is done by it.
    """
    hit = _IN.fullmatch(name)
    if hit is None:
        return []
    noun = hit["noun"] or hit["done"] or hit["meant"]
    return [f"{hit['head']}{hit['field']} {noun}", f"{hit['field']} {hit['head']}{noun}"]


def _before(low: str) -> str:
    """`patients treated with aspirin` -> `aspirin treated patients`, as `aspirin-treated patients` is read."""
    hit = _BEHIND.fullmatch(low)
    if hit is None:
        return ""
    how = next(word for group in ("how", "by", "agent", "on", "to") if (word := hit[group]))
    return f"{hit['field']} {how} {hit['head']}"


def _field_first(low: str) -> str:
    """`Ministry for Fisheries` -> `fisheries ministry`, `ban on smoking` -> `smoking ban`."""
    hit = _FIELD.fullmatch(low)
    return "" if hit is None else f"{hit['field'] or hit['what']} {hit['head'] or hit['prone']}"


def _turned(name: str) -> str:
    """`economic and social rights` -> `social and economic rights`."""
    hit = _AND.fullmatch(name)
    if hit is None:
        return ""
    sign = "or" if hit["sign"] == "or" else "and"
    return f"{hit['head']}{hit['other']} {sign} {hit['one']}{hit['tail']}"


def _geographic(low: str) -> str:
    """`River Thames` -> `Thames River`; `diabetes mellitus type 2` -> `type 2 diabetes mellitus`."""
    if (hit := _GEOGRAPHIC.fullmatch(low)) is not None:
        return f"{hit['name']} {hit['kind']}" if hit["kind"] else f"{hit['kind2']} {hit['name2']}"
    hit = _COUNTED_LAST.fullmatch(low)
    return f"{hit['kind']} {hit['name']}" if hit is not None else ""
