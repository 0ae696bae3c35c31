"""`bench fidelity`: recorded completions, scored by the original's published code and by a benchmark."""
