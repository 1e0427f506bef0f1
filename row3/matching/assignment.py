"""Optimal one-to-one assignment: most matches first, then highest total similarity.

Shortest augmenting paths with potentials (Kuhn 1955, Munkres 1957; the O(n²m) form of Jonker and Volgenant 1987).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    owner = _shortest_paths(cost)
    pairs = [(here[one], there[other]) for other, one in owner.items() if other < len(there)]
    chosen = [(b, a) if flip else (a, b) for a, b in pairs]
    return {row: column for row, column in sorted(chosen) if column in edges[row]}


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
