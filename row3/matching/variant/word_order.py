"""A name's words in another order: `theory of relativity` and `relativity theory`, `Korea, South` and `South Korea`,
`patients treated with aspirin` and `aspirin-treated patients`.

Each gives a further name, whose keys are keys of the name (see `variants`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from row3.matching.lexicon.phrases import OFTEN, OTHER_WITH_OF, STATES, SYMMETRIC_HEADS, TWO_UNIVERSITIES
from row3.matching.normalise import normalise
from row3.matching.value.numbers import number_of
from row3.matching.variant.forms import form_key
from row3.matching.variant.nations import of_a_nation
from row3.matching.variant.negated import negated

_IN = (
    r"(?P<head>(?:\S+ )*)(?P<noun>(?i:prize|award|medal|degree|increase|decrease|decline|growth|rise|fall|change|"
    r"reduction|investment|variation|delay|gap|improvement|reform|trend|shift|deficit|surplus|inequality|trade|advance|"
    r"shortage|fraud|corruption|bias|error)s?|(?P<done>(?i:poisoning|pollination|predation|infection|contamination|pollution))|"
    r"(?P<meant>(?i:movement|campaign|demand|market|fight|struggle|need))) "
    r"(?(done)by|(?(meant)for|in)) (?:the )?(?P<field>\S+(?: \S+)?)"
)
_BEHIND = (
    r"(?P<head>\S+(?: \S+){0,2}) (?:(?P<how>free|made|derived|independent|exempt) (?:of|from)|"
    r"(?P<by>treated|coated|filled|infected|fed|laden|lined|enriched|contaminated|associated) with|"
    r"(?P<agent>induced|driven|mediated|borne|powered|fed|led|funded|owned|held|issued|backed|"
    r"sponsored|controlled|managed|sanctioned|transmitted|triggered) by|"
    r"(?P<on>based|dependent) on|(?P<to>related|resistant|specific|bound|adjacent|sensitive) to|"
    r"at(?= (?:low|high|higher|lower|increased|great|greater) \S+$)) (?:the )?(?P<field>\S+(?: \S+)?)"
)
"""Behind a noun what may stand before it with a hyphen: patients treated with aspirin, a group at low risk."""
_GEOGRAPHIC = (
    r"(?P<kind>river|lake|mount|cape|gulf|isle|port|fort)\s+(?P<name>\S.*)|(?P<name2>\S.*?)\s+(?P<kind2>river|lake)"
)
_COUNTED_LAST = r"(?P<name>\S.*?)\s+(?P<kind>(?:type|class|grade|stage|phase|level)\s+(?:\d\w*|[ivx]+|[a-d]))"
_AND = re.compile(r"(?P<head>(?:\S+ )*?)(?P<one>[^\W\d]+) (?P<sign>and|&|or) (?P<other>[^\W\d]+)(?P<tail>(?: \S+)*)")
_OFTEN = re.compile(
    r"(?P<before>.* )?(?P<count>once|twice|thrice|\w+ times) (?:(?:an?|per|each|every) (?P<unit>[a-z]+)|"
    r"(?P<adverb>daily|weekly|monthly|yearly|hourly))(?P<after> .*)?"
)
_PREFIX = "hypo|hyper|intra|inter|extra|pre|post|micro|macro|endo|exo|over|under|mono|poly|uni|bi|anti|pro|sub|super"
_TWO_PREFIXES = re.compile(
    rf"(?P<before>(?:.* )?)(?P<one>{_PREFIX})- (?P<sign>and|or) (?P<other>{_PREFIX})-?(?P<stem>[a-z]{{4,}})(?P<tail>.*)"
)


def turned(name: str, low: str) -> Iterator[str]:
    """Names that have one of the words by which a name is written in another order (`phrases.VARIED`); some are ""."""
    yield _without_of(name)
    yield from _without_in(name)
    yield _geographic(low)
    yield _before(low)
    yield _said_of(low)
    yield _often(low)
    yield _field_first(low)
    yield of_a_nation(low)
    if "not" in low:
        yield from negated(low)


def turned_by_sign(name: str, low: str) -> Iterator[str]:
    """Names that have a comma, a hyphen, a stroke or `and`; some are ""."""
    if " and " in low or " & " in low or " or " in low:
        yield _turned(name)
    if "- and " in low or "- or " in low:
        yield from _coordinated(low)
    if "," in name:
        yield _inverted(name)
        if " of " in name:
            yield from _parts_turned(name)
    if (done := _DONE_SO.fullmatch(low)) is not None:
        yield f"{done['head']} {done['done']} {done['how']}"
    yield _swapped(low)


_DONE_SO = re.compile(
    r"(?P<how>late|early|preterm|prematurely|online|abroad|locally|manually|automatically|recently|separately)-"
    r"(?P<done>\w+(?:ed|en|rn)) (?P<head>\w+(?: \w+)?)"
)
"""`late-submitted proofs`, as `proofs submitted late` are."""


def _inverted(name: str) -> str:
    """`Korea, South` -> `South Korea`; `Battle of` and `The` may stand last."""
    head, comma, tail = name.partition(", ")
    return f"{tail} {head}" if comma and head and tail and "," not in tail and tail not in STATES else ""


def _without_of(name: str) -> str:
    """`theory of relativity` -> `relativity theory`, `law of conservation of mass` -> `mass conservation law`.

    Not where a name so turned is another university."""
    if normalise(name) in OTHER_WITH_OF:
        return ""
    parts = re.split(r"\s+of\s+(?:the\s+)?", name)
    if not 2 <= len(parts) <= 3 or not all(parts):
        return ""
    head, tail = parts[0], " ".join(parts[:0:-1])
    head = re.sub(r"(?i)^the\s+", "", head)
    if normalise(head) in _FELT:  # the enemy's fear is no fear of the enemy
        return ""
    if normalise(head) == "university" and normalise(tail) in TWO_UNIVERSITIES:
        return ""
    return f"{tail} {head}"


_FELT = ("fear", "love", "hatred", "dread", "envy", "distrust", "respect", "hope")


def _without_in(name: str) -> list[str]:
    """`Nobel Prize in Physics` -> `Nobel Physics Prize`, `poisoning by lead` -> `lead poisoning`.

    After what is given or grows in something, or is done by it.
    """
    hit = re.fullmatch(_IN, name)
    if hit is None:
        return []
    noun = hit["noun"] or hit["done"] or hit["meant"]
    return [f"{hit['head']}{hit['field']} {noun}", f"{hit['field']} {hit['head']}{noun}"]


def _before(low: str) -> str:
    """`patients treated with aspirin` -> `aspirin treated patients`, as `aspirin-treated patients` is read."""
    hit = re.fullmatch(_BEHIND, low)
    if hit is None:
        return ""
    how = next((word for group in ("how", "by", "agent", "on", "to") if (word := hit[group])), "")
    return " ".join(filter(None, (hit["field"], how, hit["head"])))


def _said_of(low: str) -> str:
    """`damage that is irreversible` -> `irreversible damage`."""
    hit = _THAT_IS.fullmatch(low)
    return "" if hit is None else f"{hit['what']} {_ARTICLE.sub('', hit['head'])}"


_ARTICLE = re.compile("^(?:an?|the) ")
_THAT_IS = re.compile(r"(?P<head>\S+(?: \S+)?) (?:that|which|who) (?:is|are|was|were) (?P<what>(?!not )\S+)")


def _field_first(low: str) -> str:
    """`Ministry for Fisheries` -> `fisheries ministry`, `ban on smoking` -> `smoking ban`."""
    hit = _FIELD.fullmatch(low)
    return (
        ""
        if hit is None
        else f"{hit['field'] or hit['what'] or hit['year']} {hit['head'] or hit['prone'] or hit['budget']}"
    )


_FIELD = re.compile(
    r"(?:the )?(?:(?P<head>ministry|minister|department|committee|commission|institute|council|agency|bureau|"
    r"cent(?:re|er)|task force|working group|treaty|tax(?:es)?|levy|ban|(?:law|rule|regulation|restriction|tariff|"
    r"quota|duty|subsid(?:y|ie)|sanction|guideline|screening|treatment|therap(?:y|ie)|vaccine|vaccination|research|"
    r"test|testing|cure|drug|insurance)s?) (?:for|on|against) "
    r"(?!(?:sales?|call|hold|board|leave|strike|time|duty)\b)"
    r"(?P<field>[a-z-]+(?: [a-z]+){0,2})|"
    r"(?P<prone>resistance|sensitivity|exposure|allergy|susceptibility|tolerance|access|immunity) to "
    r"(?P<what>[a-z-]+(?: [a-z]+)?)|(?P<budget>budget) for (?P<year>\d{4}))"
)
"""Who or what is for a field, or on one."""


def _often(low: str) -> str:
    """`twice a day` -> `2 times per day`, as `two times daily` is read."""
    hit = _OFTEN.fullmatch(low)
    count = None if hit is None else OFTEN.get(hit["count"]) or number_of(hit["count"].removesuffix(" times"))
    if hit is None or not count:
        return ""
    unit = hit["unit"] or ("day" if hit["adverb"] == "daily" else hit["adverb"].removesuffix("ly"))
    return f"{hit['before'] or ''}{count} times per {unit}{hit['after'] or ''}"


def _coordinated(low: str) -> list[str]:
    """`low- and high-income countries` -> `high and low income countries`; `hypo- and hyperthyroidism` in full."""
    found = [_turned(normalise(low))]
    if (hit := _TWO_PREFIXES.fullmatch(low)) is not None:
        found += [
            f"{hit['before']}{first}{hit['stem']} {hit['sign']} {second}{hit['stem']}{hit['tail']}"
            for first, second in ((hit["one"], hit["other"]), (hit["other"], hit["one"]))
        ]
    return found


def _parts_turned(name: str) -> list[str]:
    """`University of Oslo, Department of Physics` -> `Physics Department University of Oslo`, and the like."""
    one, _, other = name.partition(", ")
    if "," in other:
        return []
    forms = [[part, turned] if (turned := _without_of(part)) else [part] for part in (one, other)]
    return [f"{second} {first}" for first in forms[0] for second in forms[1]] + [
        f"{first} {second}" for first in forms[0] for second in forms[1]
    ]


def _turned(name: str) -> str:
    """`economic and social rights` -> `social and economic rights`."""
    hit = _AND.fullmatch(name)
    if hit is None:
        return ""
    sign = "or" if hit["sign"] == "or" else "and"
    return f"{hit['head']}{hit['other']} {sign} {hit['one']}{hit['tail']}"


def _swapped(low: str) -> str:
    """`host-pathogen interaction` -> `pathogen-host interaction`, before a head that has no direction."""
    hit = re.fullmatch(r"([^\W\d]{3,})[-–—/ ]([^\W\d]{3,})\s+(\w+)", low)
    if hit is None or form_key(normalise(hit[3]))[1:] not in SYMMETRIC_HEADS or not re.search(r"[-–—/]", low):
        return ""
    return f"{hit[2]} {hit[1]} {hit[3]}"


def _geographic(low: str) -> str:
    """`River Thames` -> `Thames River`; `diabetes mellitus type 2` -> `type 2 diabetes mellitus`."""
    hit = re.fullmatch(_GEOGRAPHIC, low)
    if hit is not None:
        return f"{hit['name']} {hit['kind']}" if hit["kind"] else f"{hit['kind2']} {hit['name2']}"
    hit = re.fullmatch(_COUNTED_LAST, low)
    return f"{hit['kind']} {hit['name']}" if hit is not None else ""
