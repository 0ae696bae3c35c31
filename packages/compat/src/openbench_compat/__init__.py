"""Import paths of upstream's that benchmarks of others use; they appear under `openbench` (see `openbench.compat`)."""
