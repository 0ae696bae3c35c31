"""Tasks of other evaluation harnesses as benchmarks, with their code unchanged."""
