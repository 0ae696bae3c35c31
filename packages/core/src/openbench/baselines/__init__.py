"""Models and solvers that know nothing, or everything: what a benchmark is checked against."""

BASELINES = ("random", "constant", "empty", "echo", "reference")
