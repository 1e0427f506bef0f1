"""Lessons from blocking comparisons, in STRATEGY's form, and the search for lessons that match a query."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from row3.domain.judgements import Code, Reason, Verdict
from row3.domain.models import CamelModel, Model
from row3.domain.requests import digest_json
from row3.domain.scores import Metric
from row3.domain.words import count, part
from row3.gate.policy import POINT, worse_by

if TYPE_CHECKING:
    from row3.gate.results import Comparison

SCHEMA_VERSION = 1


class LessonFigures(Model):
    """The figures of a regression, under STRATEGY's names."""

    eval_name: str
    """The suite."""
    baseline_score: float
    current_score: float
    drop_percentage: float
    """Share of the baseline score: 0.2 is 20%."""
    timestamp: str
    """UTC, ISO 8601."""


class Lesson(CamelModel):
    """One regression: a line of .row3/lessons.jsonl or lessons/<suite>.jsonl."""

    schema_version: int
    id: str
    """Digest of suite, prompts, model, baseline and metric: one lesson per regression."""
    information: str
    """Numbers and kinds of failures, without golden-case content."""
    tags: list[str]
    metadata: LessonFigures
    common: list[str] = []
    """Most frequent failures by name; for people, and never stored in lessons/."""

    @property
    def suite(self) -> str:
        """The suite that regressed."""
        return self.metadata.eval_name


REGRESSIONS = frozenset({Code.WORSE, Code.INCONCLUSIVE, Code.ROLLING_DROP, Code.ENTERED_FAIL_ZONE, Code.CRITICAL_BROKE})
"""Codes of reasons for lower scores; other reasons to block are changes to the criteria."""
COMMON = 3
"""Number of failure kinds, and of items, that a lesson lists."""
ID_DIGITS = 12
SATURATION, LENGTH_WEIGHT = 1.2, 0.75
"""BM25's k1 and b (Robertson and Zaragoza 2009)."""
SIMILAR = 85.0
"""Smallest similarity, in per cent, at which two words count as the same."""
WORD = re.compile(r"\w+")


def lesson_of(comparison: Comparison) -> Lesson | None:
    """Return the lesson of a comparison blocked by a regression; None for any other."""
    run = comparison.run
    blocking = [each for each in comparison.reasons if each.verdict is Verdict.BLOCK and each.code in REGRESSIONS]
    if not comparison.blocked or run.partial or not blocking:
        return None
    figures = _figures(comparison, blocking)
    if figures is None:
        return None
    metric, source, before, after = figures
    drop = worse_by(metric, before, after, "relative") / POINT
    header, kind = run.header, run.suite.kind
    regressed = [each for each in comparison.cases if each.move in ("regressed", "broke")]
    kinds: Counter[str] = Counter()
    items: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for case in regressed:
        losses = [(name, item) for name, lost in case.lost.items() for item in lost]
        failures = [kind.failure(name, item) for name, item in losses]
        items.update(failures)
        kinds.update({*failures, "unusable answer"} if case.move == "broke" else {*failures})
        named.update({f"{kind.failure(name)}: {item}" for name, item in losses})
    common = _most(kinds)
    context = [f"{metric.title}: {part(len(regressed), comparison.compared, 'case')} regressed"]
    context += [f"{what}: {items[what] or number} in {count(number, 'case')}" for what, number in common]
    pattern = ", ".join(f"{what} ({number} of {len(regressed)})" for what, number in common) or "none"
    information = "\n".join(
        [
            f'Eval "{header.suite}" regression detected:',
            f"- Current score: {after:.2f}",
            f"- Baseline ({source}): {before:.2f}",
            f"- Drop: {drop:.1%}",
            "",
            "Scorer context:",
            *context,
            "",
            f"Action: Review {_reviewed(comparison)}.",
            f"Common pattern in failures: {pattern}.",
        ]
    )
    asked = [header.suite, run.suite.tier, header.prompt_digests, header.model, comparison.baseline.run_id, metric.key]
    return Lesson(
        schema_version=SCHEMA_VERSION,
        id=digest_json(asked)[:ID_DIGITS],
        information=information,
        tags=["eval-failure", header.suite, "regression"],
        metadata=LessonFigures(
            eval_name=header.suite,
            baseline_score=before,
            current_score=after,
            drop_percentage=drop,
            timestamp=header.at,
        ),
        common=[f"{what} ({count(number, 'case')})" for what, number in _most(named)],
    )


def _figures(comparison: Comparison, blocking: Sequence[Reason]) -> tuple[Metric, str, float, float] | None:
    """Return the metric that fell, the source of its baseline, and both scores; the primary metric if it blocks."""
    kind = comparison.run.suite.kind
    metrics = {metric.key: metric for metric in kind.metrics}
    for reason in sorted(blocking, key=lambda each: each.subject != kind.primary):
        before, after = reason.figures.get("before"), reason.figures.get("after")
        if reason.subject in metrics and before is not None and after is not None:
            source = "rolling avg" if reason.code is Code.ROLLING_DROP else "saved"
            return metrics[reason.subject], source, float(before), float(after)
    change = comparison.primary_change
    if change is None or change.baseline is None or change.current is None:
        return None
    return metrics[change.key], "saved", change.baseline, change.current


def _reviewed(comparison: Comparison) -> str:
    """Return what changed: the prompts, or else the model."""
    known = comparison.baseline.prompt_digests
    changed = [prompt for prompt in comparison.run.lineup.prompts if known.get(prompt.ref.name) != prompt.digest]
    if not changed:
        return "the model and its settings: no prompt changed"
    return ", ".join(f"{'prompt' if each.stage is None else 'system'} {each.ref}" for each in changed)


def _most(counted: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:COMMON]


def ranked(texts: Sequence[str], query: str) -> list[int]:
    """Return the indices of texts that share a word with the query, best first (BM25; similar words count as equal)."""
    documents = [WORD.findall(text.casefold()) for text in texts]
    mean = sum(map(len, documents)) / len(documents) if documents else 0.0
    scores = [0.0] * len(documents)
    for word in dict.fromkeys(WORD.findall(query.casefold())):
        often = [sum(fuzz.ratio(word, other) >= SIMILAR for other in words) for words in documents]
        having = sum(map(bool, often))
        rarity = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
        for place, times in enumerate(often):
            if times:
                length = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(documents[place]) / mean
                scores[place] += rarity * times * (SATURATION + 1) / (times + SATURATION * length)
    return sorted((place for place, score in enumerate(scores) if score > 0), key=lambda place: -scores[place])
