"""Lets a task class define its own `__init__`, whatever it takes, and whether or not it calls ours."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

OPTIONS = ("subjects", "limit", "seed", "few_shot_as", "perturbation", "revision", "cue")
"""The arguments of every class besides the number of examples."""


def taking_options(init: Callable[..., None]) -> Callable[..., None]:
    """Return an `__init__` that takes all options, and passes those that the class does not know to `BaseTask`.

    Classes of eval-framework take only the number of examples, and some set attributes without calling the `__init__`
    of their base class.
    """
    taken = inspect.signature(init).parameters
    takes_all = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in taken.values())

    @wraps(init)
    def wrapped(self: Any, *arguments: Any, **options: Any) -> None:
        kept = {name for name in options if name in OPTIONS and name not in taken and not takes_all}
        self._kept_options = {**self._kept_options, **{name: options[name] for name in kept}}
        init(self, *arguments, **{name: value for name, value in options.items() if name not in kept})
        self._complete()

    return wrapped
