"""The ways to write a benchmark, and how a benchmark becomes an Inspect task."""
