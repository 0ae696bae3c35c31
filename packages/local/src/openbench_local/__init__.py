"""Evals in files: `bench eval ./file.py`, without a package around them."""
