"""Benchmarks with instructions that a program can check: length, wording, format, JSON schemas."""
