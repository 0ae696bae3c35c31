"""How many failed samples fail a run."""


def too_many(failed: int, planned: int, tolerated: bool | float | None) -> bool:
    """Return whether more samples failed than is tolerated.

    Args:
        failed: How many failed.
        planned: How many were to run, each epoch counted.
        tolerated: As `--fail-on-error` has it: False for any number, None or True for none; below 1 a share of the
            planned ones, from 1 on a count, at which the run fails.
    """
    match tolerated:
        case False:
            return False
        case None | True:
            return failed > 0
        case share if share < 1:
            return failed > 0 and failed >= share * planned
        case most:
            return failed >= most
