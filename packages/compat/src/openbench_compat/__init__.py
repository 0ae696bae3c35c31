"""Upstream import paths that other people's benchmarks use; `openbench.registry.compat` serves them under `openbench`."""
