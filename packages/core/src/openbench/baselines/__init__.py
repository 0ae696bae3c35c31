"""Models and solvers without an API, against which a benchmark is checked."""

BASELINES = ("random", "constant", "empty", "echo", "reference")
