"""Compare openbench-loglikelihood with lm-evaluation-harness: the same values, and how much sooner.

cd benchmarks && loglikelihood/.venv/bin/python -m loglikelihood.table
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

from loglikelihood.models import build
from loglikelihood.workloads import WORKLOADS, Asked, awkward

BENCHMARKS = Path(__file__).parent.parent
BOUNDS = {"full_text": 2.7, "letters": 1.3, "five_shot": 6.0}

Result = dict[str, Any]


def run(program: str, model: Path, workload: str, arguments: argparse.Namespace, batch: str = "auto") -> Result | None:
    """Return what one run in a process of its own has written; None if it failed, for want of memory perhaps."""
    command = [sys.executable, "-m", "loglikelihood.worker", program, str(model), workload, "--batch", batch]
    for option in ("samples", "threads", "dtype", "device"):
        command += [f"--{option}", str(getattr(arguments, option))]
    done = subprocess.run(command, cwd=BENCHMARKS, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{program} {workload} with batch {batch} failed: {done.stderr.strip().splitlines()[-1:]}")
        return None
    result: Result = json.loads(done.stdout.splitlines()[-1])
    return result


def difference(ours: Result, theirs: Result, *, exact: bool) -> tuple[float, int]:
    """Return the largest difference, in multiples of what is allowed, and how many greedy flags differ.

    Allowed are 1e-4 or 1e-6 of the value, whichever is larger; without `exact` (bfloat16), 0.05 of it.
    """
    pairs = [(a, b) for x, y in zip(ours["values"], theirs["values"], strict=True) for a, b in zip(x, y, strict=True)]
    relative = 1e-6 if exact else 0.05
    return (
        max(abs(a[0] - b[0]) / max(1e-4, relative * abs(b[0])) for a, b in pairs),
        sum(a[1] != b[1] for a, b in pairs),
    )


def accuracies(result: Result, asked: list[Asked]) -> tuple[int, int]:
    """Return how many answers are right, and how many by log-probability per character."""
    right = [0, 0]
    for values, (_, options, gold) in zip(result["values"], asked, strict=True):
        sums = [value for value, _ in values]
        by_length = [
            value / len(option.removeprefix(" ") or option) for value, option in zip(sums, options, strict=True)
        ]
        for place, ranked in enumerate((sums, by_length)):
            right[place] += ranked.index(max(ranked)) == gold
    return right[0], right[1]


def agreement(folder: Path, arguments: argparse.Namespace) -> bool:
    """Print how far the values of each model and workload differ."""
    print(f"{'model':8} {'workload':15} {'values':>7} {'difference':>11} {'greedy':>7} {'accuracy':>9}  {'shares'}")
    agrees = True
    for kind in arguments.models:
        model = build(kind, folder)
        for workload in [*WORKLOADS, "awkward", "rolling"]:
            ours = run("ours", model, workload, arguments)
            theirs = run("harness", model, workload, arguments, "8")
            if ours is None or theirs is None:
                agrees = False
                continue
            far, flags = difference(ours, theirs, exact=arguments.dtype == "float32")
            if workload == "rolling":
                same, flags = True, 0  # the harness returns no flags here
            else:
                asked = awkward() if workload == "awkward" else WORKLOADS[workload](arguments.samples)
                same = accuracies(ours, asked) == accuracies(theirs, asked)
            agrees = agrees and far <= 1 and not flags and same
            count = sum(map(len, ours["values"]))
            print(
                f"{kind:8} {workload:15} {count:7} {far:10.2f}x {flags:7} {'equal' if same else 'DIFFERS':>9}  "
                f"{_shares(ours)}",
                flush=True,
            )
    print(
        "difference: the largest one, in multiples of the tolerance (1e-4 or 1e-6 relative, whichever is larger)\n"
        "accuracy: accuracy and normalised accuracy; shares: whether the model's work is shared between requests, as\n"
        "the warnings of ours have it\n"
    )
    return agrees


def _shares(result: Result) -> str:
    """Return how much work a run has shared, by its warnings."""
    if any("cannot be shared" in warning for warning in result["warnings"]):
        return "no"
    return "within the window" if any("not shared" in warning for warning in result["warnings"]) else "yes"


def speed(folder: Path, arguments: argparse.Namespace) -> bool:
    """Print times side by side, runs of both alternating; the harness with the batch size that suits it best."""
    model = arguments.model or build("llama", folder)
    print(
        f"{'workload':15} {'samples':>7} {'distinct':>9} {'read':>8} {'harness':>9} {'batch':>6} {'seconds':>8} "
        f"{'harness':>8} {'ratio':>6} {'CPU':>6} {'bound':>6} {'MiB':>6} {'harness':>8}"
    )
    holds = True
    for workload in arguments.workloads:
        ours, theirs, batch = _best(model, workload, arguments)
        ratio, cpu = theirs["seconds"] / ours["seconds"], theirs["cpu"] / ours["cpu"]
        bound = BOUNDS.get(workload, math.nan)
        holds = holds and not (cpu if arguments.clock == "cpu" else ratio) < bound and ours["peak"] <= theirs["peak"]
        print(
            f"{workload:15} {len(ours['values']):7} {ours['distinct']:9} {ours['computed']:8} {theirs['computed']:9} "
            f"{batch:>6} {ours['seconds']:8.2f} {theirs['seconds']:8.2f} {ratio:5.2f}x {cpu:5.2f}x {bound:5.1f}x "
            f"{ours['peak']:6.0f} {theirs['peak']:8.0f}",
            flush=True,
        )
    print(
        "distinct: tokens that have to be read; read, harness: tokens that were, with padding; batch: the harness's\n"
        "best; ratio: of seconds; CPU: of processor time; MiB: the highest memory use of the process, or of the GPU\n"
    )
    return holds


def _best(model: Path, workload: str, arguments: argparse.Namespace) -> tuple[Result, Result, str]:
    """Return the fastest runs of both, and the harness's batch size in its one."""
    mine, others = [], []
    for _ in range(arguments.repeats):
        for batch in arguments.batches:
            mine.append(run("ours", model, workload, arguments))
            others.append((run("harness", model, workload, arguments, batch), batch))
    ours = min((each for each in mine if each), key=lambda each: float(each[arguments.clock]))
    theirs, batch = min(
        ((each, batch) for each, batch in others if each), key=lambda pair: float(pair[0][arguments.clock])
    )
    return ours, theirs, batch


def main() -> None:
    """Print both tables; exit with 1 if values differ or a bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent / "build", help="where models are kept")
    parser.add_argument("--model", type=Path, help="a model to measure in place of the small one")
    parser.add_argument(
        "--models", nargs="*", default=["llama", "gpt2", "mamba", "sliding"], help="whose values are compared"
    )
    parser.add_argument("--workloads", nargs="*", default=list(WORKLOADS), choices=list(WORKLOADS))
    parser.add_argument("--batches", nargs="*", default=["1", "4", "16", "auto"], help="of the harness")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--compared", type=int, default=24, help="samples of each comparison of values")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument(
        "--clock", choices=["seconds", "cpu"], default="seconds", help="what is compared; cpu on a machine that is busy"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    fewer = argparse.Namespace(**{**vars(arguments), "samples": arguments.compared})
    agrees = agreement(arguments.folder, fewer) if arguments.models else True
    holds = speed(arguments.folder, arguments) if arguments.workloads else True
    sys.exit(0 if agrees and holds else 1)


if __name__ == "__main__":
    main()
