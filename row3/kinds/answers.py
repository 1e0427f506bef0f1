"""Reading a model's text, in the same way for every kind, with documented repairs and no guessing.

Reasoning is no answer: what follows the last closing tag is, up to a block that was never closed. Such a block begins
at the start, on a line of its own or after another block: within a line, a tag that is never closed is only named. A
text that is JSON as a whole is its own answer, whatever its values mention. Then `read_json` tries in this order, and
the first attempt that gives JSON wins; the result names every repair:

1. the answer as it is;
2. the contents of a Markdown code fence;
3. the text from the first brace or bracket to its counterpart, without the prose around it;
4. with trailing commas removed.

A truncated answer is not repaired. Nor is a judge's reply: see `read_object`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from row3.domain.requests import BAD_ANSWERS
from row3.domain.scores import Tally

END = r"(?i:<\|(?:end|return|call|end_response|end_of_solution)\|>)"
"""End of an answer: gpt-oss, Command, OpenThinker."""
TAGS = "think thinking thought reasoning reasoning_content analysis scratchpad seed:think"
REASONING = (
    *((rf"<{name}\s*>", rf"</{name}\s*>") for name in TAGS.split()),
    (r"\[think\]", r"\[/think\]"),  # Mistral
    ("◁think▷", "◁/think▷"),  # Kimi
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>(?:\s*<\|START_RESPONSE\|>)?"),  # Command
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>(?:\s*<\|begin_of_solution\|>)?"),  # OpenThinker
    (r"<\|channel\|>(?!\s*final)", r"<\|channel\|>\s*final[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"),  # gpt-oss
    (END, r"(?!)"),
)
"""Patterns that open and close reasoning, in any case; a tag in backticks is only named."""
OPENING_TAG, CLOSING_TAG = (
    re.compile(rf"(?!(?<=(?<!`)`)[^`\s]+`(?!`))(?:{'|'.join(tags)})", re.IGNORECASE)
    for tags in zip(*REASONING, strict=True)
)
TAG_PARTS = ("<", "◁", "think]")
"""What tags contain, in lower case: each has one of these."""
UNCLOSED = re.compile(rf"(?:^[^\S\n]*|(?=<\|)){OPENING_TAG.pattern}", re.IGNORECASE | re.MULTILINE)
"""A tag that begins a block without an end: the first of a line, or one that only a model's tokens contain."""
FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\r?\n")
"""Start of a code fence; where it ends, JSON says, since its values may contain fences."""
SURROUNDING_FENCE = re.compile(r"```[A-Za-z0-9_-]*\s*(.*?)\s*```", re.DOTALL)
LEAD, TAIL = re.compile(rf"[\s\ufeff]*(?:{FENCE.pattern})?\s*"), re.compile(rf"(\s*(?:```)?)\s*(?:{END}\s*)?\Z")
TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\Z))|,(?=\s*[}\]])', re.DOTALL)
OPENING = re.compile(r'\{\s*"|\[\s*[\[{"]')
MAX_ANSWER = 4_000_000
"""Maximum characters of an answer (a model writes perhaps 500,000)."""
THOUGHT, FENCED = "reasoning block removed", "code fence removed"
PROSE = "prose around the JSON removed"
MOST_TRIED = 20
"""Closing tags, and code fences, after which JSON is looked for."""
SHOWN = 40
"""Characters of an answer quoted in a message."""


class Parsed(NamedTuple):
    """A readable answer, and the repairs it took."""

    value: Any
    repairs: tuple[str, ...] = ()


class Unusable(NamedTuple):
    """An unreadable answer: a bad answer, which scores 0."""

    reason: str


def named_fault(reason: str) -> Tally:
    """Return the tally of a bad answer whose reason, after its place, begins with a name: `{"badAnswers": {…: 1}}`."""
    found = re.match(rf"(?:\S+ )?({'|'.join(BAD_ANSWERS)}): ", reason)
    return {} if found is None else {"badAnswers": {found[1]: 1}}


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is repeated")
    return found


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
STRICT = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_refuse_repeated)


def plain_text(text: str) -> Parsed | Unusable:
    """Return the text of an answer without reasoning, or why there is none."""
    if len(text) > MAX_ANSWER:
        return Unusable(f"the answer has {len(text):,} characters, more than {MAX_ANSWER:,}")
    plain = _without_reasoning(text)
    if not plain.strip():
        return Unusable("empty: all of the reply is reasoning" if text.strip() else "empty: the reply has no text")
    return Parsed(plain, (THOUGHT,) if plain != text else ())


def _without_reasoning(text: str) -> str:
    """Return the last text outside of reasoning: after a closing tag or at the start, up to the next opening one.

    Before that, the first rest that is JSON as a whole wins, so that a tag in a value is no tag.
    """
    lower = text.lower()
    if not any(part in lower for part in TAG_PARTS):
        return text
    closed = [match.end() for match in CLOSING_TAG.finditer(text)]
    opened = _next_block(text, 0, closed)
    if opened == len(text) and not closed:
        return text
    for start in (0, *closed[:MOST_TRIED]):
        if end := _json_end(text, start):
            return text[start:end].strip() if start or end < len(text.rstrip()) else text
    # What precedes a closing tag without an opening one is reasoning too.
    starts = closed if closed and closed[0] <= opened else [0, *closed]
    for start in reversed(starts):
        if answer := text[start : _next_block(text, start, closed)].strip():
            return answer
    return ""


def _next_block(text: str, start: int, closed: Sequence[int]) -> int:
    """Return where reasoning begins next, or the text ends; `closed` has the ends of the closing tags."""
    found = OPENING_TAG.search(text, start)
    if found is None or not (closed and found.start() < closed[-1]):
        return len(text) if (found := UNCLOSED.search(text[start:])) is None else start + found.start()
    return found.start()


def _json_end(text: str, start: int) -> int:
    """Return where JSON, alone or in a code fence, ends if it is the whole rest of a text; else 0."""
    try:
        _, end = DECODER.raw_decode(text, LEAD.match(text, start).end())  # type: ignore[union-attr]
    except (ValueError, RecursionError):
        return 0
    tail = TAIL.match(text, end)
    return 0 if tail is None else tail.end(1)


def read_json(text: str, *, repair: bool = True) -> Parsed | Unusable:
    """Return the JSON value in a model's answer, or why there is none; without `repair`, only the whole or a fence."""
    plain = plain_text(text)
    if isinstance(plain, Unusable):
        return plain
    problem = ""
    for candidate, repairs in _candidates(plain.value, plain.repairs, repair=repair):
        try:
            value, end = DECODER.raw_decode(candidate)
        except RecursionError:
            return Unusable("the answer is nested too deeply")
        except ValueError as error:
            problem = problem or _why_broken(error, candidate)
        else:
            rest = candidate[end:].strip()
            if not rest or PROSE in repairs or (FENCED in repairs and rest.startswith("```")):
                return Parsed(value, repairs)
    return Unusable(f"the answer is not JSON: {problem or _beginning(plain.value)}")


def _beginning(text: str) -> str:
    line = " ".join(text[: 10 * SHOWN].split())
    return f"it begins “{line[:SHOWN].rstrip()}{'…' if len(line) > SHOWN else ''}”"


def _candidates(text: str, done: tuple[str, ...], *, repair: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    plain = text.lstrip("\ufeff").strip()
    yield plain, done
    parts = [(plain[fence.end() :].lstrip(), (*done, FENCED)) for fence in islice(FENCE.finditer(plain), MOST_TRIED)]
    yield from parts
    if not repair:
        return
    if (opening := OPENING.search(plain)) is not None:
        # Only the first: a value inside a broken one is a fragment, not the answer.
        parts.append((plain[opening.start() :], (*done, PROSE)))
        yield parts[-1]
    for part, repairs in [(plain, done), *parts]:
        repaired = TRAILING_COMMA.sub(lambda match: match[1] or "", part)
        if repaired != part:
            yield repaired, (*repairs, "trailing commas removed")


def read_object(text: str) -> dict[str, Any] | str:
    """Return the single JSON object, without repeated keys, that is a judge's whole reply; or why there is none.

    Reasoning and one surrounding fence are removed, and nothing else: a reply that quotes the answer grades nothing.
    """
    plain = plain_text(text)
    if isinstance(plain, Unusable):
        return plain.reason
    bare = plain.value.lstrip("\ufeff").strip()
    if (fenced := SURROUNDING_FENCE.fullmatch(bare)) is not None:
        bare = fenced[1]
    try:
        value = STRICT.decode(bare)
    except RecursionError:
        return "the reply is nested too deeply"
    except ValueError as error:
        return f"the reply is not one JSON object: {_why_broken(error, bare) or _beginning(bare)}"
    return value if isinstance(value, dict) else "the reply is not a JSON object"


def _why_broken(error: ValueError, text: str) -> str:
    """Return what is wrong with JSON, and after which words; empty if the text does not begin like JSON."""
    if not isinstance(error, json.JSONDecodeError):
        return why_no_json(error)
    if not text.startswith(("{", "[")):
        return ""
    ends = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
    read = text.rstrip() if ends else text[: error.pos]
    line = " ".join(read[-10 * SHOWN :].split())
    after = f"after “{'…' if len(line) > SHOWN else ''}{line[-SHOWN:].lstrip()}”"
    return f"it breaks off {after}" if ends else f"{error.msg.removesuffix(' at')} {after}"


def why_no_json(error: Exception) -> str:
    """Return a decoder's message, without Python's advice about very long numbers."""
    return "a number has too many digits" if "integer string conversion" in str(error) else str(error)
