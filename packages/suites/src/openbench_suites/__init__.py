"""Suites: several benchmarks with one score."""
