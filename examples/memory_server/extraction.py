"""Sentences and events of a text, by plain rules: punctuation, speakers, and words that give an event away."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .names import ADDRESS

SPEAKER = re.compile(r"^(?:\[[\d:]+\] *)?(?:From: *|[-*] *)?([A-Za-z][\w.]*(?: [A-Z][\w-]+)?) *(?:<[^>]*>)?:? ")
DUE = re.compile(
    r"\bby ((?:\w+day,? )?(?:\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]{2,8}|[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th)?))"
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
MARKS = re.compile(r"^[\s*#>-]*(?:\[[\d:]+\] *)?")
HEADER = re.compile(r"(?:From|To|Cc|Date|Subject|Attendees|Status|Owner|Stakeholders|Consulted|Notes)\b[^:.]{0,20}:")
FEWEST_WORDS = 3
SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (category, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for category, words in (
        ("Change", r"postponed?|moved? (?:to|from)|moves|pushed|delayed?|instead of|rescheduled|no longer|renamed"),
        ("Decision", r"decided?|decision|agreed?|approved?|accepted|chose|choice|we go with|signed off"),
        ("QualityRisk", r"risk|risky|concern(?:ed)?|worri(?:ed|es)|bottleneck|might not|may not|afraid|fail(?:s|ed)?"),
        (
            "Commitment",
            r"i'll|i will|i'm sending|will (?:send|have|finish|write|deliver|be)|promise[ds]?|by (?:the )?\d",
        ),
        ("Execution", r"done|finished|completed|shipped|delivered|fixed|is live|we're live|installed|tested|passed"),
        ("Collaboration", r"can you|could you|could (?:some|any)body|please|would you|help"),
        ("Feedback", r"great|fantastic|love|excellent|disappoint(?:ed|ing)|annoying|good (?:job|work)|useless"),
        ("Stakeholder", r"loop in|needs? to know|pulled? in|involve[ds]?|inform(?:ed)?"),
    )
)


@dataclass(frozen=True)
class Sentence:
    """A sentence, a line of a list or of a chat, and where in its text it is."""

    start: int
    end: int
    words: str
    """Without bullets, times of day and addresses."""
    header: bool
    """Whether it is a header: part of what a text is about, but said by nobody."""


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text."""
    found, start = [], 0
    for match in [*SENTENCE_END.finditer(text), None]:
        end = match.start() if match else len(text)
        words = MARKS.sub("", ADDRESS.sub("", text[start:end])).strip()
        if len(words.split()) >= FEWEST_WORDS:
            found.append(Sentence(start, end, words, bool(HEADER.match(words))))
        start = match.end() if match else end
    return found


def events(text: str) -> list[dict[str, Any]]:
    """What happened by a text, keys as a benchmark of memories names them; the same text gives the same events."""
    found = []
    for sentence in sentences(text):
        category = next((name for name, sign in SIGNS if sign.search(sentence.words)), None)
        if category is None or sentence.header:
            continue
        evidence = text[sentence.start : sentence.end].strip()
        speaker, due = SPEAKER.match(evidence), DUE.search(evidence)
        event = {"category": category, "description": sentence.words, "evidence": evidence}
        event |= {"actor": speaker[1]} if speaker and ":" in speaker[0] else {}
        found.append(event | ({"due_date": due[1]} if due else {}))
    return found
