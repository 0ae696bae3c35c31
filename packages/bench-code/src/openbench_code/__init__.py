"""Programming benchmarks for openbench: model-written programs run in a sandbox, against tests."""
