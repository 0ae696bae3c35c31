"""Peak memory of many samples: `bench eval` with each engine, against `inspect eval` on the same task."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BIN = Path(sys.executable).parent

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import includes
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Many", "Made-up questions.", "made", [], __name__, "many")

@task
def many(count: int = 0) -> Task:
    samples = [
        Sample(id=f"s{number}", input=f"Question {number}: " + "is what follows from it right? " * 5, target="yes")
        for number in range(count)
    ]
    return Task(dataset=MemoryDataset(samples), scorer=includes())
"""


def peak(command: list[str]) -> float:
    """Return the largest resident memory of any process of a command, in bytes."""
    with Path("errors").open("wb") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
    _, status, used = os.wait4(process.pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        sys.exit(f"{' '.join(command)} ended with {code}: {Path('errors').read_text('utf-8', 'replace')[-2000:]}")
    return used.ru_maxrss * 1024.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, nargs="*", default=[10_000, 40_000])
    parser.add_argument("--only", nargs="*", metavar="NAME", help="Rows to measure; by default, all.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        Path("many.py").write_text(TASK, "utf-8")
        model = ["many.py", "--model", "baseline/constant", "--display", "none"]
        bench = [str(BIN / "bench"), "eval", *model, "--engine"]
        commands = {
            "inspect eval": [str(BIN / "inspect"), "eval", *model],
            "inspect, 1 process": [*bench, "inspect", "--processes", "1"],
            "inspect, 2 processes": [*bench, "inspect", "--processes", "2"],
            "direct, 1 process": [*bench, "direct", "--processes", "1"],
            "direct, 2 processes": [*bench, "direct", "--processes", "2"],
        }
        for label in given.only or commands:
            before: tuple[int, float] | None = None
            for count in given.samples:
                size = peak([*commands[label], "-T", f"count={count}"])
                slope = f"  {(size - before[1]) / (count - before[0]) / 1e3:5.1f} kB a sample more" if before else ""
                print(f"{label:<20} {count:>7} samples  {size / 1e6:6.0f} MB{slope}", flush=True)
                before = count, size


if __name__ == "__main__":
    main()
