"""Benchmarks of function calling: which function a model calls, with which arguments, and when it calls none."""
