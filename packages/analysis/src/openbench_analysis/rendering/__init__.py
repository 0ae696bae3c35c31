"""Shared by tables as text, Markdown, CSV and HTML."""
