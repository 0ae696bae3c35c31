"""The direct engine: static benchmarks in one loop of ours, without inspect's bookkeeping for each event.

The same solvers, `Model.generate`, scorers, reducers and metrics run, and the log is the same but for its events.
"""
