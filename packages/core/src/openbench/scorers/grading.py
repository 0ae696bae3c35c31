"""Constants shared by core and the model-graded scorers of openbench-scorers."""

GRADER_ROLE = "grader"
"""The role of the model that grades."""

GRADING_KEY = "openbench_grading"
"""The key of a grading prompt's metadata with its `grades` (the first for a correct answer), `answer` and `targets`."""
