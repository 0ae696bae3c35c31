"""Log-probabilities of continuations and texts."""
