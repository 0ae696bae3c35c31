"""A plan's options as inspect's `eval` takes them."""

import re
from typing import Any

from inspect_ai import Epochs

from openbench.errors import UsageError
from openbench.metrics import pass_hat  # noqa: F401 - registers the reducer
from openbench.run.limits import PRICES
from openbench.run.plan import Plan

_REDUCER_OF = re.compile(r"_(\d+)$")  # at_least_2, pass_at_5, pass_hat_5


def inspect_options(plan: Plan) -> dict[str, Any]:
    """Return a plan's options as inspect's `eval` takes them.

    Raises:
        UsageError: A reducer does not exist, or needs more epochs.
    """
    options: dict[str, Any] = {name: value for name, value in plan.options.items() if name != PRICES}  # known by now
    reducers: list[str] | None = options.pop("epochs_reducer", None)
    if count := options.pop("epochs", None):
        options["epochs"] = epochs = Epochs(count, reducers)
        try:
            made = epochs.reducer  # it makes them when it is first asked
        except (LookupError, TypeError) as error:
            known = "mean, median, mode, max, at_least_N, pass_at_N or pass_hat_N"
            raise UsageError(f"--epochs-reducer {','.join(reducers or ())}: expected {known}.") from error
        for name in reducers if made and reducers else ():
            needed = int(digits[1]) if (digits := _REDUCER_OF.search(name)) else 1
            if needed > count:
                raise UsageError(f"--epochs-reducer {name} needs --epochs {needed} or more.")
    return options
