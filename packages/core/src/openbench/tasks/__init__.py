"""Building blocks of benchmarks, and the construction of their Inspect tasks."""
