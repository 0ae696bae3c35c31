"""Results as files: one small JSON for each run, to be kept in git."""
