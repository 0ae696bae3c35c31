"""Finds benchmarks through entry points, decides who provides a name, and reports what is wrong.

In the order in which `bench list` goes through them:

- `discovery`: which distributions register entry points, without importing any of them
- `plugin_loader`: loads them, whatever they do meanwhile
- `catalog`: all benchmarks and groups, checked, by name
- `resolution`, `settings`: which of several distributions provides a name, and what the project chose
- `benchmark`: one that can be run: its files, its signature (`sources`), its task function

Further: `versions` (which distributions a run uses), `names` (how names compare), `compat` (import paths that
openbench-compat serves).
"""
