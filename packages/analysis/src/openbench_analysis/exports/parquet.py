"""`bench export parquet`: the tables as Parquet files."""

from collections.abc import Sequence
from pathlib import Path

from openbench_analysis.exports.tables import tables_of, write_table
from openbench_analysis.runs import Run


def write_parquet(runs: Sequence[Run], folder: Path) -> dict[Path, int]:
    """Write `results.parquet`, `stats.parquet` and `samples.parquet`, and return the rows of each.

    Args:
        runs: The runs, whose rows follow each other in this order.
        folder: The folder, which is created; files of these names in it are replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return {
        (path := folder / f"{name}.parquet"): write_table(path, schema, rows)
        for name, (schema, rows) in tables_of(runs).items()
    }
