"""Models and solvers without an API, against which a benchmark is checked."""

from typing import Literal, get_args

Baseline = Literal["random", "constant", "empty", "echo", "reference"]
BASELINES: tuple[str, ...] = get_args(Baseline)
