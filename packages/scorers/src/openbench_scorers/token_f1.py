"""Token F1 and exact match: the words that an answer shares with the target."""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.matching import fold, normalise_text, without_target
from openbench.scorers.reasons import unanswered
from openbench_scorers.fallback import Extraction, extractions
from openbench_scorers.options import one_of
from openbench_scorers.responses import read_answer
from openbench_scorers.words import contains_word

Normalisation = Literal["squad", "triviaqa", "nq", "hotpotqa", "korquad", "lower"]


@dataclass(frozen=True)
class _Rules:
    """The rules by which an original evaluation script compares texts.

    Attributes:
        words: Returns the words of a text.
        whole: Texts whose F1 with any other text is 0, even if they share words.
        neither: F1 if neither text has words.
        characters: Whether F1 counts the characters of words instead of words.
    """

    words: Callable[[str], list[str]]
    whole: frozenset[str] = frozenset()
    neither: float = 1.0
    characters: bool = False


def score_token_f1(
    completion: str,
    targets: Sequence[str],
    normalisation: Normalisation = "squad",
    *,
    chain: Sequence[Extraction] = (),
    no_answer: str | None = None,
) -> Score:
    """Compare an answer with each target, word by word, and keep the best value.

    `f1` is the harmonic mean of precision and recall over the multisets of words, `exact_match` is 1.0 if the words are
    the same in the same order. Both are between 0 and 1, higher is better, and each is the maximum over the targets. If
    only one side has words, F1 is 0.0. A blank completion is correct for a blank target, but not for one that consists
    of punctuation.

    The normalisation, and F1 if neither side has words, follow the original evaluation scripts:

    - `squad`: lower case, without ASCII punctuation and English articles; 1.0. Rajpurkar et al. 2016, SQuAD, arXiv
      1606.05250, version 2 of the script.
    - `triviaqa`: the same, but punctuation, underscores and the quotes ‘ ’ ´ ` become spaces; 0.0. Joshi et al. 2017,
      arXiv 1705.03551.
    - `nq`: as `squad`, and accents are separate characters (Unicode's form NFD); 1.0. Lee et al. 2019, arXiv
      1906.00300.
    - `hotpotqa`: as `squad`, and `yes`, `no` and `noanswer` share nothing with a longer answer; 0.0. Yang et al. 2018,
      arXiv 1809.09600.
    - `lower`: lower case, split at space; 1.0.

    Args:
        completion: The model's completion.
        targets: The correct answers; an empty one means that the question has no answer.
        normalisation: The normalisation.
        chain: How to extract the answer from the completion, see `openbench_scorers.fallback`; by default, all of it.
        no_answer: The phrase for questions without an answer. An answer that contains it and a target equal to it count
            as empty; a blank completion does not contain it, and is wrong.

    Returns:
        Both values; unscored if there are no targets.
    """  # noqa: RUF002 - quotes of TriviaQA
    if not targets:
        return without_target(completion)
    answer = read_answer(completion, chain)
    if not answer and (no_answer or all(target.strip() for target in targets)):
        return Score(value={"f1": 0.0, "exact_match": 0.0}, answer=answer, reason=unanswered(completion))
    rules = _RULES[normalisation]
    predicted = rules.words("" if no_answer and contains_word(answer, no_answer) else answer)
    golds = [rules.words("" if no_answer and fold(target) == fold(no_answer) else target) for target in targets]
    value = {"f1": max(_f1(predicted, gold, rules) for gold in golds), "exact_match": float(predicted in golds)}
    return Score(value=value, answer=answer)


@scorer(metrics={"f1": [mean(), stderr()], "exact_match": [mean(), stderr()]})
def token_f1(
    normalisation: Normalisation = "squad", chain: Sequence[str] | None = None, no_answer: str | None = None
) -> Scorer:
    """Score with `score_token_f1`.

    Args:
        normalisation: The normalisation: `squad`, `triviaqa`, `nq`, `hotpotqa`, `korquad` or `lower`.
        chain: Names of extractions of `openbench_scorers.fallback`; by default the answer is the whole completion.
        no_answer: The phrase for questions without an answer, such as `unanswerable`.

    Raises:
        UsageError: `normalisation` or an extraction is unknown.
    """
    one_of("normalisation", normalisation, _RULES)
    found = extractions(chain) if chain is not None else []

    async def score(state: TaskState, target: Target) -> Score:
        return score_token_f1(state.output.completion, list(target), normalisation, chain=found, no_answer=no_answer)

    return score


_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_SPACED = str.maketrans(dict.fromkeys(string.punctuation + "‘’´", " "))  # noqa: RUF001 - as they stand in answers
_KORQUAD = str.maketrans(dict.fromkeys(string.punctuation, "") | dict.fromkeys("'\"()<>《》〈〉‘’", " "))  # noqa: RUF001


def _squad_words(text: str) -> list[str]:
    return normalise_text(text).split()


def _triviaqa_words(text: str) -> list[str]:
    return _ARTICLE.sub(" ", text.lower().translate(_SPACED)).split()


def _nq_words(text: str) -> list[str]:
    return normalise_text(unicodedata.normalize("NFD", text)).split()


def _korquad_words(text: str) -> list[str]:
    return text.lower().translate(_KORQUAD).split()


def _lower_words(text: str) -> list[str]:
    return text.lower().split()


_RULES: Mapping[Normalisation, _Rules] = {
    "squad": _Rules(_squad_words),
    "triviaqa": _Rules(_triviaqa_words, neither=0.0),
    "nq": _Rules(_nq_words),
    "hotpotqa": _Rules(_squad_words, whole=frozenset({"yes", "no", "noanswer"}), neither=0.0),
    "korquad": _Rules(_korquad_words, neither=0.0, characters=True),
    "lower": _Rules(_lower_words),
}


def _f1(predicted: list[str], gold: list[str], rules: _Rules) -> float:
    if not predicted and not gold:
        return rules.neither
    if predicted != gold and not rules.whole.isdisjoint({" ".join(predicted), " ".join(gold)}):
        return 0.0
    if rules.characters:
        predicted, gold = list("".join(predicted)), list("".join(gold))
    shared = (Counter(predicted) & Counter(gold)).total()
    return 2 * shared / (len(predicted) + len(gold))
