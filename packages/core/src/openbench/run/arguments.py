"""Checks task arguments against the tasks' signatures, before anything is imported or run."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from openbench.errors import OpenbenchError, UsageError
from openbench.registry.benchmark import Benchmark
from openbench.registry.signature import Parameter, Signature, made_signature
from openbench.run.values import typed_value


def task_arguments(
    benchmarks: Sequence[Benchmark], given: Mapping[str, Any], *, parse: bool = True
) -> list[dict[str, Any]]:
    """Give each benchmark the arguments that its task function takes.

    Args:
        benchmarks: The benchmarks.
        given: Values by name.
        parse: Whether the values are text from a command line, to be read as the parameters are annotated.

    Returns:
        The arguments of each benchmark, in order.

    Raises:
        UsageError: A name fits no benchmark, a value is of the wrong type, or a required argument is missing.
    """
    option = "-T " if parse else ""
    signatures = [_signature(benchmark, several=len(benchmarks) > 1) for benchmark in benchmarks]
    for key in given if any(signatures) else ():  # else every job fails, and says why
        if not any(signature and signature.accepts(key) for signature in signatures):
            raise UsageError(_unknown(key, option, benchmarks, signatures))
    arguments = []
    for benchmark, read in zip(benchmarks, signatures, strict=True):
        signature = read or Signature({}, open=True)  # what is given is kept for the day that it can be imported
        missing = [name for name, p in signature.parameters.items() if p.default is None and name not in given]
        if missing:
            needed = " ".join(f"{option}{name}=VALUE" for name in missing)
            raise UsageError(f"{benchmark.key} needs an argument: {needed}.")
        arguments.append(
            {
                key: _typed(benchmark, key, value, signature.parameters.get(key)) if parse else value
                for key, value in given.items()
                if signature.accepts(key)
            }
        )
    return arguments


def _typed(benchmark: Benchmark, key: str, text: str, parameter: Parameter | None) -> Any:
    annotation = parameter.annotation if parameter else None
    try:
        return typed_value(text, annotation)
    except ValueError as error:
        raise UsageError(f"-T {key}={text}: {benchmark.key} expects {annotation}.") from error


def _signature(benchmark: Benchmark, *, several: bool) -> Signature | None:
    """Return the signature; None for one of several that cannot be imported, whose job fails."""
    try:
        return signature_of(benchmark)
    except OpenbenchError:
        if not several:
            raise
        return None


def signature_of(benchmark: Benchmark) -> Signature:
    """Read the signature statically; a function that is made at run time must be imported to be asked."""
    return benchmark.signature() or made_signature(benchmark.task_function())


def _unknown(key: str, option: str, benchmarks: Sequence[Benchmark], signatures: Sequence[Signature | None]) -> str:
    known = {name for signature in signatures if signature for name in signature.parameters}
    close = get_close_matches(key, known, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    takes = "; ".join(
        f"{benchmark.key} takes {', '.join(signature.parameters) or 'none'}"
        if signature
        else f"{benchmark.key} cannot be imported"
        for benchmark, signature in zip(benchmarks, signatures, strict=True)
    )
    if option:
        return f"{option}{key}: no benchmark of this run has this argument.{hint} {takes}."
    return f"{', '.join(benchmark.key for benchmark in benchmarks)} has no argument {key!r}.{hint} {takes}."
