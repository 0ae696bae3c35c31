"""Makes models and graders by name, so that a wrong provider, key or address is known before anything runs."""

import importlib
import socket
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies_environment

from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info

from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import redacted, redacted_name, redacted_text
from openbench.run.messages import plain_message
from openbench.run.plan import ModelSpec, Plan
from openbench.run.prices import check_batches
from openbench.scorers.grading import (
    ALLOW_SELF_JUDGE,
    DEFAULT_GRADER_KEY,
    GRADER_ARGUMENTS,
    GRADER_REQUESTS_KEY,
    GRADER_ROLE,
    SELF_JUDGE_KEY,
    refuse_self_judging,
)

RESOLVED_ARGS = "resolved_args"
"""An attribute of model providers: what their arguments stand for, such as the commit of a branch, for the log."""

_CONNECT_SECONDS = 5.0
_GRADED_BY_INSPECT = frozenset({"inspect_ai/model_graded_qa", "inspect_ai/model_graded_fact"})
# Inspect has no public list of its providers. These are for hints only.
OF_INSPECT = (
    "anthropic azureai baseline bedrock cloudflare deepseek fireworks google grok groq hf mistral mockllm moonshot "
    "ollama openai openai-api openrouter perplexity sambanova sglang together vllm"
)
OF_OPENBENCH_PROVIDERS = (
    "ai21 baseten cerebras cohere crusoe deepinfra friendli helicone huggingface hyperbolic lambda minimax nebius nous "
    "novita parasail reka siliconflow vercel wandb"
)


def make_model(
    spec: ModelSpec, config: GenerateConfig | None = None, *, connect: bool = True, fresh: bool = False
) -> Model:
    """Make a model.

    Args:
        spec: Its name, address and arguments.
        config: How it generates.
        connect: Check that a server listens at the address, if one is given.
        fresh: Make a new one even if there is one of this name, whose connections belong to an event loop.

    Raises:
        UsageError: The name is malformed, the provider unknown, its key or package is missing, or it has no batches.
        OpenbenchError: No server listens at the given address.
    """
    if spec.base_url and "://" not in spec.base_url:
        raise UsageError(
            f"{spec.name}: the address {redacted_text(spec.base_url)} needs http:// or https:// before it, as in "
            f"--model-base-url http://{redacted_text(spec.base_url)}"
        )
    if config and config.batch:
        check_batches(spec.name)
    shown, address = redacted(dict(spec.args)), redacted_name(spec.base_url or "")
    config = config or GenerateConfig()
    try:
        model = get_model(spec.name, config=config, base_url=spec.base_url, memoize=not fresh, **spec.args)
    except OpenbenchError:
        raise
    except TypeError as error:
        raise UsageError(f"{spec.name}: the provider refuses its arguments (-M): {error}") from error
    except Exception as error:
        unknown = isinstance(error, ValueError) and "not recognized" in str(error)
        problem = unknown_provider(spec.provider) if unknown else plain_message(error)
        raise UsageError(f"{spec.name}: {problem}") from error
    if connect:
        _check_address(spec.name, spec.base_url or getattr(model.api, "base_url", None))
    # Only logs read them from now on.
    model.model_args = shown | redacted(dict(getattr(model.api, RESOLVED_ARGS, {})))
    return model if address == (spec.base_url or "") else _DiscreetModel(model, address)


def make_roles(plan: Plan, *, connect: bool = True, fresh: bool = False) -> dict[str, Model]:
    """Make the models of a plan's roles; see `make_model`."""
    return {role: make_model(spec, connect=connect, fresh=fresh) for role, spec in plan.model_roles.items()}


class _DiscreetModel(Model):
    """A model whose address holds a password, which logs must not."""

    def __init__(self, model: Model, address: str) -> None:
        super().__init__(model.api, model.config, model.model_args)
        self._address = address

    @property
    def explicit_base_url(self) -> str | None:
        """The address as a log has it."""
        return self._address


def unknown_provider(provider: str) -> str:
    """Return what to do about a provider that is not installed, or misspelled."""
    if provider in OF_OPENBENCH_PROVIDERS.split():
        return f"the provider {provider!r} comes with openbench-providers: pip install openbench-providers"
    close = get_close_matches(provider, f"{OF_INSPECT} {OF_OPENBENCH_PROVIDERS}".split(), n=1, cutoff=0.7)
    return (
        f"the provider {provider!r} is unknown.{f' Did you mean {close[0]}?' if close else ''} Models are named "
        "provider/model; for any OpenAI-compatible server use openai-api/<name>/<model> with --model-base-url."
    )


def _check_address(name: str, base_url: str | None) -> None:
    """Connect once to a given address: requests to a wrong one would be retried for hours."""
    if not base_url or {"http", "https", "all"} & getproxies_environment().keys():
        return
    url = urlsplit(base_url)
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        socket.create_connection((url.hostname or "", port), timeout=_CONNECT_SECONDS).close()
    except OSError as error:
        reason = error.strerror or error
        raise OpenbenchError(
            f"{name}: {redacted_text(base_url)} cannot be reached: {reason}. Is the server up?"
        ) from error


def check_graders(benchmark: str, scorers: Iterable[Scorer], roles: Collection[str]) -> None:
    """Make each grader that scorers will ask: that of their arguments, else of the role, else their default.

    Raises:
        UsageError: A grader cannot be made.
    """
    for name, default, given in _graded(scorers):
        for argument, grader in given:
            if isinstance(grader, str):  # otherwise it is a model already
                _check_grader(benchmark, grader, f"name another in {argument} of {name.rpartition('/')[2]}")
        if default and not given and GRADER_ROLE not in roles:
            _check_grader(benchmark, default, f"name another with --model-role {GRADER_ROLE}=provider/model")


def check_self_judging(
    benchmark: str, scorers: Iterable[Scorer], roles: Mapping[str, object], evaluated: Model
) -> None:
    """Refuse the evaluated model as its own grader where a scorer does, before anything runs.

    Raises:
        UsageError: It is a grader.
    """
    for scorer in scorers:
        if registry_info(scorer).metadata.get(SELF_JUDGE_KEY) is False and not _arguments(scorer).get(ALLOW_SELF_JUDGE):
            try:
                refuse_self_judging(_graders(scorer, roles, str(evaluated)), evaluated)
            except UsageError as error:
                raise UsageError(f"{benchmark}: {error}") from error


def grader_requests(
    scorers: Iterable[Scorer], roles: Mapping[str, object], evaluated: str, samples: Sequence[Sample]
) -> Counter[str]:
    """Return the number of certain requests to each grader that scorers ask, about all samples, by its name."""
    counted: Counter[str] = Counter()
    for scorer in scorers:
        graders = _graders(scorer, roles, evaluated)
        requests = sum(map(_requests_of(scorer), samples)) if graders else 0
        for name in graders:
            counted[str(name)] += requests
    return counted


def _graders(scorer: Scorer, roles: Mapping[str, object], evaluated: str) -> list[object]:
    """Return the graders that a scorer asks: those of its arguments, else that of the role, else its default."""
    for _, default, given in _graded([scorer]):
        return [grader for _, grader in given] or [roles.get(GRADER_ROLE, default or evaluated)]
    return []


def _requests_of(scorer: Scorer) -> Callable[[Sample], int]:
    said = registry_info(scorer).metadata.get(GRADER_REQUESTS_KEY, 1)
    if isinstance(said, int):
        return lambda _: said
    module, _, name = str(said).partition(":")
    function: Callable[[Sample], int] = getattr(importlib.import_module(module), name)
    return function


def _graded(scorers: Iterable[Scorer]) -> Iterator[tuple[str, str | None, list[tuple[str, object]]]]:
    """Yield the name, the default grader and the graders in the arguments of each scorer that asks one."""
    for scorer in scorers:
        info = registry_info(scorer)
        default = info.metadata.get(DEFAULT_GRADER_KEY)
        if default or info.name in _GRADED_BY_INSPECT:  # an argument of another's may mean another kind of model
            yield info.name, default, list(_given(scorer))


def _given(scorer: Scorer) -> Iterator[tuple[str, object]]:
    """Yield the graders in a scorer's own arguments, each after the argument's name."""
    recorded = _arguments(scorer)
    for argument in GRADER_ARGUMENTS:
        value = recorded.get(argument)
        for name in value if isinstance(value, list) else [value]:
            if name is not None:
                yield argument, name


def _arguments(scorer: Scorer) -> Mapping[str, Any]:
    # Inspect logs these as the scorer's options, and has no function that reads them from a scorer.
    recorded: Mapping[str, Any] = getattr(scorer, "__registry_params__", {})
    return recorded


def _check_grader(benchmark: str, name: str, way_out: str) -> None:
    try:
        make_model(ModelSpec(name=name))
    except UsageError as error:
        raise UsageError(
            f"{benchmark}: its grader cannot be made: {str(error).rstrip('.')}. Set its key, or {way_out}."
        ) from error
