"""Benchmarks of programming for openbench: what models write is run in a sandbox, against its tests."""
