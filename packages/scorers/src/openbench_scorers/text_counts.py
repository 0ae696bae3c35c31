"""Measures the length of a text in words, sentences and paragraphs, and relative to another text."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Literal

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, std, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.responses import response
from openbench_scorers.words import words

Unit = Literal["words", "sentences", "paragraphs"]

_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？｡।॥؟۔]+|\n[ \t]*\n")  # noqa: RUF001 - other scripts
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[^\W\d_]|\w\.\w|[DMS]r|Mrs|Ms|Prof|St|Jr|vs|etc|ca|bzw|usw|No|Nr|Fig|approx|cf|al)$"
)
_LETTER = re.compile(r"[^\W\d_]")
_ABBREVIATION_LENGTH = 8


def count_words(text: str) -> int:
    """Count words: see `openbench_scorers.words.words`."""
    return len(words(text))


def count_sentences(text: str) -> int:
    """Count sentences: stretches with a letter that end with `.`, `!`, `?` or similar, a blank line, or the text's end.

    The full stop of an abbreviation or initial and a decimal point do not end a sentence.
    """
    count, start = 0, 0
    for end in _SENTENCE_END.finditer(text):
        if end[0] == "." and _ABBREVIATION.search(text, max(start, end.start() - _ABBREVIATION_LENGTH), end.start()):
            continue
        count += _LETTER.search(text, start, end.start()) is not None
        start = end.end()
    return count + (_LETTER.search(text, start) is not None)


def count_paragraphs(text: str) -> int:
    """Count paragraphs: lines that are not blank, up to the next blank one."""
    blank = [not line.strip() for line in ("", *text.splitlines())]
    return sum(before and not here for before, here in pairwise(blank))


COUNTERS: dict[Unit, Callable[[str], int]] = {
    "words": count_words,
    "sentences": count_sentences,
    "paragraphs": count_paragraphs,
}


def score_text_counts(completion: str) -> Score:
    """Count a completion's `words`, `sentences` and `paragraphs`: whole numbers of at least 0, neither good nor bad.

    Args:
        completion: The model's completion.
    """
    text = response(completion)
    value = {str(unit): count(text) for unit, count in COUNTERS.items()}
    return Score(value=value, reason=None if text else unanswered(completion))


def score_length_ratio(completion: str, original: str) -> Score:
    """Divide a completion's length in characters by that of an original, such as a summary's by its article's.

    The value is at least 0; 1.0 is as long as the original. Which ratio is good depends on the task.

    Args:
        completion: The model's completion.
        original: The text to compare with.

    Returns:
        The ratio; unscored if the original is empty.
    """
    if not original.strip():
        return unscored("the original text is empty: its length cannot be compared.")
    text = response(completion)
    return Score(value=len(text) / len(original.strip()), reason=None if text else unanswered(completion))


@scorer(metrics={unit: [mean(), std(), stderr()] for unit in COUNTERS})
def text_counts() -> Scorer:
    """Score with `score_text_counts`."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect's signature
        return score_text_counts(state.output.completion)

    return score


@scorer(metrics=[mean(), std(), stderr()])
def length_ratio(original: str | None = None) -> Scorer:
    """Score with `score_length_ratio`.

    Args:
        original: The key of the original text in the samples' metadata; by default it is the input.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect's signature
        text = state.input_text if original is None else state.metadata.get(original)
        if not isinstance(text, str):
            return unscored(
                f"the sample's metadata has no text under {original!r} (keys: {', '.join(state.metadata)})."
            )
        return score_length_ratio(state.output.completion, text)

    return score
