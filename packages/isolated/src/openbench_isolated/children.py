"""The environment variables of child processes, without those that would let them import the host's packages."""

import os
from collections.abc import Collection

# They would take precedence over the environment's packages or Python.
_OF_THE_HOST = frozenset(
    {"OPENBENCH_PLUGINS", "PYTHONHOME", "PYTHONPATH", "UV_SYSTEM_PYTHON", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"}
)
_INDEXES = ("UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_INDEX", "UV_INDEX_URL")


def child_variables(without: Collection[str] = ()) -> dict[str, str]:
    """Return this process's variables except those that point to the host's packages, and those in `without`."""
    return {name: value for name, value in os.environ.items() if name not in _OF_THE_HOST and name not in without}


def installer_variables(without: Collection[str] = ()) -> dict[str, str]:
    """Return the variables for uv; if it has no indexes of its own, it gets pip's."""
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
