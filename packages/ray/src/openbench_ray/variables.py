"""Which variables of this environment workers get: keys and addresses of models, and what `--env` names.

They travel as an argument of the tasks. A runtime environment's `env_vars` would be in the cluster's public state.
"""

import os
from collections.abc import Sequence

from openbench.errors import UsageError
from openbench.redaction import redacted

_OF_MODELS = ("_API_KEY", "_API_BASE", "_API_VERSION", "_BASE_URL")

# Options of pip by the variables that hold them, https://pip.pypa.io/en/stable/topics/configuration/
_OF_PIP = {
    "PIP_EXTRA_INDEX_URL": "--extra-index-url",
    "PIP_FIND_LINKS": "--find-links",
    "PIP_INDEX_URL": "--index-url",
    "PIP_TRUSTED_HOST": "--trusted-host",
}
_NO_INDEX = "PIP_NO_INDEX"
_FALSE = frozenset({"", "0", "false", "no", "off"})


def passed_on(named: Sequence[str]) -> dict[str, str]:
    """Return the variables that workers get.

    Args:
        named: The names of `--env`.

    Raises:
        UsageError: One of them is not set.
    """
    for name in named:
        if name not in os.environ:
            raise UsageError(f"--env {name}: this variable is not set here. Set it, or leave the option out.")
    return {name: value for name, value in os.environ.items() if name in named or name.endswith(_OF_MODELS)}


def pip_options() -> list[str]:
    """Return where pip looks for packages, as its options; they are public in the cluster.

    Raises:
        UsageError: One holds a password.
    """
    options = []
    for variable, option in _OF_PIP.items():
        for value in os.environ.get(variable, "").split():
            if redacted(value) != value:
                raise UsageError(
                    f"{variable} holds a password, which everyone on the cluster could read. Put it into the netrc or "
                    "pip.conf of the nodes, and the address without it into the variable."
                )
            options += [option, value]
    if os.environ.get(_NO_INDEX, "").lower() not in _FALSE:
        options.append("--no-index")
    return options
