"""Benchmarks of patches that resolve issues, verified with the repositories' tests."""
