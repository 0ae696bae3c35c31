"""Lengths of prompts: which are asked for, which are left out, and the groups in which scores are reported."""

from typing import Any

from inspect_ai.dataset import Dataset, Sample

from openbench.datasets.values import is_whole
from openbench.errors import UsageError
from openbench_longcontext.tokens import TokenCounter
from openbench_scorers.options import one_or_several

Lengths = int | str | list[int]
"""A length in tokens, or several: in a list, or joined by commas."""

LENGTH, DEPTH, TOKENS = "length", "depth", "prompt_tokens"
"""Keys of a sample's metadata: its group of lengths, its group of depths, and its prompt's number of tokens."""

_SHORTEST_BIN, _LONGEST_BIN = 4096, 1_048_576
_TENTHS = 10


def lengths_of(lengths: Lengths, *, least: int) -> list[int]:
    """Return the lengths that are asked for, each once, in their order.

    Args:
        lengths: One or several, in tokens.
        least: The shortest that the benchmark can make.

    Raises:
        UsageError: One is not a whole number, or too small.
    """
    given: list[object] = [*lengths.split(",")] if isinstance(lengths, str) else one_or_several(lengths)
    found = [_length(each, least) for each in given]
    return list(dict.fromkeys(found))


def _length(value: object, least: int) -> int:
    number = int(value) if isinstance(value, str) and value.strip().isdecimal() else value
    if not is_whole(number) or number < least:
        raise UsageError(f"length={value!r}: expected whole numbers of {least} tokens or more, such as 4096,8192.")
    return number


def length_bin(tokens: int, counter: TokenCounter) -> str:
    """Return the group of a prompt's length: between two powers of two, `8192-16384`, the upper one included."""
    if tokens > _LONGEST_BIN:
        return counter.label(f">{_LONGEST_BIN}")
    upper = _SHORTEST_BIN
    while upper < tokens:
        upper *= 2
    return counter.label(f"{upper // 2 if upper > _SHORTEST_BIN else 0}-{upper}")


def depth_group(fraction: float) -> str:
    """Return the group of a place in a text by the tenth that it is in: `depth 30%` for 0.3 up to 0.4."""
    return f"depth {min(int(fraction * _TENTHS), _TENTHS - 1) * 100 // _TENTHS}%"


def prompt_text(sample: Sample) -> str:
    """Return the text of all messages of a sample."""
    if isinstance(sample.input, str):
        return sample.input
    return "\n".join(message.text for message in sample.input)


def measured(
    dataset: Dataset, counter: TokenCounter, most: int | None, *, answers: bool = False
) -> tuple[Dataset, dict[str, Any]]:
    """Count the tokens of every prompt, and leave out those that are too long.

    Args:
        dataset: The samples, whose metadata get `prompt_tokens` and `length`.
        counter: The tokenizer.
        most: The most tokens of a prompt; None for no limit.
        answers: Group samples by the tokens of prompt and target.

    Returns:
        The samples that are kept; and the task's metadata: `tokenizer`, and with a limit `left_out`, the number of
        samples that are not kept.

    Raises:
        UsageError: The limit is not a positive whole number, or every prompt is longer.
    """
    if most is not None and (not is_whole(most) or most < 1):
        raise UsageError(f"max_context_size={most!r}: expected a whole number of tokens, or none for no limit.")
    for sample in dataset:
        tokens = counter.count(prompt_text(sample))
        whole = tokens + (counter.count("".join(sample.target)) if answers else 0)
        sample.metadata = {**(sample.metadata or {}), TOKENS: tokens, LENGTH: length_bin(whole, counter)}
    if most is None:
        return dataset, {"tokenizer": counter.name}
    kept = dataset.filter(lambda sample: _tokens(sample) <= most)
    if not len(kept):
        raise UsageError(
            f"max_context_size={most}: every prompt is longer; the shortest has {min(map(_tokens, dataset))} tokens."
        )
    return kept, {"tokenizer": counter.name, "left_out": len(dataset) - len(kept)}


def _tokens(sample: Sample) -> int:
    return int((sample.metadata or {})[TOKENS])
