"""Runs an original's scoring code: `PYTHON child.py ADAPTER BENCHMARK CODE RECORDS VERDICTS`.

It may run in another interpreter, with the original's dependencies: standard library only.
"""

import json
import runpy
import sys
from pathlib import Path


def main(adapter: str, benchmark: str, code: str, records: str, verdicts: str) -> None:
    """Write a verdict on each record, returned by the adapter's `original`."""
    original = runpy.run_path(adapter)["original"]
    given = json.loads(Path(records).read_text("utf-8"))
    Path(verdicts).write_text(json.dumps(list(original(benchmark, given, Path(code)))), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
