"""Times commands in turns and compares their medians."""

import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence


def wall_seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run a command and return how long it took."""
    start = time.perf_counter()
    subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True)
    return time.perf_counter() - start


def cpu_seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run a command and return the processor time that it took, which other work on the machine changes least."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall_seconds(command, environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_turns(runs: int, **measures: Callable[[], float]) -> dict[str, list[float]]:
    """Take each measure once uncounted, then `runs` times, in turns; seconds by name."""
    times: dict[str, list[float]] = {name: [] for name in measures}
    for run in range(runs + 1):
        for name, measure in measures.items():
            seconds = measure()
            if run:
                times[name].append(seconds)
    return times


def report(times: Mapping[str, Sequence[float]], *, base: str, bounds: Mapping[str, float]) -> None:
    """Print a line for each measure: the median, and the median of the ratios to the base, run by run."""
    for name, seconds in times.items():
        ratios = [mine / theirs for mine, theirs in zip(seconds, times[base], strict=True)]
        bound = f"  bound {bounds[name]:.2f}" if name in bounds else ""
        print(f"{name:<16} median {statistics.median(seconds):6.3f} s  ratio {statistics.median(ratios):5.2f}{bound}")
