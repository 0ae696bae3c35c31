"""The loop that runs the samples of static benchmarks."""
