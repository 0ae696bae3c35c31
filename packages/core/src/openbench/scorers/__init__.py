"""Scorer archetypes, one a file."""
