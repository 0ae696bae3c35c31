"""Renders prompts as the text of a golden: settings first, then each sample's requests in a template."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.model import ChatMessage

from openbench.tasks.prompts import concatenated
from openbench_dryrun.messages import shown_content, visible

MOST_REQUESTS = 10

RANKING_KEY = "openbench_ranking"
"""The key of a sample's metadata that holds the continuations that openbench-ranking ranks."""

TEXT_KEY = "openbench_ranking_text"
"""The key of a sample's metadata if its text is scored as a whole."""


@dataclass(frozen=True)
class Request:
    """One request.

    Attributes:
        messages: The messages; the model continues a trailing assistant message.
        settings: The benchmark's other settings: generation settings, tools.
        ranking: The `continuations` to rank, the `gold` indexes, and optionally `contexts`, if nothing is generated.
    """

    messages: Sequence[ChatMessage]
    settings: Mapping[str, Any] = field(default_factory=dict)
    ranking: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class SampleRequests:
    """All requests of a sample."""

    id: str
    requests: Sequence[Request]


def golden(benchmark: str, template: str, arguments: Mapping[str, Any], samples: Sequence[SampleRequests]) -> str:
    """Return the text of a golden.

    Args:
        benchmark: The benchmark's name.
        template: One of `TEMPLATES`.
        arguments: The task's arguments that differ from their defaults.
        samples: The requests of each sample.
    """
    written = [_settings(request.settings) for of in samples for request in of.requests]
    shared = len({*written}) <= 1
    generation = (written or [""])[0] if shared else "as each request says"
    head = (
        f"# Written by bench check {benchmark} --update-goldens; ⟦⟧ marks a character that cannot be seen.\n"
        f"benchmark: {benchmark}\n"
        f"template: {template}\n"
        f"arguments: {_settings(arguments) or 'defaults'}\n"
        f"generation: {generation or 'defaults'}"
    )
    sections = [section for of in samples for section in _sections(of, TEMPLATES[template], shared=shared)]
    return "\n\n".join([head, *sections]) + "\n"


def plain(messages: Sequence[ChatMessage]) -> str:
    """Return a base model's input: the contents alone."""
    return concatenated((message.role, shown_content(message)) for message in messages)


def chat(messages: Sequence[ChatMessage]) -> str:
    """Return the input of many open chat models (ChatML); a trailing assistant message stays open."""
    turns = [f"<|im_start|>{message.role}\n{shown_content(message)}<|im_end|>" for message in messages]
    if messages and messages[-1].role == "assistant":
        turns[-1] = turns[-1].removesuffix("<|im_end|>")
    return "\n".join(turns)


TEMPLATES: Mapping[str, Callable[[Sequence[ChatMessage]], str]] = {"chat": chat, "plain": plain}


def _sections(of: SampleRequests, template: Callable[[Sequence[ChatMessage]], str], *, shared: bool) -> Iterator[str]:
    name = f"sample {visible(of.id)}"
    count = len(of.requests)
    if not count:
        yield f"=== {name}, nothing is asked ==="
    for number, request in enumerate(of.requests[:MOST_REQUESTS], start=1):
        title = f"{name}, request {number} of {count}" if count > 1 else name
        settings = "" if shared else f"generation: {_settings(request.settings) or 'defaults'}\n"
        yield f"=== {title} ===\n{settings}{visible(template(request.messages))}"
        if request.ranking:
            yield f"=== {title}, continuations ===\n{_ranked(request.ranking)}"
    if count > MOST_REQUESTS:
        yield f"=== {name}, {count - MOST_REQUESTS} more requests ==="


def _ranked(ranking: Mapping[str, Any]) -> str:
    texts = [_json(text) for text in ranking["continuations"]]
    if contexts := ranking.get("contexts"):
        texts = [f"{_json(context)} + {text}" for context, text in zip(contexts, texts, strict=True)]
    return "\n".join(
        f"{'right' if index in ranking['gold'] else 'wrong'}: {visible(text)}" for index, text in enumerate(texts)
    )


def _settings(settings: Mapping[str, Any]) -> str:
    pairs = sorted(settings.items())
    return visible(", ".join(f"{name}={_json(value)}" for name, value in pairs)) if pairs else ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
