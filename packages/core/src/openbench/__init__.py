"""openbench: evaluate language models with benchmarks that are packages.

Importing this package costs nothing: what needs the engine underneath lives in its own modules
(`openbench.utils.mcq`, `openbench.scorers`, `openbench.run`) and is imported where it is used.
"""
