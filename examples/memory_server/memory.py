"""The memory itself: keeps texts at once, looks into them in the background, recalls and connects."""

from __future__ import annotations

import math
import queue
import threading
from collections import Counter
from typing import Any

from .extraction import Facts, extract
from .stores import Store, words_of

MOST_CONNECTIONS = 10
COMMON = 0.5
"""An entity in more than this share of all texts connects nothing with anything."""
SAME_EVENT = 0.6
"""Share of the words of the shorter of two events that the other must have."""
EXPANDED = 0.5
"""What a connected text scores beside the hit that it is connected with, at most."""


class Memory:
    """Safe for several threads: the store is used by one at a time."""

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, threading.RLock()
        self._waiting: queue.Queue[tuple[str, str]] = queue.Queue()
        self._failed: dict[str, str] = {}
        threading.Thread(target=self._work, daemon=True).start()

    def remember(self, name: str, text: str) -> None:
        """Keep a text; what is in it is found out later, see `state`."""
        with self._lock:
            self._store.add(name, text)
        self._waiting.put((name, text))

    def state(self) -> dict[str, Any]:
        """How far the looking into texts is."""
        pending = self._waiting.unfinished_tasks
        word = "working" if pending else "failed" if self._failed else "done"
        return {"state": word, "pending": pending, "failed": dict(self._failed)}

    def recall(self, query: str, limit: int, *, expand: bool) -> list[tuple[str, float]]:
        """Texts that fit a query, best first; expanded by what their best is connected with."""
        with self._lock:
            hits = self._store.search(query, limit)
            if expand and hits:
                known = dict(hits)
                for seed, score in hits[:3]:
                    for each in self.connections(seed):
                        found = EXPANDED * score * each["strength"]
                        known[each["document_id"]] = max(known.get(each["document_id"], -math.inf), found)
                hits = sorted(known.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return hits

    def knows(self, name: str) -> bool:
        """Whether a text of that name was remembered."""
        with self._lock:
            return name in self._store.names()

    def text(self, name: str) -> str:
        """A text that was remembered."""
        with self._lock:
            return self._store.text(name)

    def facts(self, name: str) -> Facts:
        """What was found in a text."""
        with self._lock:
            return self._store.facts(name)

    def connections(self, seed: str) -> list[dict[str, Any]]:
        """Texts that share rare entities or an event with a text, the strongest first."""
        with self._lock:
            facts = {name: self._store.facts(name) for name in self._store.names()}
        named = {name: {entity["name"] for entity in found.entities} for name, found in facts.items()}
        spread = Counter(entity for entities in named.values() for entity in entities)
        rare = {entity: math.log(len(facts) / n) for entity, n in spread.items() if n <= max(2, COMMON * len(facts))}
        found: list[tuple[float, str, dict[str, Any]]] = []
        for name in sorted(facts.keys() - {seed}):
            shared = sorted(named.get(seed, set()) & named[name] & rare.keys(), key=lambda each: (-rare[each], each))
            event = _same_event(facts.get(seed, Facts()), facts[name])
            weight = sum(rare[each] for each in shared) + (math.log(len(facts)) if event else 0.0)
            if event is not None:
                found.append((weight, name, {"connection_reason": "shared_event", "event": event}))
            elif shared and weight > 0:
                found.append((weight, name, {"connection_reason": "shared_entity", "entity": shared[0]}))
        found = sorted(found, key=lambda each: (-each[0], each[1]))[:MOST_CONNECTIONS]
        most = max((weight for weight, _, _ in found), default=1.0) or 1.0
        return [
            {"document_id": name, **reason, "hops": 1, "strength": round(weight / most, 4)}
            for weight, name, reason in found
        ]

    def _work(self) -> None:
        while True:
            name, text = self._waiting.get()
            try:
                facts = extract(text)
                with self._lock:
                    self._store.keep(name, facts)
                self._failed.pop(name, None)  # remembered again, it may be better
            except Exception as error:  # one text must not end the work on all others
                self._failed[name] = str(error)
            finally:
                self._waiting.task_done()


def _same_event(one: Facts, other: Facts) -> str | None:
    """The first event that both texts tell, in the words of the second."""
    for mine in one.events:
        words = set(words_of(mine["description"]))
        for its in other.events:
            theirs = set(words_of(its["description"]))
            least = min(len(words), len(theirs))
            if least >= 4 and len(words & theirs) >= SAME_EVENT * least:
                return str(its["description"])
    return None
