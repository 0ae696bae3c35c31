"""Engines: who runs the samples of tasks that are ready.

`inspect` is inspect's own `eval()`, for anything. `direct` is a loop of ours for static benchmarks. A distribution adds
one through the entry-point group `openbench.engines`: the entry point's name is what `bench eval --engine` takes, and
names a subclass of `openbench.run.engines.engine.Engine`.
"""
