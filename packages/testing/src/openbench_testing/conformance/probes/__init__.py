"""Processes that look at benchmarks and report what they find, each run as `python -m` with the path of its report."""
