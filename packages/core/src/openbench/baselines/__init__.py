"""Models and solvers that need no API, to check benchmarks with."""

from typing import Literal, get_args

Baseline = Literal["random", "constant", "empty", "echo", "reference"]
BASELINES: tuple[str, ...] = get_args(Baseline)
