"""Multiple choice: the answer is the letter of one of the options in the prompt."""

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from string import ascii_uppercase
from typing import Any, cast

from inspect_ai.dataset import Sample
from inspect_ai.scorer import (
    Metric,
    MetricProtocol,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    accuracy,
    grouped,
    metric,
    scorer,
    std,
    stderr,
)
from inspect_ai.solver import TaskState

from openbench.registry.compat import fallback
from openbench.scorers.answer_phrases import ENGLISH, Language, find_language
from openbench.scorers.extraction import extract_mcq_answer
from openbench.scorers.matching import score_answer

__all__ = ["create_mcq_scorer", "extract_mcq_answer", "mcq_scorer", "score_mcq"]

__getattr__ = fallback(__name__)

_CUE = re.compile(r"[ \t]*answer:[ \t]*", re.IGNORECASE)
_OPTION = re.compile(r"^[ \t]*\(?([A-Z])[).:][ \t]+(.*)$")


def score_mcq(completion: str, target: str, options: dict[str, str], *, language: Language = ENGLISH) -> Score:
    """Score one completion.

    Args:
        completion: The model's answer.
        target: The correct letter.
        options: The options' texts by letter; if empty, every letter is a valid answer.
        language: The language of the announcements.

    Returns:
        Correct or incorrect; a completion without an answer is incorrect, with the reason, and a sample without a
        target unscored.
    """
    answer = extract_mcq_answer(completion, list(options) or None, list(options.values()) or None, language=language)
    return score_answer(completion, answer, [target], lambda letter, right: letter == right.strip().upper())


def create_mcq_scorer(
    group_keys: Sequence[str] | None = None,
    additional_metrics: Sequence[Any] | None = None,
    language: str = ENGLISH.name,
) -> Callable[[], Scorer]:
    """Create the factory of a scorer of lettered answers.

    The options of a sample are read from its prompt: only their letters are answers, and an option's text counts as its
    letter.

    Args:
        group_keys: Keys of the samples' metadata; each adds accuracy and standard error for every value of the key
            (`<value>` and `<value>_stderr`).
        additional_metrics: Further metrics.
        language: The language in which models announce their answer; see `openbench.scorers.answer_phrases`.

    Returns:
        A factory of a scorer with accuracy (the main metric), its standard error and the standard deviation.
    """
    find_language(language)  # an unknown one is refused here
    metrics = [accuracy(), stderr(), std(), *group_metrics(accuracy(), group_keys or ()), *(additional_metrics or ())]

    @scorer(metrics=metrics, name="mcq_scorer")
    def factory(language: str = language) -> Scorer:
        known = find_language(language)

        async def score(state: TaskState, target: Target) -> Score:
            return score_mcq(state.output.completion, target.text, offered_options(state), language=known)

        return score

    # In the log only if it is not English.
    return factory if language == ENGLISH.name else partial(factory, language=language)


def group_metrics(figure: Metric, keys: Sequence[str]) -> list[Metric]:
    """Return the metrics that report a figure and its standard error for every value of keys of samples' metadata."""
    metrics: list[Metric] = []
    for key in keys:
        metrics.append(grouped(figure, key, all=False))
        metrics.append(grouped(group_stderr(), key, all=False, name_template="{group_name}_stderr"))
    return metrics


@metric
def group_stderr() -> Metric:
    """Report the standard error of a group's mean; NaN for a single sample, whose spread is unknown."""
    known = cast("MetricProtocol", stderr())

    def calculate(scores: list[SampleScore]) -> Value:
        return known(scores) if len(scores) > 1 else math.nan

    return calculate


def options_of(sample: Sample) -> dict[str, str]:
    """Return the texts of a sample's options by letter; empty if a target is not one of the letters."""
    prompt = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    return lettered_options(prompt, sample.choices, Target(sample.target))


def lettered_options(prompt: str, choices: Sequence[str] | None, targets: Sequence[str]) -> dict[str, str]:
    """Return the texts of a sample's choices by letter, or of the options in its prompt.

    They are empty if a target is not one of the letters: the sample is not multiple choice.
    """
    options = dict(zip(ascii_uppercase, choices, strict=False)) if choices else read_options(prompt)
    return options if {target.strip() for target in targets} <= options.keys() else {}


def offered_options(state: TaskState) -> dict[str, str]:
    """Return the texts of the options that a sample offers, by letter; empty if it offers none."""
    if state.choices:
        return dict(zip(ascii_uppercase, (choice.value for choice in state.choices), strict=False))
    return read_options(state.input_text)


# Registered at import: a log is scored again with the scorer of this name.
mcq_scorer = create_mcq_scorer()


def read_options(prompt: str) -> dict[str, str]:
    """Read the last block of lettered options (`A) …`, `A. …`, `(A) …`) in a prompt.

    An option's text may run over several lines; a blank line ends the last one, and so does a line `Answer:`.

    Returns:
        The options' texts by letter, in order from A; empty if the prompt has no block of two or more.
    """
    block: dict[str, str] = {}
    last: dict[str, str] = {}
    for line in prompt.split("\n"):  # not splitlines: options hold U+2028 and the like
        match = _OPTION.match(line)
        letter = match[1] if match else None
        if match and letter == "A":
            block = {"A": match[2]}
        elif match and letter and block and letter == ascii_uppercase[len(block) % 26]:
            block[letter] = match[2]
        elif block and line.strip() and not _CUE.fullmatch(line):
            newest = next(reversed(block))
            block[newest] += f"\n{line}"
        elif len(block) > 1:
            last, block = block, {}
    return block if len(block) > 1 else last
