"""Leaderboards: weighted categories of benchmarks."""
