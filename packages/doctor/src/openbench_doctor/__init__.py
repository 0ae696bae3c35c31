"""`bench doctor`, `bench use` and `bench describe --why`: problems of installed plugins, and benchmarks' providers."""
