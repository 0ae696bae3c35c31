"""Compares runs of benchmarks: what their scores say, and what they do not."""
