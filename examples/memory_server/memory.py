"""The memory itself: keeps texts at once, looks into them in the background, recalls and connects."""

from __future__ import annotations

import math
import queue
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .extraction import Sentence, events
from .names import Names
from .passages import Passages
from .stores import Store

COMMON = 0.25
"""A name in more than this share of all texts connects nothing with anything."""
PERSON = 0.25
"""What a shared person weighs beside a shared thing: colleagues turn up in everything."""
WEAKEST = 0.3
"""Strength beside the strongest connection of a text, from which one is told."""
TOLD = 0.2
"""What it adds to a passage's cosine if an event of its text names all whom and what the query names."""
RANK = 20
"""Constant of reciprocal rank fusion (G. Cormack et al., 2009)."""
DEPTH = 40
"""Texts of each ranking that are fused."""
SEEDS = 3
"""Hits whose connections are followed."""
MOST_SENTENCES, MOST_WORDS = 8, 250
"""Of other texts beside the hits; the same, wherever they come from."""
IS_EVENT, NAMES_IT = 0.05, 0.05
"""What it adds to a connected sentence's cosine if it tells an event, and if it names what query and hits name."""
ExpandTo = Literal["connected", "any"]
"""Where sentences beside the hits come from: texts connected with hits or query, or any text."""
MONTH = re.compile(r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b")


class Index:
    """What is known of all texts together; made anew when one was added."""

    def __init__(self, texts: Mapping[str, str], events: Mapping[str, list[dict[str, Any]]]) -> None:
        self.names = Names(texts.values())
        found = {name: self.names.find(text) for name, text in texts.items()}
        self.events = {name: [self.keys(each["evidence"]) for each in told] for name, told in events.items()}
        """By text and event, the names and dates in it."""
        keys = {name: self.keys(text) for name, text in texts.items()}
        times = Counter(key for each in keys.values() for key in each)
        self.rarity = {key: math.log(1 + len(texts) / times[key]) for key in sorted(times)}
        weight = {
            key: math.log(len(texts) / times[key]) * (PERSON if self.names.type_of(key) == "PERSON" else 1)
            for key in self.rarity
            if times[key] <= max(2, COMMON * len(texts))
        }
        self.weights = {name: {one: weight[one] for one in named if one in weight} for name, named in found.items()}
        """By text, the names in it that connect it with others, with their weight."""
        self.forms: dict[str, list[str]] = defaultdict(list)
        """What a name is called in all texts."""
        for name, form in sorted({(one, form) for each in found.values() for one in each for form in each[one]}):
            self.forms[name].append(form)

    def keys(self, text: str) -> set[str]:
        """The names and months in a text."""
        return set(self.names.find(text)) | {date[:3].lower() for date in MONTH.findall(text)}


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
        """Texts that fit a query, best first: by their words and by their best passage, fused by reciprocal rank.

        The words are those of the query and the other names of whom and what it names. A passage counts more in a text
        with an event of the query's people, things and dates.
        """
        with self._lock:
            index = self._indexed()
            named = sorted(index.names.find(query))
            words = " ".join([query, *(form for name in named for form in index.forms.get(name, ()))])
            by_words = [name for name, _ in self._store.search(words, DEPTH)]
            told = self._told(query)
            passages = {
                name: max((score for _, score in found), default=-1.0) + TOLD * told[name]
                for name, found in self._scored(query).items()
            }
        fused: dict[str, float] = defaultdict(float)
        for ranking in (by_words, _ranked(passages)[:DEPTH]):
            for place, name in enumerate(ranking, 1):
                fused[name] += 1 / (RANK + place)
        return [(name, round(fused[name], 6)) for name in _ranked(fused)[:limit]]

    def _told(self, query: str) -> dict[str, float]:
        """By text, the share of the query's names and dates, by rarity, that one of its events names; 0 to 1."""
        index = self._indexed()
        wanted = {key: index.rarity.get(key, 0.0) for key in index.keys(query)}
        whole = math.fsum(wanted.values()) or 1.0
        return {
            name: max((math.fsum(wanted[key] for key in keys & wanted.keys()) / whole for keys in told), default=0.0)
            for name, told in index.events.items()
        }

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
                {"name": one, "type": names.type_of(one), "mentions": mentions}
                | ({"role": names.roles[one]} if one in names.roles else {})
                for one, mentions in names.find(self._store.text(name)).items()
            ]

    def connections(self, seed: str) -> list[dict[str, Any]]:
        """Texts that share rare names with a text, the strongest first, and the name that connects most."""
        with self._lock:
            found = self._indexed().weights
        linked = []
        for name in sorted(found.keys() - {seed}):
            shared = sorted(
                found.get(seed, {}).keys() & found[name].keys(), key=lambda each: (-found[name][each], each)
            )
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

    def expanded(self, query: str, hits: Sequence[str], expand_to: ExpandTo) -> list[dict[str, str]]:
        """The sentences of other texts that fit the query best, within `MOST_SENTENCES` and `MOST_WORDS`."""
        with self._lock:
            index, scored = self._indexed(), self._scored(query)
            others = scored.keys() - set(hits)
            candidates: list[tuple[float, str, Sentence]] = []
            named = index.keys(query)
            if expand_to == "connected":
                others &= {name for name, weights in index.weights.items() if named & weights.keys()} | {
                    each["document_id"] for seed in hits[:SEEDS] for each in self.connections(seed)
                }
                named |= {key for seed in hits[:SEEDS] for key in index.weights[seed]}
            for name in sorted(others):
                told = {event["description"] for event in self._store.events(name)}
                for one, score in scored[name]:
                    more = IS_EVENT * (one.words in told) + NAMES_IT * bool(index.keys(one.words) & named)
                    fits = round(score + (more if expand_to == "connected" else 0.0), 4)
                    candidates += [] if one.header else [(-fits, name, one)]
            sentences: list[dict[str, str]] = []
            for _, name, one in sorted(candidates, key=lambda each: (each[0], each[1], each[2].start)):
                line = {"document_id": name, "text": self._store.text(name)[one.start : one.end].strip()}
                if len(sentences) < MOST_SENTENCES and count_words([*sentences, line]) <= MOST_WORDS:
                    sentences.append(line)
            return sentences

    def _scored(self, query: str) -> dict[str, list[tuple[Sentence, float]]]:
        for name in self._store.names():  # those of an earlier session
            if not self._passages.has(name, text := self._store.text(name)):
                self._passages.keep(name, self._passages.read(text))
        return self._passages.scores(query)

    def _indexed(self) -> Index:
        if self._index is None:
            names = self._store.names()
            texts = {name: self._store.text(name) for name in names}
            self._index = Index(texts, {name: self._store.events(name) for name in names})
        return self._index

    def _work(self) -> None:
        while True:
            name, text = self._waiting.get()
            try:
                happened, read = events(text), self._passages.read(text)
                with self._lock:
                    self._passages.keep(name, read)
                    self._store.keep(name, happened)
                    self._index = None
                self._failed.pop(name, None)  # remembered again, it may be better
            except Exception as error:  # one text must not end the work on all others
                self._failed[name] = str(error)
            finally:
                self._waiting.task_done()


def _ranked(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda name: (-round(scores[name], 6), name))


def count_words(texts: Sequence[Mapping[str, Any]]) -> int:
    """How many words the texts of results or sentences have."""
    return sum(len(each["text"].split()) for each in texts)
