"""Metrics under the names that upstream has."""
