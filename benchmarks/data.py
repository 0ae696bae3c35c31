"""Loading: 14,042 multiple-choice rows from the dataset store to Samples, beside the ways that inspect offers."""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pairs import in_turns, report

from openbench_testing import HubServer

COUNT = 14_042  # the rows of MMLU's test split
REVISION = "c30699e8356da336a370243923dbaf21066bb9fe"
REAL = Path("hub/cais/mmlu/all/test.jsonl")
BOUND_SECONDS = 1.0

# Each is a process of its own, which says how long it took once inspect is imported, as it is before any task is built.
COMMON = """
import sys, time
from inspect_ai.dataset import Sample, hf_dataset, json_dataset
def to_sample(row):
    lines = [f"{letter}) {choice}" for letter, choice in zip("ABCD", row["choices"])]
    return Sample(input="\\n".join([row["question"], *lines]), target="ABCD"[row["answer"]])
def read():
    from openbench.datasets import load_samples, read_rows
    from openbench.metadata import DatasetSource
    rows = read_rows(DatasetSource(source="cais/mmlu", config="all", split="test", revision=sys.argv[1]))
    return load_samples(rows, to_sample, name="mmlu", auto_id=AUTO_ID)
AUTO_ID = True
start = time.perf_counter()
"""
END = "\nassert len(made) == int(sys.argv[3])\nprint(time.perf_counter() - start)"
WAYS = {
    "store": "made = read()",
    "store_no_ids": "AUTO_ID = False\nmade = read()",
    "json_dataset": "made = json_dataset(sys.argv[2], to_sample)",
    "hf_dataset": "made = hf_dataset('cais/mmlu', 'test', 'all', sample_fields=to_sample, revision=sys.argv[1])",
    "load_dataset": """
import datasets
rows = datasets.load_dataset('cais/mmlu', 'all', split='test', revision=sys.argv[1]).to_list()
made = [to_sample(row) for row in rows]
""",
}
CHECK = """
import sys, time
from openbench.datasets.store import Store
from openbench_bundles.maintenance import entries_of
[entry] = entries_of(Store.here())
entry.manifest
start = time.perf_counter()
entry.data()
print(time.perf_counter() - start)
"""


def generated() -> Iterator[dict[str, Any]]:
    """Make rows in MMLU's schema and of about its lengths."""
    draw = random.Random(0)  # noqa: S311 - no secret
    for number in range(COUNT):
        words = [f"word{draw.randrange(5000)}" for _ in range(draw.randrange(10, 90))]
        choices = [f"choice {draw.randrange(10**6)} {'x' * draw.randrange(60)}" for _ in range(4)]
        subject = f"subject_{number % 57}"
        yield {"question": " ".join(words), "subject": subject, "choices": choices, "answer": draw.randrange(4)}


def rows_file(folder: Path) -> Path:
    """Return a file of real rows if OPENBENCH_REAL_DATA has them, else of generated ones."""
    real = os.environ.get("OPENBENCH_REAL_DATA")
    if real and (Path(real) / REAL).is_file():
        return Path(real) / REAL
    file = folder / "test.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in generated()), "utf-8")
    return file


def seconds(code: str, environment: Mapping[str, str], *arguments: object) -> float:
    """Run a way to load in a process, and return how long it says it took."""
    command = [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)]
    done = subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[-1])  # hf_dataset says that it loads


def main() -> None:
    """Print the median of each way, and its ratio to the store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name, HubServer() as hub:
        folder = Path(name)
        file = rows_file(folder)
        rows = [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]
        hub.add("cais/mmlu", rows, config="all", revision=REVISION)
        environment = hub.environment(folder)
        arguments = (REVISION, file, len(rows))
        ways = {
            way: lambda code=code: seconds(COMMON + code + END, environment, *arguments) for way, code in WAYS.items()
        }
        checks = lambda: seconds(CHECK, environment)  # noqa: E731 - as the others
        times = in_turns(runs, **ways, check=checks)
    check = times.pop("check")
    print(f"{len(rows):,} rows of {file.name} ({'real' if str(file).endswith(str(REAL)) else 'generated'})")
    report(times, base="store", bounds={})
    print(
        f"bound of store: {BOUND_SECONDS} s; its check of size and digest takes {statistics.median(check) * 1e3:.1f} ms"
    )


if __name__ == "__main__":
    main()
