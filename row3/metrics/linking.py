"""B-cubed: how well items are grouped that stand for the same thing (events of several documents, mentions).

Bagga and Baldwin 1998, in the form of Amigó et al. 2009: for every item, the share of its group that truly belongs
with it (precision), and the share of what truly belongs with it that is in its group (recall); then the mean.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction

Groups = Mapping[str, Hashable]
"""Group by item: what belongs together has one and the same."""


def b_cubed(given: Groups, truth: Groups) -> tuple[float, float]:
    """Return the mean precision and recall over the items of `truth`, each in [0, 1]; `truth` must not be empty.

    An item of `truth` that was not given is a group of its own: its precision is 1 and its recall what a singleton
    has. So silence costs recall where items belong together, and nothing where all stand alone: look at it beside
    the items that were found at all. Items that only `given` has are left out, as they have no truth.
    """
    held = {item: given.get(item, ("alone", item)) for item in truth}
    together: dict[tuple[Hashable, Hashable], int] = {}
    ours: dict[Hashable, int] = {}
    theirs: dict[Hashable, int] = {}
    for item, group in truth.items():
        together[held[item], group] = together.get((held[item], group), 0) + 1
        ours[held[item]] = ours.get(held[item], 0) + 1
        theirs[group] = theirs.get(group, 0) + 1
    precision = sum((Fraction(n * n, ours[pair[0]]) for pair, n in together.items()), Fraction(0))
    recall = sum((Fraction(n * n, theirs[pair[1]]) for pair, n in together.items()), Fraction(0))
    return float(precision) / len(truth), float(recall) / len(truth)
