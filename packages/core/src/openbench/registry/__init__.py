"""Finds benchmarks through entry points, decides who provides a name, and reports what is wrong."""
