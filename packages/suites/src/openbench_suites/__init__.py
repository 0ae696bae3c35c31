"""Suites of benchmarks, which have one score."""
