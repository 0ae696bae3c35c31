"""BLEU, chrF and TER by sacrebleu: per sample as scorers, for the whole corpus as metrics (extra `text`)."""

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Literal

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.matching import without_target
from openbench.scorers.reasons import unanswered
from openbench_scorers.extras import library
from openbench_scorers.options import at_least
from openbench_scorers.responses import response

Measure = Literal["BLEU", "CHRF", "TER"]

CORPUS_KEY = "overlap"
"""Where a score's metadata keeps what the corpus metrics compute from."""


def score_overlap(completion: str, targets: Sequence[str], measure: Measure, options: Mapping[str, Any]) -> Score:
    """Compare a completion with reference texts by sacrebleu's sentence-level score, divided by 100.

    BLEU (Papineni et al. 2002, with effective order, as usual for sentences) and chrF (Popovic 2015) are between 0 and
    1, higher is better. TER (Snover et al. 2006) is the number of edits divided by the reference's words: 0 is best,
    and it exceeds 1 if there are more edits than words.

    Source: Post 2018, A call for clarity in reporting BLEU scores, arXiv 1804.08771, and its library sacrebleu.

    Args:
        completion: The model's completion.
        targets: The reference texts, all of which are used.
        measure: The sacrebleu class.
        options: Its arguments.

    Returns:
        The score; unscored if all references are blank. The metadata keeps the data that the corpus metrics need.

    Raises:
        UsageError: The extra `text` is not installed.
    """
    references = [target for target in targets if target.strip()]
    if not references:
        return without_target(completion)
    said = response(completion)
    value = _measure(measure, options, sentence=True).sentence_score(said, references).score / 100
    kept = {"measure": measure, "options": dict(options), "completion": said, "references": references}
    reason = None if said else unanswered(completion)
    return Score(value=value, answer=said, reason=reason, metadata={CORPUS_KEY: kept})


class CorpusMetric:
    """One of sacrebleu's measures, of all samples together, divided by 100; NaN without scores of its scorer.

    It is a function of sums over the samples, such as those of matching n-grams, which `bench compare` makes use of.
    """

    def __init__(self, measure: Measure) -> None:
        self._measure: Measure = measure

    def __call__(self, scores: list[SampleScore]) -> Value:
        """Compute the measure."""
        kept = [score for score in scores if _kept(score).get("measure") == self._measure]
        if not kept:
            return float("nan")
        rows, statistic = self.summed(kept)
        return statistic([sum(column) for column in zip(*rows, strict=True)])

    def summed(self, scores: Sequence[SampleScore]) -> tuple[list[list[float]], Callable[[Sequence[float]], float]]:
        """Return the numbers that add up, a row for each score, and the function from their sums to the measure.

        Args:
            scores: Scores of the measure's scorer, at least one.
        """
        kept = [_kept(score) for score in scores]
        # sacrebleu wants the first reference of every sample, then the second of every sample that has one, ...
        references = list(zip_longest(*(each["references"] for each in kept)))
        whole = _measure(self._measure, kept[0]["options"], sentence=False)
        # its own paired tests call these two; nothing public returns the numbers of chrF
        rows = whole._extract_corpus_statistics([each["completion"] for each in kept], references)  # noqa: SLF001
        return rows, lambda sums: float(whole._compute_score_from_stats(list(sums)).score) / 100  # noqa: SLF001


@metric
def corpus_bleu() -> Metric:
    """Compute BLEU of all samples together, divided by 100: between 0 and 1, higher is better.

    It is sacrebleu's corpus score of the completions and references that the scorer `bleu` keeps, with its options;
    only the first epoch counts. NaN if there are none.
    """
    return CorpusMetric("BLEU")


@metric
def corpus_chrf() -> Metric:
    """Compute chrF of all samples together, divided by 100: between 0 and 1, higher is better.

    Like `corpus_bleu`, for the scorer `chrf`.
    """
    return CorpusMetric("CHRF")


@metric
def corpus_ter() -> Metric:
    """Compute TER of all samples together, divided by 100: at least 0, lower is better.

    Like `corpus_bleu`, for the scorer `ter`.
    """
    return CorpusMetric("TER")


@scorer(metrics=[mean(), stderr(), corpus_bleu()])
def bleu(tokenize: str = "13a", lowercase: bool = False, max_ngram_order: int = 4) -> Scorer:
    """Score with BLEU (see `score_overlap`); report the metric `corpus_bleu`.

    Args:
        tokenize: sacrebleu's tokenizer, such as `13a`, `intl`, `zh`, `char` or `none`.
        lowercase: Whether to ignore case.
        max_ngram_order: The maximum n-gram length.

    Raises:
        UsageError: The extra `text` is not installed, or sacrebleu refuses an option.
    """
    at_least("max_ngram_order", max_ngram_order, 1)
    return _scorer("BLEU", {"tokenize": tokenize, "lowercase": lowercase, "max_ngram_order": max_ngram_order})


@scorer(metrics=[mean(), stderr(), corpus_chrf()])
def chrf(char_order: int = 6, word_order: int = 0, beta: int = 2, lowercase: bool = False) -> Scorer:
    """Score with chrF (see `score_overlap`); report the metric `corpus_chrf`.

    Args:
        char_order: The maximum character n-gram length.
        word_order: The maximum word n-gram length; 2 gives chrF++.
        beta: The weight of recall relative to precision.
        lowercase: Whether to ignore case.

    Raises:
        UsageError: The extra `text` is not installed, or sacrebleu refuses an option.
    """
    for name, value, least in (("char_order", char_order, 1), ("word_order", word_order, 0), ("beta", beta, 1)):
        at_least(name, value, least)
    options = {"char_order": char_order, "word_order": word_order, "beta": beta, "lowercase": lowercase}
    return _scorer("CHRF", options)


@scorer(metrics=[mean(), stderr(), corpus_ter()], lower_is_better=True)
def ter(
    normalized: bool = False, no_punct: bool = False, asian_support: bool = False, case_sensitive: bool = False
) -> Scorer:
    """Score with TER (see `score_overlap`), lower is better; report the metric `corpus_ter`.

    Args:
        normalized: Whether to separate punctuation and the like first.
        no_punct: Whether to remove punctuation.
        asian_support: Whether normalisation supports Chinese and Japanese.
        case_sensitive: Whether case matters.

    Raises:
        UsageError: The extra `text` is not installed, or sacrebleu refuses an option.
    """
    options = {
        "normalized": normalized,
        "no_punct": no_punct,
        "asian_support": asian_support,
        "case_sensitive": case_sensitive,
    }
    return _scorer("TER", options)


def _scorer(measure: Measure, options: dict[str, Any]) -> Scorer:
    try:  # some options are refused at first use only
        _measure(measure, options, sentence=True).sentence_score("a", ["a"])
    except (ArithmeticError, AssertionError, ImportError, LookupError, RuntimeError, TypeError, ValueError) as error:
        shown = ", ".join(f"{name}={value!r}" for name, value in options.items())
        raise UsageError(f"{measure} with {shown}: sacrebleu refuses it ({error!r}).") from error

    async def score(state: TaskState, target: Target) -> Score:
        return score_overlap(state.output.completion, list(target), measure, options)

    return score


def _kept(score: SampleScore) -> Mapping[str, Any]:
    """Return what `score_overlap` keeps of a sample; empty for another scorer's."""
    kept: Mapping[str, Any] = (score.score.metadata or {}).get(CORPUS_KEY) or {}
    return kept


def _measure(measure: Measure, options: Mapping[str, Any], *, sentence: bool) -> Any:
    made = getattr(library("sacrebleu.metrics", "text"), measure)
    special = {"effective_order": True} if sentence and measure == "BLEU" else {}
    return made(**options, **special)
