"""Scorers beyond the kernel's, one per file: a pure function and a thin adapter."""
