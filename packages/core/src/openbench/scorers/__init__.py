"""Scorer archetypes, one a file."""

GRADER_ROLE = "grader"
"""The role of the model that grades."""
