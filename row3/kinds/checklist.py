"""The checklist of an investigation: parts, causes and questions by kind, and the functions that answer questions."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple

from row3.domain.prompts import Prompt
from row3.domain.requests import JUDGE, Answer, Request
from row3.kinds.mistakes import Mistake


class Cause(NamedTuple):
    """A cause of failing items."""

    part: str
    words: str
    fix: str


class Part(NamedTuple):
    """A heading of the checklist with its questions and the key of each answer."""

    key: str
    title: str
    questions: tuple[tuple[str, str], ...]
    outputs: Sequence[str]
    """Outputs, one of whose prompts a fix belongs in; empty for the last prompt."""


class Reply(NamedTuple):
    """The data's reply to a question."""

    text: str
    faults: Sequence[Mistake] = ()
    open: bool = False
    """Whether only a person can answer; `text` is then a hint."""


class Evidence(NamedTuple):
    """Faults of one or more cases, with the prompts and answers behind them."""

    faults: Sequence[Mistake]
    sizes: Mapping[str, int]
    parts: tuple[Part, ...]
    causes: Mapping[str, Cause]
    prompts: Sequence[Prompt] = ()
    said: Sequence[tuple[Request, Answer]] = ()

    def of(self, part: str) -> list[Mistake]:
        """Return the faults of one part."""
        return [fault for fault in self.faults if self.causes[fault.cause].part == part]

    def size(self, part: str) -> int:
        """Return the number of items that the part's faults are among; 0 if that is meaningless."""
        return self.sizes.get(part, self.sizes.get("", 0) if part not in ("case", "predicates") else 0)

    def asked(self, *, all_parts: bool = False) -> Iterator[tuple[Part, str, Reply]]:
        """Yield the questions with their replies, for the parts with faults or for all."""
        for part in self.parts:
            if all_parts or self.of(part.key) or (part.key == "case" and self.faults):
                for question, answer in part.questions:
                    reply = ANSWERS[answer](self, part) if answer in ANSWERS else _caused(self, part, answer)
                    if reply is not None:
                        yield part, question, reply


def checklist(kind: str) -> tuple[tuple[Part, ...], dict[str, Cause]]:
    """Return the parts of a kind's checklist in order, and its causes by name."""
    table = tomllib.loads(files("row3.kinds").joinpath("checklists.toml").read_text("utf-8"))
    entries = [*table["any"], *table[kind]]
    parts = [Part(e["part"], e["title"], tuple(map(tuple, e.get("ask", ()))), e.get("outputs", ())) for e in entries]
    causes = {name: Cause(e["part"], *words) for e in entries for name, words in e.get("causes", {}).items()}
    return tuple(parts), causes


def _caused(evidence: Evidence, part: Part, causes: str) -> Reply:
    found = [fault for fault in evidence.faults if fault.cause in causes.split()]
    parts = {evidence.causes[cause].part for cause in causes.split()}
    total = sum(len(evidence.of(each)) for each in parts)
    if found and part.key == "case":  # faults hint at a wrong golden case, but prove nothing
        return Reply(f"{len(found):,} of {total:,}", found, open=True)
    return _share(found, total)


def _placed(evidence: Evidence, part: Part) -> Reply:
    faults = evidence.of(part.key)
    return _share([fault for fault in faults if fault.place is not None], len(faults))


def _share(found: Sequence[Mistake], total: int) -> Reply:
    word = "no" if not found else "yes" if len(found) == total else "partly"
    return Reply(f"{word}: {len(found):,} of {total:,}" if total else word, found)


def _amounts(evidence: Evidence) -> Reply:
    return Reply(f"{evidence.size('extra'):,} in the answer, {evidence.size('missed'):,} expected", open=True)


def _pairs(evidence: Evidence, part: Part) -> Reply:
    pairs = dict.fromkeys(fault.pair for fault in evidence.of(part.key) if fault.pair)
    return Reply(", ".join(list(pairs)[:3]), open=True)


def _temperature(evidence: Evidence, part: Part) -> Reply:
    asked = [(request, answer) for request, answer in evidence.said if request.by != JUDGE]
    if any("temperature" in answer.omitted for _, answer in asked):
        return Reply("it is the provider's default, as the endpoint refused ours", open=True)
    values = dict.fromkeys(request.temperature for request, _ in asked)
    shown = ", ".join("the provider's default" if value is None else f"{value:g}" for value in values)
    return Reply("no, it is 0") if set(values) <= {0} else Reply(f"it is {shown}; 0 invents least", open=True)


def _quoting(evidence: Evidence, part: Part) -> Reply:
    asks = any("quot" in prompt.body.lower() or "evidence" in prompt.body.lower() for prompt in evidence.prompts)
    return Reply(f"the prompt {'asks for' if asks else 'does not mention'} quotes", open=True)


def _cut(evidence: Evidence, part: Part) -> Reply:
    cut = dict.fromkeys(request.prompt for request, answer in evidence.said if answer.finish_reason == "length")
    return Reply(f"those of {', '.join(cut)}" if cut else "no")


ANSWERS: Mapping[str, Callable[[Evidence, Part], Reply | None]] = {
    "placed": _placed,
    "fewer": lambda evidence, _: _amounts(evidence) if evidence.size("extra") < evidence.size("missed") else None,
    "more": lambda evidence, _: _amounts(evidence) if evidence.size("extra") > evidence.size("missed") else None,
    "pairs": _pairs,
    "temperature": _temperature,
    "quoting": _quoting,
    "cut": _cut,
    "open": lambda evidence, part: Reply("", open=True),
    "update": lambda evidence, part: Reply("only if its source says so, never to fit an answer", open=True),
}
"""By key in the checklist; any other key lists causes. None if the data give no reason to ask."""
