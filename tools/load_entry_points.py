"""Load every entry point of a distribution: `python tools/load_entry_points.py openbench-logs`."""

import sys
from importlib.metadata import distribution

STYLES = "openbench.styles"
"""What only `bench new` loads, a command of openbench-testing."""

for entry_point in distribution(sys.argv[1]).entry_points:
    if entry_point.group != STYLES:
        entry_point.load()
