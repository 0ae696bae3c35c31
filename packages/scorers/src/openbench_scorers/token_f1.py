"""Token F1 and exact match: how many words an answer shares with the right one."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.matching import normalise_text, without_target
from openbench.scorers.reasons import unanswered
from openbench_scorers.options import one_of
from openbench_scorers.responses import response

Normalisation = Literal["squad", "lower"]


def score_token_f1(completion: str, targets: Sequence[str], normalisation: Normalisation = "squad") -> Score:
    """Compare an answer with each right one, word by word, and take the best.

    `f1` is the harmonic mean of precision and recall over the multisets of words, `exact_match` is 1.0 if the words
    are the same in the same order. Both are between 0 and 1, higher is better, and each is the maximum over the
    targets. Where either side has no words, F1 is 1.0 if neither has, else 0.0.

    Source: Rajpurkar et al. 2016, SQuAD, arXiv 1606.05250, and its evaluation script of version 2.

    Args:
        completion: What the model answered.
        targets: The right answers; an empty one means that there is no answer.
        normalisation: What makes words: `squad` (lower case, without ASCII punctuation and English articles) or
            `lower` (lower case, split at space).

    Returns:
        Both figures; unscored if there are no targets.
    """
    if not targets:
        return without_target(completion)
    answer = response(completion)
    normalise = _NORMALISATIONS[normalisation]
    said = normalise(answer)
    golds = [normalise(target) for target in targets]
    value = {
        "f1": max(_f1(said, gold) for gold in golds),
        "exact_match": float(said in golds),
    }
    nothing = not answer and not value["exact_match"]
    return Score(value=value, answer=answer, reason=unanswered(completion) if nothing else None)


@scorer(metrics={"f1": [mean(), stderr()], "exact_match": [mean(), stderr()]}, builtin=True)
def token_f1(normalisation: Normalisation = "squad") -> Scorer:
    """Score with `score_token_f1`.

    Args:
        normalisation: What makes words: `squad` or `lower`.

    Raises:
        UsageError: `normalisation` is neither.
    """
    one_of("normalisation", normalisation, _NORMALISATIONS)

    async def score(state: TaskState, target: Target) -> Score:
        return score_token_f1(state.output.completion, list(target), normalisation)

    return score


def _squad_words(text: str) -> list[str]:
    return normalise_text(text).split()


def _lower_words(text: str) -> list[str]:
    return text.lower().split()


_NORMALISATIONS: dict[Normalisation, Callable[[str], list[str]]] = {"squad": _squad_words, "lower": _lower_words}


def _f1(said: list[str], gold: list[str]) -> float:
    if not said or not gold:
        return float(said == gold)
    shared = (Counter(said) & Counter(gold)).total()
    return 2 * shared / (len(said) + len(gold))
