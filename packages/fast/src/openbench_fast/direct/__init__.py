"""A loop of ours that runs the samples of static benchmarks."""
