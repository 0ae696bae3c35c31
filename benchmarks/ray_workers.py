"""Samples a second on a Ray cluster of this machine, against linear in its workers, with a model that takes 200 ms."""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from openbench_ray.cluster import LocalCluster
from openbench_testing import ChatServer

BIN = Path(sys.executable).parent
LATENCY = 0.2
WORKERS = [1, 2, 4, 8, 16]
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "acme-sums"
version = "1.0"

[project.entry-points."openbench.benchmarks"]
sums = "acme_sums:sums_metadata"

[tool.hatch.build.targets.wheel]
packages = ["acme_sums"]
"""
METADATA = """
from openbench.metadata import BenchmarkMetadata

sums_metadata = BenchmarkMetadata("sums", "Sums.", "acme", [], "acme_sums.task", "sums")
"""
TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes

@task
def sums(count: int = 100) -> Task:
    return Task(dataset=[Sample(id=n, input=f"{n} + 1 is", target="1") for n in range(count)], scorer=includes())
"""


class Times:
    """When the model began to answer, and had answered; and since when it had so many requests at once."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._at_once = 0
        self._all_at_work = 0.0
        self._ended: list[float] = []

    def answer(self, _: object) -> str:
        """Take 200 ms."""
        with self._lock:
            self._at_once += 1
            if self._at_once == self._workers and not self._all_at_work:
                self._all_at_work = time.perf_counter()
        time.sleep(LATENCY)
        with self._lock:
            self._at_once -= 1
            self._ended.append(time.perf_counter())
        return "1"

    def rate(self) -> float:
        """Return samples a second from when every worker was at work until the last sample, its tail included."""
        if not self._all_at_work:
            return 0.0
        after = [moment for moment in self._ended if moment > self._all_at_work]
        return len(after) / (after[-1] - self._all_at_work)


def run(cluster: LocalCluster, folder: Path, workers: int, samples: int) -> float:
    """Run samples with one connection for each worker; return samples a second."""
    times = Times(workers)
    with ChatServer(times.answer, record=False) as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        divided = ["--workers", workers, "--max-connections", workers, "-T", f"count={samples}"]
        where = ["--ray", "--address", cluster.address, "--no-install"]
        command: list[object] = [BIN / "bench", "eval", "sums", *model, *divided, *where]
        environment = {**cluster.environment(), "LOCAL_API_KEY": "x", "PYTHONPATH": str(folder)}
        subprocess.run(list(map(str, command)), cwd=folder, env=environment, check=True, capture_output=True)
    return times.rate()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="How long the samples of a run keep workers busy.")
    parser.add_argument("--workers", type=int, nargs="+", default=WORKERS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "source"
        (source / "acme_sums").mkdir(parents=True)
        (source / "pyproject.toml").write_text(PROJECT, "utf-8")
        (source / "acme_sums" / "__init__.py").write_text(METADATA, "utf-8")
        (source / "acme_sums" / "task.py").write_text(TASK, "utf-8")
        install = ["pip", "install", "--quiet", "--no-deps", "--python", sys.executable, "--target", name, str(source)]
        subprocess.run([os.fspath(BIN / "uv"), *install], check=True)
        half = -(-max(given.workers) // 2)
        with LocalCluster([half, half], variables={"PYTHONPATH": name}) as cluster:
            base = 0.0
            for workers in given.workers:
                samples = round(given.seconds / LATENCY) * workers
                rate = run(cluster, folder, workers, samples)
                base = base or rate / workers
                share = rate / (base * workers)
                ideal = rate * LATENCY / workers
                print(
                    f"{workers:>3} workers  {samples:>6} samples  {rate:6.1f} a second  of linear {share:5.2f}"
                    f"  of what 200 ms allow {ideal:5.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit((error.stderr or b"").decode("utf-8", "replace"))
