"""`bench check`: the conformance of benchmarks, without pytest."""
