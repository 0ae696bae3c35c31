"""Writes runs in the formats of others: one target a file. `origin` and `tables` are what the targets share."""
