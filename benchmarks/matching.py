"""How well and how fast names are compared: precision, recall and F1 on labelled pairs, microseconds a call.

    python -m benchmarks.matching [FILE.jsonl …]

A line is a JSON object with `a`, `b`, `same`, and perhaps `class`, `context` (the source text), `person` and `type`.
Every pair goes through the matcher as a case does: one name expected, the other extracted, the context as the source.
Beside it stand two plain similarities at 0.85: what it is measured against.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from row3.kinds.person_types import is_person_type
from row3.matching.compare import Comparison, compare
from row3.matching.names import NameIndex, NameMatch, match_names
from row3.matching.normalise import normalise
from row3.matching.scorers import Named, NameRule
from row3.matching.text.quotes import SourceText
from row3.matching.value.dates import writes_day_first
from row3.matching.variant.acronyms import introduced
from row3.matching.variant.forms import form_key, form_keys
from row3.matching.word.contradictions import contradict

DATA = Path(__file__).parent.parent / "tests" / "data"
PAIRS = tuple(DATA / f"name_pairs{part}.jsonl" for part in ("", "_second", "_third", "_fourth", "_fifth"))
"""The development set."""
THRESHOLD = 0.85
REPEATS = 5


@dataclass(frozen=True)
class Figures:
    """Decisions counted: same and called same, two and called same, same and called two, two and called two."""

    found: int
    wrong: int
    missed: int
    refused: int

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.wrong) if self.found + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def read_pairs(*paths: Path) -> list[dict[str, Any]]:
    """The labelled pairs of some files."""
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [json.loads(line) for line in lines if line.strip()]


def told_person(pair: dict[str, Any]) -> bool | None:
    """Whether a pair, or its type, says that it is of persons."""
    told = pair.get("person")
    return is_person_type(pair.get("type")) if told is None else bool(told)


def match(pair: dict[str, Any]) -> NameMatch:
    """What the matcher makes of `a` where `b` is the one name that a case expects."""
    expected = Named(pair["b"], (), told_person(pair))
    index = NameIndex([expected], (), NameRule(threshold=THRESHOLD), SourceText(pair.get("context") or ""))
    return match_names([pair["a"]], index)[0]


def by_row3(pair: dict[str, Any]) -> bool:
    """The matcher takes the two for one."""
    return match(pair).state in ("exact", "alias", "fuzzy")


def decide(pair: dict[str, Any]) -> Comparison:
    """The comparison of a pair with what its context tells, past the search for candidates."""
    text = pair.get("context") or ""
    return compare(
        pair["a"],
        pair["b"],
        NameRule(threshold=THRESHOLD),
        acronyms=introduced(text),
        text=SourceText(text),
        person=told_person(pair),
        day_first=writes_day_first(text),
    )


def by_ratio(pair: dict[str, Any]) -> bool:
    """Plain rapidfuzz ratio of the normalised names."""
    return fuzz.ratio(normalise(pair["a"]), normalise(pair["b"])) >= 100 * THRESHOLD


def by_levenshtein(pair: dict[str, Any]) -> bool:
    """Plain normalised Levenshtein similarity of the normalised names."""
    return Levenshtein.normalized_similarity(normalise(pair["a"]), normalise(pair["b"])) >= THRESHOLD


def count(pairs: Iterable[dict[str, Any]], same: Callable[[dict[str, Any]], bool]) -> Figures:
    """How often a rule agrees with the labels."""
    tally = {(label, called): 0 for label in (True, False) for called in (True, False)}
    for pair in pairs:
        tally[bool(pair["same"]), same(pair)] += 1
    return Figures(tally[True, True], tally[False, True], tally[True, False], tally[False, False])


def microseconds(work: Callable[[], object], calls: int) -> float:
    """Median time of one of the calls that `work` makes, in microseconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times) / calls * 1e6


def _row(name: str, figures: Figures) -> str:
    return (
        f"{name:<26}{figures.precision:>10.3f}{figures.recall:>9.3f}{figures.f1:>9.3f}"
        f"{figures.found:>8}{figures.wrong:>8}{figures.missed:>8}{figures.refused:>8}"
    )


def _quality(pairs: Sequence[dict[str, Any]]) -> list[str]:
    rules: dict[str, Callable[[dict[str, Any]], bool]] = {
        "row3": by_row3,
        f"ratio {THRESHOLD}": by_ratio,
        f"Levenshtein {THRESHOLD}": by_levenshtein,
    }
    head = f"{'':<26}{'precision':>10}{'recall':>9}{'F1':>9}{'found':>8}{'wrong':>8}{'missed':>8}{'refused':>8}"
    lines = [f"{len(pairs)} pairs, {sum(bool(pair['same']) for pair in pairs)} of them one concept", "", head]
    lines += [_row(name, count(pairs, rule)) for name, rule in rules.items()]
    lines += ["", "by class, row3"]
    for kind in sorted({pair.get("class", "none") for pair in pairs}):
        lines.append(_row(kind, count([pair for pair in pairs if pair.get("class", "none") == kind], rules["row3"])))
    lines += ["", "decided otherwise than labelled"]
    for pair in pairs:
        done = match(pair)
        if by_row3(pair) != bool(pair["same"]):
            called = "same" if pair["same"] else "two "
            lines.append(f"  {called}  {pair['a']} | {pair['b']}  {done.state} {done.how}{done.why_not}")
    return lines


def _speed(pairs: Sequence[dict[str, Any]]) -> list[str]:
    names = [normalise(pair[side]) for pair in pairs for side in "ab"]
    raw = [(pair["a"], pair["b"]) for pair in pairs]
    near = [(a, b) for a, b in raw if Levenshtein.normalized_similarity(normalise(a), normalise(b)) >= THRESHOLD]

    def fresh() -> None:
        form_key.cache_clear()
        for name in names:
            form_key(name)

    timed = {
        "form_key, new names, words met before": microseconds(fresh, len(names)),
        "form_key, names met before": microseconds(lambda: [form_key(name) for name in names], len(names)),
        "form_keys": microseconds(lambda: [form_keys(a) for a, _ in raw], len(raw)),
        "contradict, pairs above the threshold": microseconds(lambda: [contradict(a, b) for a, b in near], len(near)),
        "compare": microseconds(lambda: [compare(a, b) for a, b in raw], len(raw)),
    }
    return ["", "microseconds a call, median"] + [f"  {name:<40}{value:>8.2f}" for name, value in timed.items()]


def quality(*paths: Path) -> str:
    """Precision and recall on files of pairs, in total, by class, and what was decided otherwise, as text.

    Without files, on the development set.
    """
    return "\n".join(_quality(read_pairs(*(paths or PAIRS))))


def main(*paths: Path) -> str:
    """Measure on files of pairs (the development set without any), print the figures and return them as text."""
    text = quality(*paths) + "\n".join(["", *_speed(read_pairs(*(paths or PAIRS)))])
    print(text)
    return text


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
