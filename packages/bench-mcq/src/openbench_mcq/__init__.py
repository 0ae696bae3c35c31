"""Multiple-choice benchmarks for openbench."""
