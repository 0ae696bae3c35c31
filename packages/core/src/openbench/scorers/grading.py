"""What the kernel and scorers that ask a model for grades share; `openbench_scorers.grading` has the rest."""

GRADER_ROLE = "grader"
"""The role of the model that grades."""

GRADING_KEY = "openbench_grading"
"""The key of a grading prompt's metadata with its `grades` (the first for a correct answer), `answer` and `targets`."""
