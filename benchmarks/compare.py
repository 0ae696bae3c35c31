"""`bench compare`: CPU seconds for two logs of 14,042 samples and for twenty, also as multiples of `import inspect_ai`.

Each is a process of its own, with the system's time; the fastest of several counts, since other work only ever adds.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score

from openbench.run.identity import CONTENT_KEY

SAMPLES, FEW, MANY = 14_042, 2, 20
BOUNDS = {FEW: 3.0, MANY: 20.0}
PASSAGE = "The passage that the question is about goes on for a while, as those of real benchmarks do. " * 5
IMPORT = ["-c", "import inspect_ai"]
COMPARE = ["-c", "from openbench.cli.main import main; main()", "compare"]


def written(folder: Path, number: int, samples: int, suffix: str) -> Path:
    """Write the log of a model that has about 60 % right."""
    model = f"local/model-{number:02}"
    graded = (np.random.default_rng(number).random(samples) < 0.6 + number / 500).tolist()
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created="2026-01-01T00:00:00Z",
            task="quiz",
            dataset=EvalDataset(samples=samples),
            model=model,
            config=EvalConfig(),
        ),
        results=EvalResults(
            total_samples=samples,
            completed_samples=samples,
            scores=[
                EvalScore(
                    name="choice",
                    scorer="choice",
                    metrics={"accuracy": EvalMetric(name="accuracy", value=sum(graded) / samples)},
                )
            ],
        ),
        samples=list(samples_of(model, graded)),
    )
    path = folder / f"{number:02}{suffix}"
    write_eval_log(log, str(path))
    return path


def samples_of(model: str, graded: Sequence[bool]) -> Iterator[EvalSample]:
    """Yield samples with an input of half a kilobyte and an output of a tenth."""
    for number, right in enumerate(graded):
        yield EvalSample(
            id=number,
            epoch=1,
            input=f"{PASSAGE}Question {number}?",
            target="A",
            messages=[],
            output=ModelOutput.from_content(model, f"{PASSAGE[:90]}Answer: {'A' if right else 'B'}"),
            metadata={CONTENT_KEY: f"{number:064x}", "subject": f"subject {number % 57}"},
            scores={"choice": Score(value="C" if right else "I", answer="A" if right else "B")},
        )


def seconds(command: Sequence[str], runs: int) -> float:
    """Return the fewest CPU seconds that a process of Python takes."""
    fewest = float("inf")
    for _ in range(runs):
        before = os.times()
        subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        fewest = min(fewest, spent)
    return fewest


def report(samples: int, runs: int) -> None:
    """Print the times."""
    imported = seconds(IMPORT, runs)
    print(f"import inspect_ai: {imported:.2f} s of CPU time; {samples:,} samples a log")
    print(f"{'logs':>4}  {'format':<6}  {'seconds':>7}  {'beyond the import':>17}  {'bound':>5}  {'imports':>7}")
    for suffix in (".eval", ".json"):
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(written(Path(folder), number, samples, suffix)) for number in range(MANY)]
            for count, bound in BOUNDS.items():
                spent = seconds([*COMPARE, *paths[:count]], runs if count == FEW else 1)
                beyond = spent - imported
                print(
                    f"{count:>4}  {suffix[1:]:<6}  {spent:7.2f}  {beyond:17.2f}  {bound:5.0f}  {spent / imported:7.1f}"
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=SAMPLES, help="samples of a log")
    parser.add_argument("--runs", type=int, default=3, help="times that each is measured, of which the fastest counts")
    chosen = parser.parse_args()
    report(chosen.samples, chosen.runs)
