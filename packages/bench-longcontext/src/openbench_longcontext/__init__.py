"""Long-context benchmarks: retrieval, tracing, aggregation and reading in long prompts."""
