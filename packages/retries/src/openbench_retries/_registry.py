"""What Inspect finds through the `inspect_ai` entry point, before it makes the first model."""

from openbench_retries.policy import apply_policy_to_all

apply_policy_to_all()
