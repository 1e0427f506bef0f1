"""A name's words in another order: `theory of relativity` and `relativity theory`, `Korea, South` and `South Korea`,
`patients treated with aspirin` and `aspirin-treated patients`.

Each gives a further name, whose keys are keys of the name (see `variants`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from row3.matching.lexicon.phrases import OTHER_WITH_OF, STATES, TWO_UNIVERSITIES
from row3.matching.normalise import normalise
from row3.matching.variant.adjectives import COUNTRIES, with_adjective
from row3.matching.variant.negated import negated

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
