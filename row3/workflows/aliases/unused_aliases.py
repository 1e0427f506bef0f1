"""The aliases of a case that nothing in its recorded answers ever met."""

from __future__ import annotations

from collections.abc import Iterator

from row3.domain.matches import CORRECT
from row3.matching.names import closest
from row3.matching.normalise import normalise
from row3.matching.texts.quotes import SourceText
from row3.reports.aliases.alias_parts import UnusedAlias
from row3.workflows.recorded.scored_answers import ScoredAnswers

FOUND = CORRECT | {"duplicate"}


def unused_aliases(scored: ScoredAnswers) -> list[UnusedAlias]:
    """Aliases by which no item and no end of a relationship was found, exactly or nearly. Raises `InvalidFile`."""
    met = {normalise(name) for name in scored.recorded.ends}
    met |= {normalise(match.label) for each in scored.explained for match in each.concepts}
    met |= set(_met_nearly(scored))
    left = [
        (i, j, alias)
        for i, (_, *aliases) in enumerate(scored.names)
        for j, alias in enumerate(aliases)
        if normalise(alias) not in met
    ]
    if not left:
        return []
    text = SourceText(scored.case.source_text)
    lines = scored.lines([("expectedConcepts", i, "aliases", j) for i, j, _ in left])
    id_, file = scored.stored.id, scored.stored.where
    return [
        UnusedAlias(id_, scored.names[i][0], alias, text.mentions(alias), file, line)
        for (i, _, alias), line in zip(left, lines, strict=True)
    ]


def _met_nearly(scored: ScoredAnswers) -> Iterator[str]:
    """Normalised names by which the fuzzy rule found a concept."""
    keys = {label: [normalise(name) for name in (label, *aliases)] for label, *aliases in scored.names}
    for explanation in scored.explained:
        for match in explanation.concepts:
            if match.state in FOUND and match.expected in keys:
                near = closest(normalise(match.label), keys[match.expected], scored.rule)
                if near is not None:
                    yield near
