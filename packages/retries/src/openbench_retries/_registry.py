"""What Inspect finds through the `inspect_ai` entry point, before it makes the first model.

The policy applies to what openbench runs: other programs that use Inspect in this environment keep its behaviour.
"""

import sys

from openbench_retries.policy import apply_policy_to_all

if "openbench.run.engine" in sys.modules:
    apply_policy_to_all()
