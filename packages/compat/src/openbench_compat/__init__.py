"""Upstream import paths that other people use; `openbench.registry.compat` serves them under `openbench`."""
