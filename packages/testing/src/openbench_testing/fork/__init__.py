"""`bench fork`: a package that overrides an installed benchmark, made from its source."""
