"""Many benchmarks in one command: seconds to the first sample, and what each one costs, by their number."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCH = str(Path(sys.executable).with_name("bench"))
PER_PACKAGE = 100

METADATA = """
from openbench.metadata import BenchmarkMetadata
BENCHMARKS = {{
    f"many_{number}_{{index}}": BenchmarkMetadata(
        f"Many {{index}}", "Two made-up samples", "made", [], "many_{number}.task", f"many_{number}_{{index}}",
    )
    for index in range({count})
}}
"""

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import includes

def make():
    samples = [Sample(id=f"s{row}", input=f"Say {row}", target="yes") for row in range(2)]
    return Task(dataset=MemoryDataset(samples), scorer=includes())
"""

ONE = """
@task
def many_{number}_{index}() -> Task:
    return make()
"""


def make_packages(folder: Path, count: int) -> list[str]:
    """Install packages of a hundred benchmarks by hand until there are `count` of them; return their names."""
    names = []
    for number, first in enumerate(range(0, count, PER_PACKAGE)):
        size = min(PER_PACKAGE, count - first)
        package = folder / f"many_{number}"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "metadata.py").write_text(METADATA.format(number=number, count=size))
        tasks = "".join(ONE.format(number=number, index=index) for index in range(size))
        (package / "task.py").write_text(TASK + tasks)
        info = folder / f"openbench_many_{number}-1.0.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: openbench-many-{number}\nVersion: 1.0.0\n")
        (info / "entry_points.txt").write_text(
            f"[openbench.benchmarks]\nmany-{number} = many_{number}.metadata:BENCHMARKS\n"
        )
        names += [f"many_{number}_{index}" for index in range(size)]
    return names


def measure(folder: Path, names: list[str], processes: int) -> str:
    """Run all benchmarks in one command; return what it took, as a line."""
    shutil.rmtree(folder / "logs", ignore_errors=True)
    environment = {**os.environ, "PYTHONPATH": str(folder / "packages"), "XDG_DATA_HOME": str(folder / "data")}
    command = [BENCH, "eval", *names, "--baseline", "reference", "--processes", str(processes)]
    start = time.perf_counter()
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=out)
        first = None
        while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if first is None and _has_sample(folder / "logs"):
                first = time.perf_counter() - start
            time.sleep(0.1 if first is None else 0.5)
        _, status, used = os.wait4(process.pid, 0)
    wall, cpu = time.perf_counter() - start, used.ru_utime + used.ru_stime
    logs = sum(1 for _ in (folder / "logs").glob("*.json"))
    code = os.waitstatus_to_exitcode(status)
    return (
        f"{len(names):>5} benchmarks, {processes} processes: first sample {first or wall:6.1f} s, wall {wall:6.1f} s, "
        f"CPU {cpu:6.1f} s ({1000 * cpu / len(names):5.1f} ms each), {used.ru_maxrss / 1024:5.0f} MiB, {logs} logs, "
        f"exit code {code}"
    )


def _has_sample(logs: Path) -> bool:
    """Tell whether a journal has more than its header."""
    paths = logs.glob("runs/*/*.jsonl")
    return any(path.stem[:3] != "run" and b'"kind":"sample"' in path.read_bytes() for path in paths)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[50, 500, 1_500])
    parser.add_argument("--processes", type=int, nargs="*", default=[1, 2])
    given = parser.parse_args()
    for size in given.sizes:
        with tempfile.TemporaryDirectory() as name:
            names = make_packages(Path(name) / "packages", size)
            for processes in given.processes:
                print(measure(Path(name), names, processes), flush=True)


if __name__ == "__main__":
    main()
