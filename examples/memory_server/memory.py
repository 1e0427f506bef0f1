"""The memory itself: keeps texts at once, looks into them in the background, recalls and connects."""

from __future__ import annotations

import math
import queue
import re
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .extraction import Sentence, events
from .names import Names, rarity
from .passages import Passages
from .stores import Store, words_of

COMMON = 0.25
"""A name in more than this share of all texts connects nothing with anything."""
PERSON = 0.25
"""What a shared person weighs beside a shared thing: colleagues turn up in everything."""
WEAKEST = 0.3
"""Strength beside the strongest connection of a text, from which one is told."""
RANK = 60
"""Constant of reciprocal rank fusion (G. Cormack et al., 2009)."""
DEPTH = 40
"""Texts of each ranking that are fused."""
SEEDS = 3
MOST_SENTENCES = 8
DATE = re.compile(r"\b(?:\d{4}-\d\d-\d\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b", re.I)


@dataclass(frozen=True)
class Index:
    """What is known of all texts together; made anew when one was added."""

    names: Names
    found: dict[str, dict[str, float]]
    """By text, the names in it that connect, with their weight: the logarithm of their rarity."""


class Memory:
    """Safe for several threads: the store is used by one at a time. Raises `MissingExtra` without the model."""

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, threading.RLock()
        self._passages = Passages()
        self._index: Index | None = None
        self._waiting: queue.Queue[tuple[str, str]] = queue.Queue()
        self._failed: dict[str, str] = {}
        threading.Thread(target=self._work, daemon=True).start()

    def remember(self, name: str, text: str) -> None:
        """Keep a text; what is in it is found out later, see `state`."""
        with self._lock:
            self._store.add(name, text)
            self._index = None
        self._waiting.put((name, text))

    def state(self) -> dict[str, Any]:
        """How far the looking into texts is."""
        pending = self._waiting.unfinished_tasks
        word = "working" if pending else "failed" if self._failed else "done"
        return {"state": word, "pending": pending, "failed": dict(self._failed)}

    def recall(self, query: str, limit: int) -> list[tuple[str, float]]:
        """Texts that fit a query, best first: by words, by the best passage and by events of who and when it names."""
        with self._lock:
            passages = {name: max((score for _, score in found), default=-1.0) for name, found in self._scored(query).items()}
            rankings = [
                [name for name, _ in self._store.search(query, DEPTH)],
                _ranked(passages),
                _ranked(self._told(query)),
            ]
        fused: dict[str, float] = defaultdict(float)
        for ranking in rankings:
            for place, name in enumerate(ranking[:DEPTH], 1):
                fused[name] += 1 / (RANK + place)
        return [(name, round(fused[name], 6)) for name in _ranked(fused)[:limit]]

    def _told(self, query: str) -> dict[str, float]:
        """Texts with events that name the query's people, things and dates, by how rare those are."""
        index = self._indexed()
        wanted = {one.name for one in index.names.find(query)}
        dates = {date.lower()[:3] for date in DATE.findall(query)}
        told: dict[str, float] = {}
        for name in self._store.names():
            happened = " \n".join(event["evidence"] for event in self._store.events(name))
            named = {one.name for one in index.names.find(happened)} & wanted
            times = {date.lower()[:3] for date in DATE.findall(happened)} & dates
            if named or times:
                told[name] = sum(index.found[name].get(each, 0.5) for each in sorted(named)) + len(times)
        return told

    def knows(self, name: str) -> bool:
        """Whether a text of that name was remembered."""
        with self._lock:
            return name in self._store.names()

    def text(self, name: str) -> str:
        """A text that was remembered."""
        with self._lock:
            return self._store.text(name)

    def events(self, name: str) -> list[dict[str, Any]]:
        """The events of a text."""
        with self._lock:
            return self._store.events(name)

    def entities(self, name: str) -> list[dict[str, Any]]:
        """Who and what a text names, keys as a benchmark of memories names them."""
        with self._lock:
            names = self._indexed().names
            return [
                {"name": one.name, "type": names.type_of(one.name), "mentions": list(one.mentions)}
                | ({"role": names.roles[one.name]} if one.name in names.roles else {})
                for one in names.find(self._store.text(name))
            ]

    def connections(self, seed: str) -> list[dict[str, Any]]:
        """Texts that share rare names with a text, the strongest first, and the name that connects most."""
        with self._lock:
            found = self._indexed().found
        linked = []
        for name in sorted(found.keys() - {seed}):
            shared = sorted(found.get(seed, {}).keys() & found[name].keys(), key=lambda each: (-found[name][each], each))
            weight = round(sum(found[name][each] for each in shared), 4)
            if weight >= round(-math.log(COMMON), 4):  # no weaker than the commonest thing that connects
                linked.append((weight, name, shared[0]))
        most = max((weight for weight, _, _ in linked), default=0.0)
        return [
            {"document_id": name, "connection_reason": "shared_entity", "entity": entity, "hops": 1,
             "strength": round(weight / most, 4)}
            for weight, name, entity in sorted(linked, key=lambda each: (-each[0], each[1]))
            if weight >= WEAKEST * most
        ]  # fmt: skip

    def more(self, query: str, hits: Sequence[str], *, connected: bool) -> list[tuple[str, Sentence]]:
        """The sentences that fit a query best, outside of the hits: of connected texts, or of any."""
        with self._lock:
            index, scored = self._indexed(), self._scored(query)
            wanted = {one.name for one in index.names.find(query)}
            linked = {each["document_id"] for seed in hits[:SEEDS] for each in self.connections(seed)}
            linked |= {name for name, found in index.found.items() if wanted & found.keys()}
            texts = {name: self._store.text(name) for name in scored}
        candidates = []
        for name in sorted(scored.keys() - set(hits)):
            if connected and name not in linked:
                continue
            candidates += [(-score, name, one) for one, score in scored[name]]
        best = sorted(candidates, key=lambda each: (each[0], each[1], each[2].start))[:MOST_SENTENCES]
        return [(name, one) for _, name, one in best]

    def _scored(self, query: str) -> dict[str, list[tuple[Sentence, float]]]:
        for name in self._store.names():  # those of an earlier session
            if not self._passages.has(name, text := self._store.text(name)):
                self._passages.add(name, text)
        return self._passages.scores(query)

    def _indexed(self) -> Index:
        if self._index is None:
            texts = {name: self._store.text(name) for name in self._store.names()}
            names = Names(texts.values())
            found = {name: names.find(text) for name, text in texts.items()}
            weights = {
                name: math.log(len(texts) / times) * (PERSON if names.type_of(name) == "PERSON" else 1)
                for name, times in rarity(found).items()
                if times <= max(2, COMMON * len(texts))
            }
            kept = {name: {one.name: weights[one.name] for one in named if one.name in weights} for name, named in found.items()}
            self._index = Index(names, kept)
        return self._index

    def _work(self) -> None:
        while True:
            name, text = self._waiting.get()
            try:
                happened = events(text)
                self._passages.add(name, text)
                with self._lock:
                    self._store.keep(name, happened)
                self._failed.pop(name, None)  # remembered again, it may be better
            except Exception as error:  # one text must not end the work on all others
                self._failed[name] = str(error)
            finally:
                self._waiting.task_done()


def _ranked(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda name: (-round(scores[name], 6), name))
