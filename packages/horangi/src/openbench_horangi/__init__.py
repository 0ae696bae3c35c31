"""The Korean leaderboard Horangi: its benchmarks on its published rows, and its weights."""

from pathlib import Path

LEADERBOARD = Path(__file__).with_name("leaderboard.toml")
"""The leaderboard's categories and weights, read by `bench leaderboard --config horangi`."""
