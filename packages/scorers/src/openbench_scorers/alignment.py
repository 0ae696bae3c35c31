"""The best one-to-one alignment of two lists."""

from collections.abc import Sequence

Pairs = list[tuple[int, int]]


def best_alignment(weights: Sequence[Sequence[float]]) -> Pairs:
    """Pair rows with columns, each at most once, with the maximum sum of the pairs' weights.

    It uses the Hungarian method with potentials: rows x rows x columns steps, where rows are the shorter side.

    Args:
        weights: A matrix, rows of equal length.

    Returns:
        As many pairs (row, column) as the shorter side has entries.
    """
    if not weights or not weights[0]:
        return []
    if len(weights) > len(weights[0]):
        return sorted((row, column) for column, row in best_alignment(list(zip(*weights, strict=True))))
    return _assign([[-weight for weight in row] for row in weights])


def _assign(costs: list[list[float]]) -> Pairs:
    """Assign every row a column at minimum cost; index 0 of the work lists means `none yet`."""
    rows, columns = len(costs), len(costs[0])
    of_row, of_column = [0.0] * (rows + 1), [0.0] * (columns + 1)
    taken_by = [0] * (columns + 1)
    for row in range(1, rows + 1):
        taken_by[0] = row
        column, came_from = 0, [0] * (columns + 1)
        slack, done = [float("inf")] * (columns + 1), [False] * (columns + 1)
        while taken_by[column]:
            done[column] = True
            current, step, following = taken_by[column], float("inf"), 0
            for other in range(1, columns + 1):
                if done[other]:
                    continue
                reduced = costs[current - 1][other - 1] - of_row[current] - of_column[other]
                if reduced < slack[other]:
                    slack[other], came_from[other] = reduced, column
                if slack[other] < step:
                    step, following = slack[other], other
            for other in range(columns + 1):
                if done[other]:
                    of_row[taken_by[other]] += step
                    of_column[other] -= step
                else:
                    slack[other] -= step
            column = following
        while column:
            taken_by[column] = taken_by[came_from[column]]
            column = came_from[column]
    return sorted((taken_by[column] - 1, column - 1) for column in range(1, columns + 1) if taken_by[column])
