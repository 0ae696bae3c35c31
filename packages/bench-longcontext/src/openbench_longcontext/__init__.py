"""Benchmarks of long contexts: finding, following and counting what stands somewhere in a long prompt."""
