"""Fails if any of the named distributions is installed: `python assert_absent.py NAME...`."""

import sys
from importlib.metadata import distributions

installed = {distribution.name for distribution in distributions()}
if present := installed.intersection(sys.argv[1:]):
    sys.exit(f"installed, but should not be: {', '.join(sorted(present))}")
