"""Check `quotes`: every quotation in an answer occurs in its source, and in the part of it that the answer names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from rapidfuzz import fuzz, process

from row3.kinds.checks.heuristics import PASSED, Result
from row3.kinds.checks.model import Check
from row3.kinds.checks.reading import Reading, path_of, short
from row3.matching.normalise import normalise_text
from row3.matching.text.places import NEARLY, PARAGRAPH, sentences
from row3.matching.text.quotes import SourceText

SHOWN = 3
"""Most quotations named in a reason."""
NAME_KEYS = ("id", "name", "title", "speaker", "author", "source", "document")
QUOTE_KEYS = ("quote", "sourceQuote", "source_quote", "evidence", "passage", "text")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_MARKED = re.compile(
    r'(?<!\w)"([^"]+)"(?!\w)|“([^“”„]+)(?:”|(?=“))|„([^“”„]+)[“”]|(?<!\w)”(?!\s)([^“”„]+)”(?!\w)|'
    r"[«»]([^«»]+)[«»]|[「『]([^「」『』]+)[」』]|(?<!\w)‘(?!\d)([^‘\n]+?)’(?!\w)|"
    r"(?<!\w)'(?=[^\W\d](?:[^\s']|\b'\b)*\s)((?:[^'\n]|\b'\b)+)'(?!\w)|^((?:>.*(?:\n|\Z))+)",
    re.MULTILINE,
)
"""Between straight single quotes, which are apostrophes too, stand several words."""
_SPEAKER = re.compile(r"^[^\w\n]{0,9}([^\W\d_][\w .'’-]{0,40}?)[^\w\n]{0,9}:[^\w\n]{0,9}(\S.*)$", re.MULTILINE)


class Source(NamedTuple):
    """A text of the input, with the names by which an answer may refer to it."""

    names: tuple[str, ...]
    text: SourceText


class Quotation(NamedTuple):
    """A quotation and the words around it, in the order in which they are searched for the name of its source."""

    text: str
    around: tuple[str, ...] = ()


def sources(case_input: Any, place: str) -> list[Source]:
    """Return the texts at a path of the input; `document` is its key of that name, or the whole input without one."""
    if place == "document" and not (isinstance(case_input, dict) and place in case_input):
        return list(_texts(case_input, ()))
    found = [] if isinstance(case_input, str) else path_of(place).findall(case_input)
    return [each for value in found for each in _texts(value, ("",))]


def _texts(value: Any, names: tuple[str, ...]) -> Iterator[Source]:
    """Yield every text of a JSON value, named by keys and by what an object calls itself; then its speakers' lines."""
    if isinstance(value, str):
        yield Source(names, SourceText(value))
        lines: dict[str, list[str]] = {}
        for speaker, line in _SPEAKER.findall(value):
            lines.setdefault(speaker, []).append(line)
        if len(lines) > 1:
            yield from (Source((*names, each), SourceText("\n".join(said))) for each, said in lines.items())
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, names or ("",))
    elif isinstance(value, dict):
        # The keys of the input itself are the names of its texts.
        own = _names(value, NAME_KEYS) if names else ()
        for key, part in value.items():
            yield from _texts(part, (*names, *(own or (key,))))


def _names(value: dict[str, Any], keys: Sequence[str]) -> tuple[str, ...]:
    """Return what an object calls itself; a number as answers cite it, `[2]`."""
    given: Iterator[Any] = map(value.get, keys)
    return tuple(f"[{each}]" if type(each) is int else each for each in given if type(each) in (int, str))


def quotes(check: Check, case_input: Any, reading: Reading) -> Result:
    """Return whether every quotation occurs in the source: each text at the check's path, or what is marked as one."""
    own = sources(case_input, check.wanted["from"])
    read = {each.text.text for each in own}
    others = [each for each in _texts(case_input, ()) if each.text.text not in read]
    value = reading.value if isinstance(reading.value, dict | list) or check.path else reading.text
    given = _fields(value) if check.path else (each for text in _strings(value) for each in quotations(text))
    found = (fault for each in given if normalise_text(each.text) and (fault := _fault(each, own, others)))
    faults = list(islice(found, SHOWN))  # a search for what is nearly quoted takes long
    return Result(0.0, "; ".join(faults)) if faults else PASSED


def _fault(quotation: Quotation, own: Sequence[Source], others: Sequence[Source]) -> str:
    homes = [each for each in own if each.text.contains_quote(quotation.text)]
    said = short(quotation.text)
    for words in map(SourceText, quotation.around if homes else ()):
        named = [one for one in own if any(n in words.text if n[:1] == "[" else words.mentions(n) for n in one.names)]
        if named:
            return "" if any(each in homes for each in named) else _elsewhere(said, homes[-1])
    if homes:
        return ""
    for each in others:
        if each.text.contains_quote(quotation.text):
            return _elsewhere(said, each)
    key, least = normalise_text(quotation.text), 100 * NEARLY
    for each in own:
        if near := process.extractOne(key, _sentences(each.text.text), scorer=fuzz.partial_ratio, score_cutoff=least):
            return f"altered: “{said}”; the source has “{short(near[2])}”"
    return f"fabricated: “{said}”"


@lru_cache(maxsize=64)
def _sentences(text: str) -> dict[str, str]:
    return {text[start:end]: normalise_text(text[start:end]) for start, end in sentences(text)}


def _elsewhere(said: str, home: Source) -> str:
    return f"misattributed: “{said}” is from {', '.join(filter(None, home.names)) or 'another text'}"


def quotations(text: str) -> Iterator[Quotation]:
    """Yield the quotations of a text; the words before one name its source, else those behind it."""
    text, at = _CODE.sub(" ", text), 0
    marks = list(_MARKED.finditer(text))
    starts = [0, *(each.end() for each in PARAGRAPH.finditer(text)), len(text) + 1]
    for mark, following in zip_longest(marks, (each.start() for each in marks[1:])):
        first, last = (bisect_right(starts, place) - 1 for place in (mark.start(), mark.end() - 1))
        alone, before = at <= starts[first], text[max(at, starts[first]) : mark.start()]
        behind = text[mark.end() : min(starts[last + 1], following or len(text))]
        at, parts = mark.end(), [before[start:end] for start, end in sentences(before)]
        quote = re.sub(r"^>[> ]?", "", next(filter(None, mark.groups())), flags=re.MULTILINE)
        tail = "" if quote.rstrip().endswith(".") else behind[slice(*sentences(behind)[0])]
        above = text[starts[max(first - 1, 0)] : starts[first]].rstrip()
        head = parts[-1] if before.strip() else above if above.endswith(":") else ""
        # Words between two quotations of one sentence may belong to either.
        if quote.strip():  # a block quote may have no words
            yield Quotation(quote, (head, tail) if alone or len(parts) > 1 else (f"{head} {tail}",))


def _fields(value: Any) -> Iterator[Quotation]:
    """Yield the texts of a JSON value as quotations; an object's quote with its other texts around it."""
    key = next((key for key in QUOTE_KEYS if isinstance(value, dict) and isinstance(value.get(key), str)), None)
    if key is not None:
        yield Quotation(value[key], (" ".join((*_strings({**value, key: ""}), *_names(value, NAME_KEYS[1:]))),))
    elif isinstance(value, str):
        yield Quotation(value)
    else:
        yield from (quotation for part in _parts(value) for quotation in _fields(part))


def _strings(value: Any) -> Iterator[str]:
    return iter([value]) if isinstance(value, str) else (text for part in _parts(value) for text in _strings(part))


def _parts(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
