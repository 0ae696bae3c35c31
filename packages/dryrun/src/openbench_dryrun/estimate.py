"""The estimate of a job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openbench_dryrun.prices import Price


@dataclass(frozen=True, kw_only=True)
class First:
    """The first request of a job.

    Attributes:
        sample: The id of its sample.
        messages: The role and content of each message.
        tools: The names of the tools that the model may call.
        continuations: The continuations to rank, if nothing is generated.
    """

    sample: str | int | None
    messages: Sequence[Mapping[str, str]]
    tools: Sequence[str] = ()
    continuations: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The cost of tokens, in the currency of the price; None if unknown.

    Attributes:
        prompts: The cost of the prompts.
        output_most: An upper bound on the cost of the answers.
    """

    prompts: float | None
    output_most: float | None


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The requests, tokens and cost of a job; None if unknown.

    Attributes:
        benchmark: The benchmark's name.
        model: The model.
        why: Why this distribution provides the benchmark.
        provenance: The provenance that the log would record: versions, dataset and digests, scorers.
        arguments: The task arguments that were given.
        samples: The number of samples, after the limit.
        samples_of: The number of samples in the task.
        epochs: The number of runs of each sample.
        requests: The number of requests to the model.
        at_least: Whether a solver may make more requests than these, which it decides while it runs.
        continuations: The number of continuations that the requests rank.
        graders: The minimum number of requests to each grader.
        prompt_tokens: The estimated tokens of all prompts; see `openbench_dryrun.tokens`.
        uncounted: The estimated number of images and the like in the prompts, which are not counted.
        max_tokens: The maximum number of tokens of an answer.
        output_tokens: The maximum number of tokens of all answers.
        price: The price of a million tokens.
        cost: The cost of all tokens except those of graders; None without a price.
        settings: The generation settings.
        first: The first request; None without one.
        problem: The reason why the job cannot run, or why its solver makes no request.
    """

    benchmark: str
    model: str
    why: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    samples: int | None = None
    samples_of: int | None = None
    epochs: int | None = None
    requests: int | None = None
    at_least: bool = False
    continuations: int = 0
    graders: Mapping[str, int] = field(default_factory=dict)
    prompt_tokens: int | None = None
    uncounted: int = 0
    max_tokens: int | None = None
    output_tokens: int | None = None
    price: Price | None = None
    cost: Cost | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    first: First | None = None
    problem: str | None = None
