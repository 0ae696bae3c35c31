"""Patches of repositories that resolve issues, tested by the repositories' own tests."""
