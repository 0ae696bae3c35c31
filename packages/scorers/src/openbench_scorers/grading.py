"""What a scorer that asks a model for grades declares, so that a run is checked before its first request.

Any scorer may declare these, and openbench-dryrun checks them. `openbench_scorers.model_graded` asks graders and reads
verdicts.
"""

from collections.abc import Iterable

from openbench.errors import UsageError
from openbench.scorers.grading import GRADER_ROLE

DEFAULT_GRADER_KEY = "default_grader"
"""The key of a scorer's default grader (`@scorer(..., default_grader=...)`), which is checked before the run."""

GRADER_ARGUMENTS = ("model", "models", "grader_model")
"""The arguments of such a scorer that name one grader or several, before the role and the default."""

GRADER_REQUESTS_KEY = "grader_requests"
"""The key of such a scorer's metadata that says how many requests it sends to each grader about a sample: a number, or
`module:function`, which gets the sample. Without it, it is one."""

SELF_JUDGE_KEY = "self_judge"
"""The key of such a scorer's metadata that is False if no model may grade itself, unless `ALLOW_SELF_JUDGE` is true."""

ALLOW_SELF_JUDGE = "allow_self_judge"
"""The argument of such a scorer that lets a model grade itself."""


def refuse_self_judging(graders: Iterable[object], evaluated: object) -> None:
    """Refuse the evaluated model as its own grader.

    Args:
        graders: The graders, or their names.
        evaluated: The evaluated model, or its name.

    Raises:
        UsageError: It is one of them.
    """
    if str(evaluated) in map(str, graders):
        raise UsageError(
            f"{evaluated} would judge its own answers. Name another grader with --model-role "
            f"{GRADER_ROLE}=PROVIDER/MODEL, or allow it with -T {ALLOW_SELF_JUDGE}=true."
        )
