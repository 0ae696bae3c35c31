"""Scorers by archetype, one per file."""

from openbench.registry.compat import fallback

__getattr__ = fallback(__name__)
