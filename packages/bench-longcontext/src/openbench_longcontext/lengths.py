"""Prompt lengths: the requested lengths, the limit, and the groups by which scores are reported."""

from typing import Any

from inspect_ai.dataset import Dataset, Sample

from openbench.datasets.values import is_whole
from openbench.errors import UsageError
from openbench_longcontext.tokens import TokenCounter
from openbench_scorers.options import one_or_several

Lengths = int | str | list[int]
"""A length in tokens, or several in a list or separated by commas."""

LENGTH, DEPTH, TOKENS = "length", "depth", "prompt_tokens"
"""Keys of a sample's metadata: its length group, its depth group, and the number of tokens of its prompt."""

_SHORTEST_BIN, _LONGEST_BIN = 4096, 1_048_576
_TENTHS = 10


def lengths_of(lengths: Lengths, *, least: int) -> list[int]:
    """Return the requested lengths in order, without duplicates.

    Args:
        lengths: One or several lengths in tokens.
        least: The shortest length that the benchmark supports.

    Raises:
        UsageError: A length is not a whole number, or is too small.
    """
    values: list[object] = [*lengths.split(",")] if isinstance(lengths, str) else one_or_several(lengths)
    found = [_length(value, least) for value in values]
    return list(dict.fromkeys(found))


def _length(value: object, least: int) -> int:
    number = int(value) if isinstance(value, str) and value.strip().isdecimal() else value
    if not is_whole(number) or number < least:
        raise UsageError(f"length={value!r}: expected whole numbers of {least} tokens or more, such as 4096,8192.")
    return number


def length_bin(tokens: int, counter: TokenCounter) -> str:
    """Return the length group of a prompt, above one power of two and up to the next, such as `8192-16384`."""
    if tokens > _LONGEST_BIN:
        return counter.label(f">{_LONGEST_BIN}")
    upper = _SHORTEST_BIN
    while upper < tokens:
        upper *= 2
    return counter.label(f"{upper // 2 if upper > _SHORTEST_BIN else 0}-{upper}")


def depth_group(fraction: float) -> str:
    """Return the depth group of a position in a text, by tenths: `depth 30%` is from 0.3 up to 0.4."""
    return f"depth {min(int(fraction * _TENTHS), _TENTHS - 1) * 100 // _TENTHS}%"


def prompt_text(sample: Sample) -> str:
    """Return the text of all messages of a sample."""
    if isinstance(sample.input, str):
        return sample.input
    return "\n".join(message.text for message in sample.input)


def measured(
    dataset: Dataset, counter: TokenCounter, max_tokens: int | None, *, answers: bool = False
) -> tuple[Dataset, dict[str, Any]]:
    """Count the tokens of every prompt, and leave out prompts that are too long.

    Args:
        dataset: The samples, to whose metadata `prompt_tokens` and `length` are added.
        counter: The token counter.
        max_tokens: The maximum number of tokens of a prompt; None for no limit.
        answers: Whether to group samples by the tokens of prompt and target instead of the prompt alone.

    Returns:
        The remaining samples, and the metadata of the task: `tokenizer` and, with a limit, `left_out`, the number of
        samples that were left out.

    Raises:
        UsageError: The limit is not a positive whole number, or every prompt is longer.
    """
    if max_tokens is not None and (not is_whole(max_tokens) or max_tokens < 1):
        raise UsageError(f"max_context_size={max_tokens!r}: expected a whole number of tokens, or none for no limit.")
    for sample in dataset:
        tokens = counter.count(prompt_text(sample))
        total = tokens + (counter.count("".join(sample.target)) if answers else 0)
        sample.metadata = {**(sample.metadata or {}), TOKENS: tokens, LENGTH: length_bin(total, counter)}
    if max_tokens is None:
        return dataset, {"tokenizer": counter.name}
    kept = dataset.filter(lambda sample: _tokens(sample) <= max_tokens)
    if not len(kept):
        raise UsageError(
            f"max_context_size={max_tokens}: every prompt is longer; "
            f"the shortest has {min(map(_tokens, dataset))} tokens."
        )
    return kept, {"tokenizer": counter.name, "left_out": len(dataset) - len(kept)}


def _tokens(sample: Sample) -> int:
    return int((sample.metadata or {})[TOKENS])
