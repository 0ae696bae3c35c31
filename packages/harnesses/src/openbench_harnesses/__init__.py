"""Benchmarks that are tasks of other evaluation harnesses, whose code stays as it is."""
