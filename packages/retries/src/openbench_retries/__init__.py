"""Retries of failed requests to models, and their counts."""
