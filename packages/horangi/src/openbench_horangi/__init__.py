"""The Korean leaderboard Horangi: its benchmarks on the rows that it publishes, and its weights."""

from pathlib import Path

LEADERBOARD = Path(__file__).with_name("leaderboard.toml")
"""The categories and weights of the leaderboard, which `bench leaderboard --config horangi` reads."""
