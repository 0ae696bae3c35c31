"""A benchmark as a declaration: where its rows are, what their columns mean, and how they are asked and scored."""
