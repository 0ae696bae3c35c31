"""Decides whether addresses, arguments of providers, executors and files that a log or a run names are used.

Anyone may have written a log or the directory of a run, so these are used only if the user has named them, too: in an
earlier command on this machine, in a variable such as OPENAI_BASE_URL, or with `--trust`.
"""

import json
import os
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from platformdirs import user_state_path

from openbench.errors import UsageError
from openbench.redaction import REDACTED, redacted, redacted_command, redacted_name
from openbench.registry.names import is_path
from openbench.run.plan import ModelSpec, Plan


def named_by(plan: Plan) -> Iterator[str]:
    """Yield the names in a plan that only the user may decide on, as shown in messages."""
    executor = shlex.join(redacted_command(plan.executor))
    for job in plan.jobs:
        if is_path(job.benchmark) or "@" not in job.benchmark:
            yield file(job.benchmark)
        elif executor:
            yield f"{job.benchmark} with the executor {executor}"
        yield from model(job.model)
    for spec in plan.model_roles.values():
        yield from model(spec)


def file(reference: str) -> str:
    """Return the name of a local eval."""
    return f"the file {Path(reference).absolute()}"


def model(spec: ModelSpec) -> Iterator[str]:
    """Yield the name of a model that has an address or arguments; without them, the user's settings decide."""
    args = {key: value for key, value in redacted(dict(spec.args)).items() if REDACTED not in str(value)}
    address = redacted_name(spec.base_url or "")
    variables = ["BENCH_MODEL", *spec.name.upper().replace("-", "_").split("/")[:-1]]
    if address.rstrip("/") in {os.environ.get(f"{name}_BASE_URL", "").rstrip("/") for name in variables}:
        address = ""
    if (address or args) and not spec.name.startswith("baseline/"):
        there, given = f" at {address}" if address else "", f" with {json.dumps(args, default=str)}" if args else ""
        yield f"{spec.name}{there}{given}"


def check(names: Iterable[str], source: str, *, trust: bool) -> None:
    """Check whether what a log or a run names may be used.

    Raises:
        UsageError: The user has never named one of them.
    """
    if not trust and (unknown := _new(names)):
        raise UsageError(
            f"{source} names what no command of yours has named on this machine: {'; '.join(unknown)}. Anyone may have "
            "written it, so this is not used. If it is what you want, add --trust."
        )


def remember(plan: Plan) -> None:
    """Store what a plan names, which the user has given or trusts."""
    if new := _new(named_by(plan)):
        with suppress(OSError):  # then the user has to name it again
            _path().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _path().touch(mode=0o600)
            with _path().open("a", encoding="utf-8") as kept:
                kept.write("".join(f"{json.dumps(name)}\n" for name in new))


def _new(names: Iterable[str]) -> list[str]:
    try:
        kept = set(_path().read_text("utf-8", "replace").splitlines())
    except OSError:
        kept = set()
    return [name for name in dict.fromkeys(names) if json.dumps(name) not in kept]


def _path() -> Path:
    return user_state_path("openbench") / "named.jsonl"
