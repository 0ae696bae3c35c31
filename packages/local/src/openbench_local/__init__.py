"""Local evals: benchmarks in files and directories, without a package."""
