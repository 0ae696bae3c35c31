"""A benchmark as a declaration: where its rows are, what their columns mean, how it is asked and scored."""
