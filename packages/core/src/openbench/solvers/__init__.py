"""Solvers that shape what a model is asked: cues, and options to be ranked."""
