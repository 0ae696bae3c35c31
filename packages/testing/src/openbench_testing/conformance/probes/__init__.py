"""Processes that examine benchmarks and report their findings, each run as `python -m` with its report's path."""
