"""Throughput: a static benchmark on a model that answers at once, from the first sample to the finished log."""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from pairs import wall_seconds

BIN = Path(sys.executable).parent
ROWS = 14_042
MODEL = ["--model", "baseline/constant"]

TASK = """
import json
from pathlib import Path
from inspect_ai import Task, task
from inspect_ai.dataset import Sample, MemoryDataset
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench.scorers.mcq import mcq_scorer
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Static", "Multiple choice.", "made", [], __name__, "static")

@task
def static(rows: str = "", count: int = 0) -> Task:
    read = [json.loads(line) for line in Path(rows).read_text("utf-8").split("\\n")[:count] if line]
    samples = [
        Sample(
            id=f"r{number}",
            input=create_dynamic_multiple_choice_prompt(row["question"], row["choices"]),
            target="ABCD"[row["answer"]],
            metadata={"subject": row["subject"]},
        )
        for number, row in enumerate(read)
    ]
    return Task(dataset=MemoryDataset(samples), scorer=mcq_scorer())
"""


def rows_of_mmlu(folder: Path) -> Path:
    """Return MMLU's test rows if they are at hand, else as many made ones of about the same length."""
    data = os.environ.get("OPENBENCH_REAL_DATA")
    real = Path(data or "/nowhere") / "hub/cais/mmlu/all/test.jsonl"
    if real.is_file():
        return real
    made = folder / "rows.jsonl"
    with made.open("w", encoding="utf-8") as file:
        for number in range(ROWS):
            question = f"Question {number}: " + "which of the statements below about it is right, and why? " * 5
            choices = [f"{word} is what holds for case {number}" for word in ("This", "That", "Neither", "Both")]
            row = {"question": question, "choices": choices, "answer": number % 4, "subject": f"subject {number % 57}"}
            file.write(json.dumps(row) + "\n")
    return made


def cost(command: Callable[[int], Sequence[str]], count: int, runs: int) -> tuple[float, float]:
    """Return seconds, and seconds of CPU, per sample, the least of some runs: a whole command less one of a sample."""

    def measured(samples: int) -> tuple[float, float]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = wall_seconds(command(samples), {})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    taken = [zip(measured(count), measured(1), strict=True) for _ in range(runs)]
    wall, cpu = zip(*([(whole - one) / (count - 1) for whole, one in run] for run in taken), strict=True)
    return min(wall), min(cpu)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--samples", type=int, default=ROWS)
    parser.add_argument(
        "--inspect-samples",
        type=int,
        default=ROWS,
        help="Samples of the runs of inspect's engine, whose time for a sample grows with their number, so that fewer "
        "ones flatter it.",
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        rows = rows_of_mmlu(folder)
        Path("static.py").write_text(TASK, "utf-8")

        def arguments(count: int) -> list[str]:
            return ["-T", f"rows={rows}", "-T", f"count={count}"]

        def bench(*more: str) -> Callable[[int], list[str]]:
            return lambda count: [str(BIN / "bench"), "eval", "static.py", *MODEL, *more, *arguments(count)]

        def by_inspect(count: int) -> list[str]:
            return [str(BIN / "inspect"), "eval", "static.py", *MODEL, "--display", "none", *arguments(count)]

        measures = {
            "inspect eval": (by_inspect, given.inspect_samples, None),
            "--engine inspect --processes 1": (
                bench("--engine", "inspect", "--processes", "1"),
                given.inspect_samples,
                None,
            ),
            "--engine inspect --processes 2": (
                bench("--engine", "inspect", "--processes", "2"),
                given.inspect_samples,
                2.5,
            ),
            "--engine direct --processes 1": (bench("--engine", "direct", "--processes", "1"), given.samples, 8.0),
            "--engine direct --processes 2": (bench("--engine", "direct", "--processes", "2"), given.samples, 12.0),
        }
        base: tuple[float, float] | None = None
        for label, (command, count, bound) in measures.items():
            wall, cpu = cost(command, count, given.runs)
            base = base or (wall, cpu)
            wanted = f"  bound {bound:.1f}" if bound else ""
            print(
                f"{label:<33} {count:>6} samples  {1 / wall:7.0f} a second  ratio {base[0] / wall:5.2f}  "
                f"{1000 * cpu:5.2f} ms of CPU  ratio {base[1] / cpu:5.2f}{wanted}",
                flush=True,
            )


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr.decode("utf-8", "replace"))
