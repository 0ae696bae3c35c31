"""Scorer archetypes, one a file."""

from openbench.registry.compat import fallback

__getattr__ = fallback(__name__)
