"""The module of the `inspect_ai` entry point, which Inspect imports before it creates the first model.

The policy applies only to openbench's runs: other programs that use Inspect in this environment keep its behaviour.
"""

import sys

from openbench_retries.policy import apply_policy_to_all

if "openbench.run.engine" in sys.modules:
    apply_policy_to_all()
