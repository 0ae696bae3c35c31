"""The environment variables of the processes that are started, from which nothing of the host can be imported."""

import os
from collections.abc import Collection

# They would put the host's packages, or its Python, before those of the environment.
_OF_THE_HOST = frozenset(
    {"OPENBENCH_PLUGINS", "PYTHONHOME", "PYTHONPATH", "UV_SYSTEM_PYTHON", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"}
)
_INDEXES = ("UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_INDEX", "UV_INDEX_URL")


def child_variables(without: Collection[str] = ()) -> dict[str, str]:
    """Return this process's variables without those that lead back to the host, and those that it has no need of."""
    return {name: value for name, value in os.environ.items() if name not in _OF_THE_HOST and name not in without}


def installer_variables(without: Collection[str] = ()) -> dict[str, str]:
    """Return the variables of a process of uv; it knows pip's indexes if it is told none of its own."""
    variables = child_variables(without)
    if any(variables.get(name) for name in _INDEXES):
        return variables
    links = [*variables.get("UV_FIND_LINKS", "").split(","), *variables.get("PIP_FIND_LINKS", "").split()]
    given = {
        "UV_DEFAULT_INDEX": variables.get("PIP_INDEX_URL", ""),
        "UV_INDEX": variables.get("PIP_EXTRA_INDEX_URL", ""),
        "UV_FIND_LINKS": ",".join(filter(None, links)),
    }
    return {**variables, **{name: value for name, value in given.items() if value}}
