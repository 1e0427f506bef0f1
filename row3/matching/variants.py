"""Other ways to write one name: inverted (`Thames, River`), with `of` (`theory of relativity`), with a filler
(`the concept of entropy`), with a company's suffix in capitals (`Siemens AG`), with a title.

Each gives further keys (see `forms`). Two names are one where their keys meet.
"""

from __future__ import annotations

import re
from functools import lru_cache

from row3.matching.forms import form_key, form_keys
from row3.matching.lexicon import ROMAN
from row3.matching.normalise import normalise
from row3.matching.numbered import numbered
from row3.matching.numbers import number_of
from row3.matching.phrases import (
    COLOURS,
    COMPANY_KINDS,
    COUNTED,
    OTHER_WITH_OF,
    STATES,
    SYMMETRIC_HEADS,
    TWO_UNIVERSITIES,
    VARIED,
)
from row3.matching.plain_words import plain_words
from row3.matching.values import has_number, with_values

_KIND = (
    "(?:planet|country|city|town|village|river|island|mountain|state|language|element|disease|process|company|film|movie|"
    "book|novel|band|song|album|game|software|library|framework|person|animal|plant|bird|fish|mineral|metal|gas|drug|"
    "protein|gene|enzyme|hormone|concept|theory|method|technique|theorem|law|economics|physics|biology|chemistry|"
    "mathematics|medicine|statistics|computing|law|music|politics|philosophy|psychology)"
)
"""What something is, before its name or in a parenthesis behind it."""
_GLOSS = re.compile(r"(?P<name>[^()]{2,}?) \((?:[a-z]+ ){0,2}" + _KIND + r"\)")
_AND = re.compile(r"(?P<head>(?:\S+ )*?)(?P<one>[^\W\d]+)(?: and | & )(?P<other>[^\W\d]+)(?P<tail>(?: \S+)*)")
_FILLER = (
    r"(?:[Tt]he )?(?:(?i:so-called|(?:concept|notion|idea|process|phenomenon|practice) of)|"
    r"(?:city|town|village|country|[Ii]sland|[Ss]tate|[Kk]ingdom|[Pp]rovince|planet|genus|species|metal|gas|disease|"
    r"language) of|(?:planet|chemical element|well-known|famous|celebrated)(?= )|"
    r"(?:said|aforesaid|(?:above-|afore)mentioned)(?= )|[Tt]he [Rr]iver(?= [A-Z]\w+$)|"
    r"month of(?= [A-Z]\w+$)|(?:game|sport) of|colou?r(?= (?:" + COLOURS + r")$)|"
    r"(?:disease|element)(?= \S+$)(?! (?:burden|outbreak|model|control|course|process|state|risk|vector|agent|onset|"
    r"severity|progression|prevention|management)s?$)|"
    r"(?:[a-z]+ )?(?:known as|called|named)(?= )|(?:[a-z]+ ){0,2}" + _KIND + r"(?= [\"“‘«]?[A-Z])|"
    r"(?i:term|word|phrase)(?= [\"'“‘«]))[ \"'“‘«]+(?:the )?(?P<rest>.+?)[\"'”’»]*$"
)
_BEHIND = (
    r"(?P<head>\S+(?: \S+){0,2}) (?:(?P<how>free|made|derived|independent) (?:of|from)|"
    r"(?P<by>treated|coated|filled|infected|fed|laden|lined|enriched|contaminated|associated) with|"
    r"(?P<agent>induced|driven|mediated|borne|powered|fed|bound|led|funded|owned) by|"
    r"(?P<on>based|dependent) on|(?P<to>related|resistant|specific|bound|adjacent|sensitive) to|"
    r"at(?= (?:low|high|higher|lower|increased|great|greater) \S+$)) (?P<field>\S+(?: \S+)?)"
)
"""Behind a noun what may stand before it with a hyphen: patients treated with aspirin, a group at low risk."""
_COMPANY = (
    r"(?P<rest>.+?),?\s+(?:&\s+)?(?:AG|S\.A\.(?:B\.)? de C\.V\.|"
    r"S\.?A\.?|N\.?V\.?|B\.?V\.?|A/S|AB|ASA|Oyj?|S\.?p\.?A\.?|S\.?r\.?l\.?|KGa?A?|"
    r"K\.K\.|P\.?L\.?C\.?|L\.?L\.?[CP]\.?|Pty|Pte|Sdn|Bhd|GmbH|e\.V\.|Co|Corp|Ltd|Inc|"
    r"(?P<word>Company|Corporation|Limited|Incorporated))\.?,?$"
)
_TITLES = r"(?:King|Queen|Pope|Emperor|Empress|Tsar|Czar|Saint|Sultan|Kaiser)\s+(?P<rest>[A-Z].*(?: [IVX]+| the \w+))"
_REGNAL = r"(?P<name>[A-Z]\S+) the (?P<nth>[\w-]+(?:st|nd|rd|th|first|second|third))$"
_IN = (
    r"(?P<head>(?:\S+ )*)(?P<noun>(?i:prize|award|medal|degree|increase|decrease|decline|growth|rise|fall|change|"
    r"reduction|investment|variation|delay|gap|improvement|reform|trend|shift|deficit|surplus|inequality|trade|advance|"
    r"shortage)s?|(?P<done>(?i:poisoning|pollination|predation|infection|contamination|pollution))|"
    r"(?P<meant>(?i:movement|campaign|demand|market|fight|struggle|need))) "
    r"(?(done)by|(?(meant)for|in)) (?:the )?(?P<field>\S+(?: \S+)?)"
)
_SHARES = (
    r"(?P<part>\S+?)\s?(?P<percent>%|per ?cent) (?:of )?(?:(?:the|all|all the) )?(?P<rest>[^\W\d].*)",
    r"(?P<part>\S+) (?:out of|in)(?: every)? (?P<whole>\S+) (?:of )?(?:(?:the|all|all the) )?(?P<rest>[^\W\d].*)",
    r"(?P<part>(?:\w+[- ])?(?!of )\w+) (?:of (?:(?:the|all|all the) )?|the )(?P<rest>(?!an? )[^\W\d].*)",
)
_GEOGRAPHIC = (
    r"(?P<kind>river|lake|mount|cape|gulf|isle|port|fort)\s+(?P<name>\S.*)|(?P<name2>\S.*?)\s+(?P<kind2>river|lake)"
)
_COUNTED_LAST = r"(?P<name>\S.*?)\s+(?P<kind>(?:type|class|grade|stage|phase|level)\s+(?:\d\w*|[ivx]+|[a-d]))"


LONGEST = 120
"""Characters of a name beyond which it is no name that has variants."""

_SIGNS = re.compile("[,/'’0-9–—-]")


@lru_cache(maxsize=1024)
def variant_keys(name: str) -> frozenset[str]:
    """The keys of a name and of the other ways to write it."""
    if plain_words(name) is not None or len(name) > LONGEST:
        return frozenset(form_keys(name))
    signs = _SIGNS.search(name) is not None or not name.isascii()
    spelt = normalise(name).split()
    telling = not VARIED.isdisjoint(spelt)
    found, low = [name], name.lower()
    if signs or has_number(name):
        found += (*_eponyms(name), _inverted(name), _state(name), _swapped(low), with_values(name))
    if has_number(name):
        found += (*numbered(name), _share(low))
    elif not ROMAN.keys().isdisjoint(spelt):
        found += numbered(name)
    if " and " in low or " & " in low:
        found.append(_turned(name))
    if telling:
        found += (_without_of(name), *_without_in(name), _geographic(low), _before(low))
    if ", " in name and " of " in name:
        found += _parts_turned(name)
    if name[-1:] == ")":
        found.append(_qualified(name))
    found = [variant for variant in found if variant]
    found += [with_values(base) for base in found[1:] if has_number(base)]
    for base in tuple(found):
        if rest := without_filler(base):
            found.append(rest)
        if telling and (title := re.match(_TITLES, base)) is not None:
            found.append(title["rest"])
    for base in tuple(found):
        found.extend(_regnal(base))
        found.extend(_company(base))
    return frozenset([key for variant in found for key in form_keys(variant)])


def without_filler(name: str) -> str:
    """`the concept of entropy` -> `entropy`; "" for a name with nothing to leave out."""
    filler = re.match(_FILLER, name)
    return "" if filler is None else filler["rest"]


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
    if normalise(head) == "university" and normalise(tail) in TWO_UNIVERSITIES:
        return ""
    return f"{tail} {head}"


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


def _parts_turned(name: str) -> list[str]:
    """`University of Oslo, Department of Physics` -> `Physics Department University of Oslo`, and the like."""
    one, _, other = name.partition(", ")
    if "," in other:
        return []
    forms = [[part, turned] if (turned := _without_of(part)) else [part] for part in (one, other)]
    return [f"{second} {first}" for first in forms[0] for second in forms[1]] + [
        f"{first} {second}" for first in forms[0] for second in forms[1]
    ]


def _qualified(name: str) -> str:
    """`salary (gross)` -> `gross salary`: what kind of thing it is, in one small word behind it."""
    hit = None if without_gloss(name) else _QUALIFIED.fullmatch(name)
    return "" if hit is None else f"{hit['kind']} {hit['head']}"


_QUALIFIED = re.compile(r"(?P<head>[^()]*[^()\s]) \((?P<kind>[a-z]{3,}(?:-[a-z]+)?)\)")


def _turned(name: str) -> str:
    """`economic and social rights` -> `social and economic rights`."""
    hit = _AND.fullmatch(name)
    return "" if hit is None else f"{hit['head']}{hit['other']} and {hit['one']}{hit['tail']}"


def without_gloss(name: str) -> str:
    """`Rust (programming language)` -> `Rust`; "" for a name that does not say what it is."""
    hit = _GLOSS.fullmatch(name)
    return "" if hit is None else hit["name"]


def _share(low: str) -> str:
    """`three quarters of the voters` -> `share3over4 voters`, and so `75% of voters` and `three out of four voters`."""
    for shape in _SHARES:
        hit = re.fullmatch(shape, low)
        if hit is None:
            continue
        part, whole = number_of(hit["part"]), number_of(hit.groupdict().get("whole") or "1")
        if part is not None and whole:
            share = part / (100 if hit.groupdict().get("percent") else whole)
            if share < 1:
                return f"share{share.numerator}over{share.denominator} {hit['rest']}"
    return ""


def _eponyms(name: str) -> list[str]:
    """`Pythagoras' theorem` -> `Pythagorean theorem`: a possessive, or the adjective made of it."""
    hit = re.match(r"([A-Z][a-z]{3,})(?:['’]s?)\s+(\S.*)", name)
    if hit is None:
        return []
    stem = re.sub(r"(?:as|es|us|e|o|s)$", "", hit[1])
    return [f"{base}{ending} {hit[2]}" for base in {stem, hit[1]} for ending in ("ian", "ean", "an", "ic")]


def _state(name: str) -> str:
    """`Los Angeles, CA` -> `Los Angeles, California`."""
    head, comma, tail = name.rpartition(", ")
    return f"{head}, {STATES[tail]}" if comma and tail in STATES else ""


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


def _regnal(name: str) -> list[str]:
    """`Henry the Eighth` -> `Henry 8`, as `Henry VIII` is read."""
    hit = re.search(_REGNAL, name) if " the " in name else None
    if hit is None:
        return []
    number = re.match(r"=(\d+)(?:st|nd|rd|th)", form_key(normalise(hit["nth"])))
    return [f"{name[: hit.start()]}{hit['name']} {number[1]}"] if number else []


def _company(name: str) -> list[str]:
    """Without the company's suffix; a word such as `Company` only after what is no kind of company."""
    found = []
    while name[:1].isupper() and (hit := re.match(_COMPANY, name)) is not None:
        rest = hit["rest"]
        last = rest.split()[-1].lower().strip(",&")
        if last in COUNTED and len(name) - len(rest) < len(" AB ."):  # blood group AB
            break
        if hit["word"] in ("Company", "Corporation") and (
            last in COMPANY_KINDS or last.endswith(("al", "ic", "ing", "ed"))
        ):
            break
        name = re.sub(r"\s*(?:&|and)$", "", rest)
        found.append(name)
    return found
