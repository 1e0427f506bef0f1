"""How right the semantic tier is: the figures of docs/matching.md. `python -m benchmarks.semantic`; local model needed.

Four sets: the pairs of `tests/data/name_pairs.jsonl` (spelling, numbers, places, persons …), those of
`tests/data/semantic_pairs.jsonl` (paraphrases, and neighbours that are two), and every label and alias of the golden
cases as an extracted item of its own case, once with its concept expected under its other forms, once without it; and
events without their quotes, the labelled ones and each of a document told for each other. Only what the other rules
leave open counts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any

from row3.domain.asks import Ask, EmbeddingRequest, SemanticRule, Vector, cosine, finish, pack, unpack
from row3.domain.misfits import convert
from row3.kinds.base import Rules
from row3.kinds.events.model import EventOut, EventsCase, EventsOut
from row3.kinds.events.score import KIND as EVENTS
from row3.kinds.semantic import Candidate, Unmatched, difference_of, near, text_of
from row3.matching.assignment import assign
from row3.matching.compare import compare
from row3.providers.minilm import MiniLM, model_folder

HOME = Path(__file__).resolve().parents[1]
THRESHOLDS = (0.70, 0.75, 0.80, 0.85, 0.90)


@lru_cache(maxsize=1)
def _model() -> MiniLM:
    return MiniLM(model_folder())


@cache
def _vector(text: str) -> Vector:
    return unpack(pack(_model().vector(text).tolist()))


@cache
def _alike(one: str, other: str) -> float:
    return cosine(_vector(one), _vector(other))


@cache
def _same(one: str, other: str) -> bool:
    return compare(one, other).same


def pairs(name: str) -> None:
    """A file of pairs: how many a threshold takes for one, by the rule and by similarity alone."""
    lines = (HOME / f"tests/data/{name}.jsonl").read_text(encoding="utf-8").splitlines()
    given: list[dict[str, Any]] = [json.loads(line) for line in lines]
    left = [p for p in given if not compare(p["a"], p["b"], person=p.get("person")).same]
    same = sum(p["same"] for p in left)
    print(f"\n{name}: {len(given)} pairs, {len(left)} left open, {same} of them one and {len(left) - same} two")
    print("threshold   right  wrong     by similarity alone: right  wrong")
    for threshold in THRESHOLDS:
        rule = [p["same"] for p in left if _by_rule(p["a"], p["b"], threshold)]
        alone = [p["same"] for p in left if _by_similarity(p["a"], p["b"], threshold)]
        print(
            f"{threshold:9.2f}{sum(rule):8}{len(rule) - sum(rule):7}{sum(alone):28}{len(alone) - sum(alone):7}",
            flush=True,
        )


def _by_rule(one: str, other: str, threshold: float) -> bool:
    return bool(_match(one, [Candidate(0, [other])], [], threshold))


def _match(item: str, missed: Sequence[Candidate], rivals: Sequence[str], threshold: float) -> dict[int, int]:
    """As a suite gets it."""
    return assign(near(Unmatched({0: item}, missed, rivals, difference_of), threshold, _alike))


def _by_similarity(one: str, other: str, threshold: float) -> bool:
    return bool(text_of(one) and text_of(other)) and _alike(text_of(one), text_of(other)) >= threshold


def cases() -> None:
    """The golden cases: their own aliases as items."""
    found = []
    for path in sorted((HOME / "golden").glob("*/*.gold.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        names = [[c["label"], *c.get("aliases", [])] for c in case.get("expectedConcepts", [])]
        found.append((names, case.get("forbiddenConcepts", [])))
    print("\ngolden cases: an item whose concept is expected in other words, and one whose concept is not expected")
    print("threshold   right  wrong  of items     matched though not expected  of items")
    for threshold in THRESHOLDS:
        right = wrong = items = strangers = others = 0
        for names, canaries in found:
            for place, forms in enumerate(names):
                for item in forms:
                    rest = [form for form in forms if not _same(item, form)]
                    missed = [
                        Candidate(number, each)
                        for number, each in enumerate(names)
                        if number != place and not any(_same(item, form) for form in each)
                    ]
                    if rest:
                        items += 1
                        hit = _match(item, [Candidate(place, rest), *missed], canaries, threshold)
                        right += hit == {0: place}
                        wrong += hit not in ({}, {0: place})
                    others += 1
                    strangers += bool(_match(item, missed, canaries, threshold))
        print(f"{threshold:9.2f}{right:8}{wrong:7}{items:10}{strangers:33}{others:10}", flush=True)


def events() -> None:
    """An event told in other words (right), contradicted, or told as another of its document (wrong)."""
    folder = HOME / "golden/memory/documents"
    golden = {path.name.split(".")[0]: json.loads(path.read_text("utf-8")) for path in folder.glob("*.gold.json")}
    told = [
        (golden[pair["document"]], pair["expected"], pair["description"], pair["same"])
        for name in ("event_pairs", "event_pairs_second", "event_pairs_unseen")
        for pair in map(json.loads, (HOME / f"tests/data/{name}.jsonl").read_text("utf-8").splitlines())
    ]
    labelled = len(told)
    told += [
        (case, one["description"], other["description"], False)
        for case in golden.values()
        for one, other in permutations(case["expected_events"], 2)
    ]
    told = [each for each in told if not _is_told(*each[:3], Rules())]
    same = sum(each[3] for each in told[:labelled])
    print(f"\nevents: {len(told)} left open, {same} of them told in other words")
    for threshold in THRESHOLDS:
        hits = [each[3] for each in told if _is_told(*each[:3], Rules(semantic=SemanticRule("local", threshold)))]
        print(f"{threshold:9.2f}{sum(hits):8} right{len(hits) - sum(hits):7} wrong", flush=True)


def _is_told(case: dict[str, Any], expected: str, description: str, rules: Rules) -> bool:
    (event,) = [event for event in case["expected_events"] if event["description"] == expected]
    given = EventOut(description=description, category=event["category"], actor=event.get("actor"))
    whole = convert(case | {"expected_events": [event]}, EventsCase)
    score = finish(EVENTS.score(whole, EventsOut(events=[given]), rules), _vectors)
    return bool(score.counts["recall"][0])


def _vectors(ask: Ask) -> dict[str, Vector]:
    return {text: _vector(text) for text in ask.texts} if isinstance(ask, EmbeddingRequest) else {}


if __name__ == "__main__":
    pairs("name_pairs")
    pairs("semantic_pairs")
    cases()
    events()
