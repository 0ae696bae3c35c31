"""Engines for static benchmarks, and for several processes on one machine."""
