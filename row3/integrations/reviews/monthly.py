"""The monthly review: golden cases and canaries to add, cases to review, and correlations with satisfaction."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from row3.charting.drawing import Estimate, estimates_chart
from row3.commands.importing.drafts import slug
from row3.domain.words import count
from row3.gate.calibration import spearman
from row3.integrations.monitoring.figures import FIGURE
from row3.integrations.monitoring.records import DAY_MS, moment
from row3.integrations.monitoring.rows import StoredRecord, stored_records
from row3.integrations.monitoring.tables import Connection, Totals, by_group, total
from row3.integrations.reviews.measures import (
    MEASURES,
    PROXIES,
    Golden,
    measured,
    name_key,
    proxies_of,
    proxy_composite,
    read_golden,
    topic_key,
)
from row3.integrations.reviews.regression import Sample
from row3.integrations.reviews.report import Cell, Review, Section, figure_cell, number
from row3.matching.text.quotes import SourceText
from row3.project.project import Project
from row3.running.processes import Executor

DAYS = 31
FREQUENT, BADLY, CANARIES = 5, 5, 10
"""Maximum rows of each list."""
LEAST = 5
"""Minimum ratings, scores or sampled records to judge a topic."""
NAMED = 3
"""Minimum records with a concept that their texts do not mention."""
STRANGE = 2_000
"""Maximum records to search for such concepts."""
OLD_DAYS = 180
"""Days without an edit after which a golden case is reviewed."""
LEAST_PAIRS = 10
"""Minimum records for a correlation."""
Topics = Mapping[str, tuple[str, Totals]]
"""By topic key: one spelling and the totals."""


def monthly(project: Project, connection: Connection, to_ms: int, executor: Executor | None = None) -> Review:
    """Return the review of the 31 days before a time. Raises `InvalidFile`."""
    from_ms, golden = to_ms - DAYS * DAY_MS, read_golden(project)
    sample = [each for each in stored_records(connection, from_ms, to_ms, "sampled") if each.error is None]
    topics: dict[str, tuple[str, Totals]] = {}
    for name, totals in by_group(connection, "topic", from_ms, to_ms).items():
        first, before = topics.get(topic_key(name), (name, Totals()))
        topics[topic_key(name)] = first, before + totals
    rated = rated_records(connection, golden, from_ms, to_ms, executor)
    candidates = _candidates(golden, topics, [*sample, *(each for each, _ in rated)])
    found = [candidates, _canaries(golden, sample), _cases(golden, topics, to_ms), correlations(golden, rated)]
    return Review("monthly", from_ms, to_ms, total(connection, from_ms, to_ms).requests, found)


def rated_records(
    connection: Connection, golden: Golden, from_ms: int, to_ms: int, executor: Executor | None
) -> list[tuple[StoredRecord, Sample]]:
    """Return the answered records with user feedback, each with its mean score and measures."""
    rated = [each for each in stored_records(connection, from_ms, to_ms, "rated") if each.scores and each.error is None]
    return [
        (each, Sample(topic_key(each.topic), each.score_sum / each.scores, measures))
        for each, measures in zip(rated, measured(rated, golden, executor, by_cases=True), strict=True)
    ]


def _candidates(golden: Golden, topics: Topics, kept: Sequence[StoredRecord]) -> Section:
    """Return the topics without a golden case that lost most points, and the most frequent ones."""
    covered = {"", *golden.cases, *golden.drafts}
    new = {key: found for key, found in topics.items() if key not in covered}
    frequent = sorted(new, key=lambda key: (-new[key][1].requests, key))[:FREQUENT]
    lost = {
        key: (5 * each.scores - each.score_sum) / 4 + each.ratings - each.acceptable
        for key, (_, each) in new.items()
        if below_target(each)
    }
    badly = sorted(lost, key=lambda key: (-lost[key], key))[:BADLY]
    texts = defaultdict[str, list[StoredRecord]](list)
    for each in kept:
        texts[topic_key(each.topic)].append(each)
    rows, commands, notes = list[Sequence[Any]](), list[str](), list[str]()
    for key in dict.fromkeys([*badly, *frequent]):
        (name, totals), record = new[key], _worst(texts[key], golden)
        draft = slug(name) or f"topic-{sha256(key.encode()).hexdigest()[:8]}"
        command = f"row3 cases new {draft} --from-trace {shlex.quote(record)}{golden.suite.flag}" if record else None
        commands += [command] if command else []
        figures = [figure_cell(each, FIGURE[each].value(totals)) for each in ("feedback", "acceptable")]
        why = "badly rated" if key in badly else "frequent"
        rows.append([name, why, totals.requests, *figures, totals.scores + totals.ratings, command])
    if len(commands) < len(rows):
        notes.append('Some topics have no record stored with its text: keep = "all" in [monitor] stores all new ones.')
    heads = {"topic": "topic", "reason": "why", "records": "records", "feedback": "feedback"}
    heads |= {"acceptable": "acceptable", "opinions": "n"}
    empty = "Every topic has a golden case." if topics else "No records in this period."
    title = "Candidates for new golden cases"
    return Section("candidates", title, {**heads, "command": None}, rows, empty, notes, commands)


def below_target(totals: Totals) -> list[str]:
    """Return the names of the quality figures that miss their target on enough records."""
    enough = {"feedback": totals.scores, "acceptable": totals.ratings, "verified": totals.measured}
    found = [FIGURE[key] for key, n in enough.items() if n >= LEAST]
    return [figure.name for figure in found if figure.met(figure.value(totals)) is False]


def _worst(records: Sequence[StoredRecord], golden: Golden) -> str:
    """Return the id of the worst record stored with its text; empty if there is none."""
    places = []
    for each in (one for one in records if one.id.isprintable()):  # the id goes into a command to paste
        if (record := each.record()) is not None and (record.source_text or "").strip():
            points = each.score_sum / each.scores if each.scores else 5.0
            places.append((points, proxy_composite(proxies_of(each, golden), golden) or 0.0, each.id))
    return min(places)[2] if places else ""


def _canaries(golden: Golden, sample: Sequence[StoredRecord]) -> Section:
    """Return concepts that several records' texts do not mention and no golden case has."""
    strange = [each for each in sample if each.ungrounded and each.payload is not None][-STRANGE:]
    named, real = defaultdict[tuple[str, str], list[tuple[str, StoredRecord]]](list), set(golden.known)
    for stored in strange:
        if (record := stored.record()) is not None:
            text = SourceText(record.source_text or "")
            for key, label in {name_key(one.label): one.label for one in record.concepts}.items():
                if text.mentions(label):
                    real.add(key)
                else:
                    named[record.domain or "", key].append((label, stored))
    fabricated = [each for each in named.items() if each[0][1] not in real and len(each[1]) >= NAMED]
    fabricated.sort(key=lambda each: (-len(each[1]), each[0]))
    rows = [
        [found[0][0], domain, len(found), len({topic_key(one.topic) for _, one in found}), found[0][1].id]
        for (domain, _), found in fabricated[:CANARIES]
    ]
    looked = f"{count(len(strange), 'sampled record')} with concepts that the text does not mention"
    empty = f"No new concept is named by {NAMED} or more of {looked}."
    notes = [f"From {looked}. Add them as canaries to cases of the domain."] if rows else []
    heads = {"concept": "concept", "domain": "domain", "records": "records", "topics": "topics", "record": None}
    return Section("canaries", "Canaries from observed fabrications", heads, rows, empty, notes)


def _cases(golden: Golden, topics: Topics, to_ms: int) -> Section:
    oldest, rows = moment(to_ms - OLD_DAYS * DAY_MS)[:10], list[Sequence[Any]]()
    for key, cases in sorted(golden.cases.items()):
        totals = topics.get(key, ("", Totals()))[1]
        for case in (each.case for each, _ in cases):
            touched = max(filter(None, [case.created, *(one.date for one in case.history)]), default=None)
            reasons = [f"{name} below target" for name in below_target(totals)]
            reasons += [f"not edited since {touched}"] if touched is not None and touched < oldest else []
            if reasons:
                rows.append([case.id, "; ".join(reasons), totals.requests, totals.scores + totals.ratings, touched])
    heads = {"case": "case", "reason": "why", "records": "records", "opinions": "n", "touched": None}
    empty = f"None: no case's topic misses a target, and none has gone {OLD_DAYS} days without an edit."
    return Section("cases", "Golden cases to review", heads, rows, empty)


def correlations(golden: Golden, rated: Sequence[tuple[StoredRecord, Sample]]) -> Section:
    """Return Spearman's rank correlation of each measure with satisfaction, its interval and n."""
    rows, known, weights = list[Sequence[Any]](), list[Estimate](), golden.suite.rules.weights
    for key, title in MEASURES.items():
        pairs = [(one.metrics[key], one.satisfaction) for _, one in rated if key in one.metrics]
        found = spearman(*map(list, zip(*pairs, strict=True))) if len(pairs) >= LEAST_PAIRS else None
        span = Cell(None, f"n below {LEAST_PAIRS}" if len(pairs) < LEAST_PAIRS else "constant")
        if found is not None:
            known.append(Estimate(title, found.value, found.low, found.high))
            span = Cell([found.low, found.high], f"{found.low:.2f}…{found.high:.2f}".replace("-", "−"))
        rho = number(None if found is None else found.value)
        rows.append([key, title, PROXIES.get(key, ""), rho, span, len(pairs), number(weights.get(key))])
    heads: dict[str, str | None] = {"metric": None, "title": "metric", "proxyOf": "proxy of"}
    heads |= {"correlation": "Spearman's ρ", "interval": "95% interval", "n": "n", "weight": "weight"}
    notes = [f"Satisfaction: the mean score of each of {count(len(rated), 'record')} with user feedback."]
    notes += ["Intervals: Fisher's z with the standard error of Bonett and Wright (2000)."] if known else []
    head, caption = "Metrics and user satisfaction", "Spearman's ρ and its 95% interval"
    chart = (lambda: estimates_chart("Correlation with satisfaction", caption, known, 1.0)) if known else None
    return Section("correlation", head, heads, rows if rated else [], "No user feedback.", notes, chart=chart)
