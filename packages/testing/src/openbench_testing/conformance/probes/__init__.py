"""Processes that examine benchmarks and report their findings; each runs as `python -m` with the report's path."""
