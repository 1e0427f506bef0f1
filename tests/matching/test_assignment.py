from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import linear_sum_assignment

from row3.matching.assignment import assign
from tests.rows import every_row
from tests.strategies import similarity_edges

Edges = Mapping[int, Mapping[int, float]]


def partial_assignments(rows: list[int], edges: Edges) -> Iterator[dict[int, int]]:
    """Yield every injective assignment of some rows to columns they share an edge with."""
    if not rows:
        yield {}
        return
    first, rest = rows[0], rows[1:]
    for others in partial_assignments(rest, edges):
        yield others
        for column in edges[first]:
            if column not in others.values():
                yield {first: column} | others


def worth(chosen: Mapping[int, int], edges: Edges) -> tuple[int, float]:
    return len(chosen), sum(edges[row][column] for row, column in chosen.items())


def assert_valid(chosen: Mapping[int, int], edges: Edges) -> None:
    assert len(set(chosen.values())) == len(chosen)
    assert all(column in edges[row] for row, column in chosen.items())


@given(similarity_edges())
@settings(max_examples=150, deadline=None)
def test_no_assignment_has_more_pairs_or_as_many_and_more_similarity(edges: Edges) -> None:
    chosen = assign(edges)
    assert_valid(chosen, edges)
    count, total = max(worth(other, edges) for other in partial_assignments(sorted(edges), edges))
    assert len(chosen) == count
    assert worth(chosen, edges)[1] == pytest.approx(total, abs=1e-9)


@every_row("seed", range(12))
def test_agrees_with_scipy_on_larger_matrices(seed: int) -> None:
    chance = random.Random(seed)
    rows, columns = chance.randint(10, 60), chance.randint(10, 60)
    density = chance.choice((0.05, 0.2, 0.6, 1.0))
    matrix = [
        [chance.uniform(0.85, 1) if chance.random() < density else 0.0 for _ in range(columns)] for _ in range(rows)
    ]
    edges = {i: {j: s for j, s in enumerate(line) if s} for i, line in enumerate(matrix)}

    chosen = assign(edges)

    assert_valid(chosen, edges)
    gain = np.array([[s + 1000 if s else 0.0 for s in line] for line in matrix])
    best = [(i, j) for i, j in zip(*linear_sum_assignment(gain, maximize=True), strict=True) if matrix[i][j]]
    assert len(chosen) == len(best)
    assert worth(chosen, edges)[1] == pytest.approx(sum(matrix[i][j] for i, j in best), abs=1e-9)


def test_two_weaker_pairs_beat_one_strong_pair() -> None:
    assert assign({0: {0: 1.0, 1: 0.85}, 1: {0: 0.85}}) == {0: 1, 1: 0}


def test_among_as_many_pairs_the_more_similar_win() -> None:
    assert assign({0: {0: 0.9, 1: 0.95}, 1: {0: 0.95, 1: 0.9}}) == {0: 1, 1: 0}


@every_row("edges", [{}, {0: {}}, {3: {}, 5: {}}])
def test_nothing_to_assign(edges: Edges) -> None:
    assert assign(edges) == {}


def test_a_single_row_takes_its_best_and_at_a_tie_the_lower_column() -> None:
    assert assign({4: {9: 0.9, 2: 0.95, 7: 0.95}}) == {4: 2}


def test_indices_may_have_gaps() -> None:
    assert assign({10: {100: 0.9}, 20: {100: 0.95, 7: 0.9}}) == {10: 100, 20: 7}


@given(similarity_edges())
@settings(deadline=None)
def test_the_order_of_the_entries_does_not_matter(edges: Edges) -> None:
    turned = {row: dict(reversed(list(edges[row].items()))) for row in reversed(list(edges))}
    assert assign(turned) == assign(edges)


def test_counts_come_first_even_among_many_rows() -> None:
    # A chain: each row fits its own column perfectly and the next weakly; only shifting the chain uses the last column.
    size = 40
    edges = {row: {row: 1.0, row + 1: 0.85} for row in range(size)} | {size: {0: 0.85}}
    chosen = assign(edges)
    assert len(chosen) == size + 1
    assert chosen[size] == 0
