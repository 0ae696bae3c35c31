"""What inspect finds through the `inspect_ai` entry point: every metric registers its scorer when it is defined."""

import openbench_authoring.metrics  # noqa: F401
