"""What is said of a job that is not run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openbench.run.prices import Price


@dataclass(frozen=True, kw_only=True)
class First:
    """The first request of a job.

    Attributes:
        sample: The id of the sample that it is about.
        messages: The messages: role and content each.
        tools: The names of the tools that the model may call.
        continuations: What is ranked, where nothing is generated.
    """

    sample: str | int | None
    messages: Sequence[Mapping[str, str]]
    tools: Sequence[str] = ()
    continuations: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What tokens cost, in dollars if the price is; None is unknown.

    Attributes:
        prompts: What is read.
        output_most: What is written, if every answer is as long as it may be.
    """

    prompts: float | None
    output_most: float | None


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What a job would ask, of whom, and what that would cost; None is unknown.

    Attributes:
        benchmark: The benchmark's name.
        model: The model.
        why: Why this distribution provides the benchmark.
        provenance: What the log would say of where the task comes from: versions, dataset and digests, scorers.
        arguments: The arguments of the task that were given.
        samples: How many samples are run, after the limit.
        samples_of: How many the task has.
        epochs: How often each is run.
        requests: How many requests the model gets.
        at_least: Whether there may be more requests and tokens, since a solver decides that while it runs.
        continuations: How many continuations these requests rank.
        graders: The least number of requests that each grader gets besides.
        prompt_tokens: About what all prompts have; see `openbench_dryrun.tokens`.
        uncounted: About how many images and the like these prompts have besides.
        max_tokens: What one answer has at most.
        output_tokens: What all answers have at most.
        price: What a million tokens cost.
        cost: What all tokens cost, those of graders aside; None without a price.
        settings: How the model generates.
        first: The first request; None if nothing is asked.
        problem: Why the job cannot run, or what keeps its solver from a request.
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
