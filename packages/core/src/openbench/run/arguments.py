"""Checks task arguments against the tasks' signatures, before anything is imported or run."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from openbench.benchmark import Benchmark
from openbench.errors import OpenbenchError, UsageError
from openbench.run.values import typed_value
from openbench.signature import Parameter, Signature, made_signature


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
    signatures = [_signature(benchmark, several=len(benchmarks) > 1) for benchmark in benchmarks]
    for key in given:
        if not any(signature.accepts(key) for signature in signatures):
            raise UsageError(_unknown(key, benchmarks, signatures))
    arguments = []
    for benchmark, signature in zip(benchmarks, signatures, strict=True):
        missing = [name for name, p in signature.parameters.items() if p.default is None and name not in given]
        if missing:
            needed = " ".join(f"-T {name}=VALUE" for name in missing)
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


def _signature(benchmark: Benchmark, *, several: bool) -> Signature:
    """Return the signature; of one of several that cannot be imported, any argument is taken, and its job fails."""
    try:
        return signature_of(benchmark)
    except OpenbenchError:
        if not several:
            raise
        return Signature({}, open=True)


def signature_of(benchmark: Benchmark) -> Signature:
    """Read the signature statically; a function that is made at run time must be imported to be asked."""
    return benchmark.signature() or made_signature(benchmark.task_function())


def _unknown(key: str, benchmarks: Sequence[Benchmark], signatures: Sequence[Signature]) -> str:
    known = {name for signature in signatures for name in signature.parameters}
    close = get_close_matches(key, known, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    takes = "; ".join(
        f"{benchmark.key} takes {', '.join(signature.parameters) or 'none'}"
        for benchmark, signature in zip(benchmarks, signatures, strict=True)
    )
    return f"-T {key}: no benchmark of this run has this argument.{hint} {takes}."
