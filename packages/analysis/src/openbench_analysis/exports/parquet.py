"""`bench export parquet`: the tables as Parquet files."""

from collections.abc import Sequence
from pathlib import Path

from openbench_analysis.exports.tables import (
    RESULTS,
    SAMPLES,
    STATS,
    results_row,
    samples_rows,
    stats_rows,
    write_table,
)
from openbench_analysis.runs import Run


def write_parquet(runs: Sequence[Run], folder: Path) -> dict[Path, int]:
    """Write `results.parquet`, `stats.parquet` and `samples.parquet`, and return the rows of each.

    Args:
        runs: The runs, whose rows follow each other in this order.
        folder: The folder, which is created; files of these names in it are replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tables = (
        ("results", RESULTS, (results_row(run) for run in runs)),
        ("stats", STATS, (row for run in runs for row in stats_rows(run))),
        ("samples", SAMPLES, (row for run in runs for row in samples_rows(run))),
    )
    return {(path := folder / f"{name}.parquet"): write_table(path, schema, rows) for name, schema, rows in tables}
