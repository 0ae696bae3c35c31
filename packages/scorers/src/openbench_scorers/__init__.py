"""Scorers in addition to openbench-core's, one per file: a pure function and a thin adapter."""
