"""`bench fork`: a package that takes the place of an installed benchmark, made of its source."""
