"""Scorer archetypes beyond the kernel's, one a file: a pure function and a thin adapter."""
