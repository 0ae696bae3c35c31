"""`bench fork`: creates a package that overrides an installed benchmark, from its source."""
