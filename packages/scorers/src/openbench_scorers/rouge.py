"""ROUGE-1, ROUGE-2, ROUGE-L and their geometric mean, computed by the library rouge-score (extra `text`)."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.matching import without_target
from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.extras import library
from openbench_scorers.options import one_of
from openbench_scorers.responses import response
from openbench_scorers.words import tokens

Tokenizer = Literal["ascii", "unicode"]

_KINDS = ("rouge1", "rouge2", "rougeL")
_TOKENIZERS: tuple[Tokenizer, ...] = ("ascii", "unicode")


def score_rouge(
    completion: str, targets: Sequence[str], stemmer: bool = False, tokenizer: Tokenizer = "ascii"
) -> Score:
    """Compare a completion with reference texts by F-measures of shared n-grams and of the longest common subsequence.

    `rouge1`, `rouge2` and `rougeL` are the library's F-measures, each for the best-matching reference; `geometric_mean`
    is the cube root of their product. All are between 0 and 1, higher is better. The time of ROUGE-L is proportional to
    the product of the lengths.

    Source: Lin 2004, ROUGE, W04-1013, and the library rouge-score.

    Args:
        completion: The model's completion.
        targets: The reference texts.
        stemmer: Whether to stem English words (Porter's stemmer); only with `ascii`.
        tokenizer: `ascii`, the library's own, which keeps only a-z and 0-9, or `unicode` for other languages.

    Returns:
        The four values; unscored if no reference has a word that the tokenizer recognises.

    Raises:
        UsageError: The extra `text` is not installed.
    """
    if not any(target.strip() for target in targets):
        return without_target(completion)
    rouge = _rouge(stemmer, tokenizer)
    references = [target for target in targets if rouge._tokenizer.tokenize(target)]  # noqa: SLF001 - no other way
    if not references:
        return unscored("the target has no letters a-z or digits, and ROUGE would be 0. Use tokenizer='unicode'.")
    text = response(completion)
    found = rouge.score_multi(references, text)
    value = {kind: float(found[kind].fmeasure) for kind in _KINDS}
    reason = None if text else unanswered(completion)
    return Score(value=_with_mean(value), answer=text, reason=reason)


@metric
def corpus_rouge() -> Metric:
    """Report the means of `rouge1`, `rouge2` and `rougeL` over the samples, and the `geometric_mean` of the three.

    All are between 0 and 1, higher is better. Published results of summarisation report these; the mean of the samples'
    geometric means is lower. Source: as for `score_rouge`.
    """

    def calculate(scores: list[SampleScore]) -> Value:
        values = [each.score.value for each in scores if isinstance(each.score.value, Mapping)]
        if not values:
            return dict.fromkeys((*_KINDS, "geometric_mean"), float("nan"))
        sums = {kind: sum(float(value[kind] or 0) for value in values) for kind in _KINDS}
        return _with_mean({kind: total / len(values) for kind, total in sums.items()})

    return calculate


_EACH: list[Metric] = [mean(), stderr()]


@scorer(metrics=[dict.fromkeys((*_KINDS, "geometric_mean"), _EACH), corpus_rouge()])
def rouge(stemmer: bool = False, tokenizer: Tokenizer = "ascii") -> Scorer:
    """Score with `score_rouge`; report the values of the metric `corpus_rouge`.

    Args:
        stemmer: Whether to stem English words; only with `ascii`.
        tokenizer: `ascii` or `unicode`.

    Raises:
        UsageError: The extra `text` is not installed, or an option is invalid.
    """
    one_of("tokenizer", tokenizer, _TOKENIZERS)
    _rouge(stemmer, tokenizer)

    async def score(state: TaskState, target: Target) -> Score:
        return score_rouge(state.output.completion, list(target), stemmer, tokenizer)

    return score


class _Unicode:
    """A Unicode tokenizer with the library's interface."""

    def tokenize(self, text: str) -> list[str]:
        return tokens(text)


@cache
def _rouge(stemmer: bool, tokenizer: Tokenizer) -> Any:
    own = _Unicode() if tokenizer == "unicode" else None
    return library("rouge_score.rouge_scorer", "text").RougeScorer(list(_KINDS), use_stemmer=stemmer, tokenizer=own)


def _with_mean(value: dict[str, float]) -> dict[str, float]:
    product = value["rouge1"] * value["rouge2"] * value["rougeL"]
    return {**value, "geometric_mean": product ** (1 / 3)}
