"""What a person is said to be, beside the name: `UN Secretary-General António Guterres`, `Marie Curie, physicist`.

Our own compilation.
"""

from __future__ import annotations

import re

from row3.matching.normalise import normalise
from row3.matching.persons.given_names import GENERATIONS, GIVEN, SAME_NAME, TITLES
from row3.matching.words.inflection import plain
from row3.matching.words.lexicon import words
from row3.matching.words.vocabulary import is_word

ROLES = words(
    "president chancellor minister premier secretary general ambassador governor mayor judge justice senator "
    "congressman congresswoman representative commissioner director chair chairman chairwoman chairperson speaker "
    "ceo cfo cto coo cio cmo prince princess lady captain coach professor rabbi archbishop bishop cardinal colonel "
    "lieutenant inspector detective sheriff sergeant commander admiral marshal chief officer"
)
"""Offices that may have whose they are before them: `Fed Chair Powell`."""
PROFESSIONS = words(
    "activist actor actress anthropologist archaeologist architect artist astronaut astronomer athlete attorney "
    "author banker billionaire biochemist biologist botanist boxer businessman businesswoman campaigner cartoonist "
    "chef chemist choreographer cofounder comedian composer conductor correspondent criminologist critic "
    "cryptographer dancer designer diplomat dissident dramatist economist editor engineer entrepreneur "
    "epidemiologist essayist explorer filmmaker footballer founder general geneticist geographer geologist golfer "
    "guitarist historian illustrator immunologist industrialist inventor investor journalist laureate lawmaker "
    "lawyer leader lexicographer linguist logician magnate manager mathematician microbiologist musician naturalist "
    "neurologist neuroscientist novelist nurse oncologist ornithologist owner painter palaeontologist "
    "paleontologist pathologist philanthropist philosopher photographer physician physicist pianist pilot "
    "playwright poet politician producer programmer prosecutor psychiatrist psychoanalyst psychologist publisher "
    "rapper reformer researcher revolutionary scholar scientist screenwriter sculptor singer sociologist soldier "
    "songwriter spokesman spokesperson spokeswoman sprinter statesman statistician striker surgeon swimmer "
    "theologian theorist tycoon vet violinist virologist winner writer zoologist"
)
"""What a person does, before the whole name or behind it."""
_SAID_BEHIND = re.compile(r"(?P<name>[^,()]+ [^,()]+?)(?:, | \()(?P<said>[^,()]+)\)?")
_BESIDE = re.compile(r" (?:of|at|for|in|from|and) ")
"""Between what somebody is and whose, or what else."""
_ANOTHER = re.compile(r"\b(?:by|with|about|on|to|against|over|like|as|versus|vs)\b", re.IGNORECASE)
"""Between two persons or things, of whom the last is not who is named: `biography by historian Ron Chernow`."""


def without_role(text: str) -> tuple[str, str]:
    """A person's name without what the person is said to be, and the office that is told behind it ("" for none).

    A title stays before the name: `UN Secretary-General António Guterres` -> `General António Guterres`,
    `British economist John Maynard Keynes` -> `John Maynard Keynes`. The text itself where nothing tells that a
    person's name stands there.
    """
    if (behind := _SAID_BEHIND.fullmatch(text)) is not None and _is_given(behind["name"].split()[0]):
        role = _role(behind["said"])
        return (behind["name"], role) if role else (text, "")
    spelt = text.split()
    if len(spelt) < 3 or "," in text or "(" in text or _is_given(spelt[0]):
        return text, ""
    for place in range(len(spelt) - 1, 0, -1):
        said, rest = " ".join(spelt[:place]), spelt[place:]
        role = _role(said)
        if not role or _ANOTHER.search(said) is not None:
            continue
        whole = len(rest) > 1 and (_is_given(rest[0]) or _has_foreign(rest))
        if whole or (place > 1 and len(rest) == 1 and role in ROLES and _has_capitals([said, *rest])):
            title = [role.capitalize()] if role in TITLES else []
            return " ".join([*title, *rest]), ""
    return text, ""


def _role(said: str) -> str:
    """The office or profession, without whose it is: `chair` of `chair of the Federal Reserve`; "" for neither."""
    first = _BESIDE.split(said, maxsplit=1)[0].split()
    last = first[-1].casefold().rpartition("-")[2] if first else ""
    return last if last in ROLES or last in PROFESSIONS else ""


def is_given(name: str) -> bool:
    """A given name, in small letters without accents."""
    return name in SAME_NAME or name in GIVEN


def _is_given(word: str) -> bool:
    return word[:1].isupper() and is_given(plain(word.casefold()))


def _has_foreign(rest: list[str]) -> bool:
    """Capitals all over, and a word that is no English one: a name."""
    return _has_capitals(rest) and not all(map(is_word, map(normalise, rest)))


def _has_capitals(spelt: list[str]) -> bool:
    return all(word[:1].isupper() and normalise(word) not in GENERATIONS for word in spelt)
