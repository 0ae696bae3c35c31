"""Declarations of scorers with a grader, with which a run is checked before its first request.

Any scorer may make these declarations; openbench-dryrun checks them. `openbench_scorers.model_graded` asks graders and
reads verdicts.
"""

from collections.abc import Iterable

from openbench.errors import UsageError
from openbench.scorers.grading import GRADER_ROLE

DEFAULT_GRADER_KEY = "default_grader"
"""The key of a scorer's default grader (`@scorer(..., default_grader=...)`), which is checked before the run."""

GRADER_ARGUMENTS = ("model", "models", "grader_model")
"""The arguments of such a scorer that name one or several graders; they precede the role and the default."""

GRADER_REQUESTS_KEY = "grader_requests"
"""The key of such a scorer's metadata that holds the number of requests to each grader for a sample: a number, or
`module:function`, a function of the sample. The default is 1."""

SELF_JUDGE_KEY = "self_judge"
"""The key of such a scorer's metadata that is False if a model may grade itself only with `ALLOW_SELF_JUDGE`."""

ALLOW_SELF_JUDGE = "allow_self_judge"
"""The argument of such a scorer that allows a model to grade itself."""


def refuse_self_judging(graders: Iterable[object], evaluated: object) -> None:
    """Refuse the evaluated model as its own grader.

    Args:
        graders: The graders, or their names.
        evaluated: The evaluated model, or its name.

    Raises:
        UsageError: The evaluated model is one of the graders.
    """
    if str(evaluated) in map(str, graders):
        raise UsageError(
            f"{evaluated} would judge its own answers. Name another grader with --model-role "
            f"{GRADER_ROLE}=PROVIDER/MODEL, or allow it with -T {ALLOW_SELF_JUDGE}=true."
        )
