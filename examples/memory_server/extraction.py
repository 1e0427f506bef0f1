"""Entities and events in a text, by plain rules: capitals, speakers, and words that give an event away."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

WORD = r"[A-Z][\w'’-]*[A-Za-z0-9]"
NAME = re.compile(rf"\b{WORD}(?: (?:{WORD}|\d+[A-Za-z]?))*|\b[A-Z]{{2,}}-?\d*\b")
CODE = re.compile(r"\b[A-Z]{2,}[- ]\d+\b")
SPEAKER = re.compile(r"^(?:\[[\d:]+\] *)?(?:From: *|[-*] *)?([A-Za-z][\w.]*(?: [A-Z][\w-]+)?) *(?:<[^>]*>)?:? ")
WITH_ROLE = re.compile(rf"\b({WORD} {WORD}),? \(?((?:[A-Z][\w-]+ ?){{1,4}})\)")
DUE = re.compile(
    r"\bby ((?:\w+day,? )?(?:\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]{2,8}|[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th)?))"
)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
ORDINARY = frozenset(
    re.findall(
        r"\w+",
        """the a an we i it this that and but so if no yes not our my their his her you they he she there here what when
        where who how why can could will would should do does did is are was were has have had be re cc to from date
        subject owner status context options decision consequences stakeholders attendees discussion action items next
        steps notes ok thanks hello hi dear regards best please all as at by for in of on or with
        monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
        september october november december jan feb mar apr jun jul aug sep sept oct nov dec""",
    )
)
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
class Facts:
    """What was found in one text; keys as a benchmark of memories names them."""

    events: list[dict[str, Any]] = field(default_factory=list)
    entities: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """As a store keeps it."""
        return asdict(self)


def extract(text: str) -> Facts:
    """Entities and events of a text; the same text gives the same facts."""
    return Facts(_events(text), _entities(text))


def _entities(text: str) -> list[dict[str, Any]]:
    roles = {name: role.strip() for name, role in WITH_ROLE.findall(text)}
    counted: Counter[str] = Counter()
    for line in SENTENCE.split(text):
        for match in [*NAME.finditer(line), *CODE.finditer(line)]:
            name = match[0].strip(" .'’-")
            words = name.split()
            while words and words[0].lower() in ORDINARY:  # "The Rime 4" is Rime 4, "Monday" nobody
                words = words[1:]
            alone = len(words) == 1 and match.start() == 0 and not re.search(r"\d|[A-Z]{2}", name)
            if words and not alone:
                counted[" ".join(words)] += 1
    whole = [name for name in counted if " " in name]
    merged: dict[str, set[str]] = {}
    for name in sorted(counted, key=lambda each: (-len(each), each)):
        owners = [other for other in whole if other != name and name in other.split()]
        merged.setdefault(owners[0] if len(owners) == 1 else name, set()).add(name)
    found = []
    for name, mentions in sorted(merged.items()):
        entity: dict[str, Any] = {"name": name, "type": _type(name, roles), "mentions": sorted(mentions | {name})}
        found.append(entity | ({"role": roles[name]} if name in roles else {}))
    return found


def _type(name: str, roles: dict[str, str]) -> str:
    if name in roles or (len(name.split()) == 2 and not re.search(r"\d|^Project|GmbH|Ltd", name)):
        return "PERSON"
    return "PROJECT" if re.search(r"\d|^Project", name) else "ORG"


def _events(text: str) -> list[dict[str, Any]]:
    found = []
    for sentence in map(str.strip, SENTENCE.split(text)):
        if len(sentence.split()) < 3 or re.match(r"(?:From|To|Cc|Date|Subject|Attendees|Status|Owner):", sentence):
            continue
        category = next((name for name, sign in SIGNS if sign.search(sentence)), None)
        if category is None:
            continue
        speaker, due = SPEAKER.match(sentence), DUE.search(sentence)
        event = {"category": category, "description": sentence, "evidence": sentence}
        event |= {"actor": speaker[1]} if speaker and ":" in speaker[0] else {}
        found.append(event | ({"due_date": due[1]} if due else {}))
    return found
