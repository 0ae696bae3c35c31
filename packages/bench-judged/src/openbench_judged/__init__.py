"""Benchmarks that models judge: conversations, hard questions, refusals, harm and health."""
