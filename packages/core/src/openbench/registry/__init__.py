"""Finds benchmarks through entry points, decides which distribution provides a name, and reports problems.

In the order in which `bench list` uses them:

- `discovery`: the distributions that register entry points, without importing them
- `plugin_loader`: loads entry points, safely
- `catalog`: all benchmarks and groups, checked, by name
- `resolution`, `settings`: which of several distributions provides a name, and the project's choices
- `benchmark`: a benchmark to run: its files, its signature (`sources`), its task function

Also: `versions` (the distributions that a run uses), `names` (how names compare), `compat` (import paths that
openbench-compat serves).
"""
