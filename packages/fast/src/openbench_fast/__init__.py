"""Engines for static benchmarks, and for several processes of a machine."""
