"""The environment variables passed to workers: keys and addresses of models, and those of `--env`.

They are passed as a task argument: `env_vars` of a runtime environment would be in the cluster's public state.
"""

import os
from collections.abc import Sequence

from openbench.errors import UsageError
from openbench.redaction import redacted

_OF_MODELS = ("_API_KEY", "_API_BASE", "_API_VERSION", "_BASE_URL")

# pip's options by environment variable, https://pip.pypa.io/en/stable/topics/configuration/
_OF_PIP = {
    "PIP_EXTRA_INDEX_URL": "--extra-index-url",
    "PIP_FIND_LINKS": "--find-links",
    "PIP_INDEX_URL": "--index-url",
    "PIP_TRUSTED_HOST": "--trusted-host",
}
_NO_INDEX = "PIP_NO_INDEX"
_FALSE = frozenset({"", "0", "false", "no", "off"})


def passed_on(named: Sequence[str]) -> dict[str, str]:
    """Return the variables passed to workers.

    Args:
        named: The names given by `--env`.

    Raises:
        UsageError: A named variable is not set.
    """
    for name in named:
        if name not in os.environ:
            raise UsageError(f"--env {name}: this variable is not set. Set it, or omit the option.")
    return {name: value for name, value in os.environ.items() if name in named or name.endswith(_OF_MODELS)}


def pip_options() -> list[str]:
    """Return pip's options for package sources, which are public in the cluster.

    Raises:
        UsageError: An option contains a password.
    """
    options = []
    for variable, option in _OF_PIP.items():
        for value in os.environ.get(variable, "").split():
            if redacted(value) != value:
                raise UsageError(
                    f"{variable} contains a password, which everyone on the cluster could read. Put it in the netrc or "
                    "pip.conf of the nodes, and remove it from the variable."
                )
            options += [option, value]
    if os.environ.get(_NO_INDEX, "").lower() not in _FALSE:
        options.append("--no-index")
    return options
