"""Optimal one-to-one assignment: most matches first, then highest total similarity.

Shortest augmenting paths with potentials (Kuhn 1955, Munkres 1957; the O(n²m) form of Jonker and Volgenant 1987).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

from row3.matching.scorers import SLACK

Item = TypeVar("Item", bound=Hashable)

Edges = Mapping[int, Mapping[int, float]]
"""Similarity in (0, 1] by extracted index, then by expected index; absent means no match."""


def assign(edges: Edges) -> dict[int, int]:
    """Return the best assignment: expected index by extracted index.

    `edges` holds the similarities of the pairs that may match. No assignment has more pairs, or as many with a higher
    sum of similarities. Ties go to the lower index.
    """
    rows = sorted(row for row in edges if edges[row])
    if not rows:
        return {}
    columns = sorted({column for row in rows for column in edges[row]})
    if len(rows) == 1:
        best = max(edges[rows[0]].items(), key=lambda item: (item[1], -item[0]))
        return {rows[0]: best[0]}
    # One pair outweighs any sum of similarities, so the number of pairs counts first. The smaller side is assigned,
    # since the work is its square times the larger. Each of its items gets a dummy partner at no cost: "no match".
    flip = len(rows) > len(columns)
    here, there = (columns, rows) if flip else (rows, columns)
    worth = float(len(here) + 1)
    cost = [
        [
            -(worth + score) if (score := (edges[b].get(a) if flip else edges[a].get(b))) is not None else 0.0
            for b in there
        ]
        + [0.0] * len(here)
        for a in here
    ]
    pairs = [(here[one], there[other]) for other, one in _shortest_paths(cost).items() if other < len(there)]
    chosen = [(b, a) if flip else (a, b) for a, b in pairs]
    return {row: column for row, column in sorted(chosen) if column in edges[row]}


MOST_COMPARED = 300
"""Items of an answer that are compared with one another; of more, all with one nearest expected item count as one."""


def group_items(edges: Edges, items: Sequence[Item], likeness: Callable[[Item, Item, int], float]) -> dict[int, int]:
    """Return a group for each row of `edges`; the items of a group say one thing.

    Two items say one thing if they are more like each other than either is like any expected item, except one that is
    nearest to both; and so do items that each say one thing with a third. `likeness` returns the similarity of two
    items (0 for different things), given one of the columns that both may match.
    """
    first: dict[Item, int] = {}
    groups = {row: first.setdefault(items[row], row) for row in edges}
    near = {row: nearest_column(scores) for row, scores in edges.items()}
    if len(first) > MOST_COMPARED:
        return {row: at if at >= 0 else -1 - row for row, at in near.items()}
    for one, other in combinations(first.values(), 2):
        shared = edges[one].keys() & edges[other].keys()
        if not shared or groups[one] == groups[other]:
            continue
        common = near[one] if near[one] == near[other] else -1
        rivals = [score for row in (one, other) for at, score in edges[row].items() if at != common]
        if likeness(items[one], items[other], min(shared)) > max(rivals, default=0.0) + SLACK:
            old = groups[other]
            groups = {row: groups[one] if group == old else group for row, group in groups.items()}
    return groups


def nearest_column(scores: Mapping[int, float]) -> int:
    """Return the column with the highest score; -1 if two have it."""
    best = max(scores.values())
    nearest = [at for at, score in scores.items() if score > best - SLACK]
    return nearest[0] if len(nearest) == 1 else -1


def assign_groups(edges: Edges, groups: Mapping[int, int]) -> dict[int, int]:
    """Return the best assignment of which no two rows are in one group: a group is one row with the best of its scores.

    `groups` holds the group of each row of `edges`.
    """
    merged: dict[int, dict[int, float]] = {}
    best: dict[tuple[int, int], int] = {}
    for row in sorted(edges):
        scores = merged.setdefault(groups[row], {})
        for column, score in edges[row].items():
            if score > scores.get(column, 0.0):
                scores[column], best[groups[row], column] = score, row
    return {best[pair]: pair[1] for pair in assign(merged).items()}


def _shortest_paths(cost: Sequence[Sequence[float]]) -> dict[int, int]:
    """Return the row by column in a minimum-cost assignment of every row; rows ≤ columns."""
    height, width = len(cost), len(cost[0])
    row_potential = [0.0] * (height + 1)
    column_potential = [0.0] * (width + 1)
    owner = [0] * (width + 1)  # 1-based row assigned to the column; 0 is free
    for row in range(1, height + 1):
        owner[0] = row
        column = 0
        least = [float("inf")] * (width + 1)
        came_from = [0] * (width + 1)
        used = [False] * (width + 1)
        while True:
            used[column] = True
            current = owner[column]
            step, following = float("inf"), 0
            line = cost[current - 1]
            for j in range(1, width + 1):
                if used[j]:
                    continue
                reduced = line[j - 1] - row_potential[current] - column_potential[j]
                if reduced < least[j]:
                    least[j], came_from[j] = reduced, column
                if least[j] < step:
                    step, following = least[j], j
            for j in range(width + 1):
                if used[j]:
                    row_potential[owner[j]] += step
                    column_potential[j] -= step
                else:
                    least[j] -= step
            column = following
            if owner[column] == 0:
                break
        while column:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    return {column - 1: owner[column] - 1 for column in range(1, width + 1) if owner[column]}
