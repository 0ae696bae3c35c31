"""Metrics under their earlier import paths."""
