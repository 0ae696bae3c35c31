"""A benchmark's health: its answer key, its rows, its scorer, and what logs show of its samples."""
