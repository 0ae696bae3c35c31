"""sacrebleu's BLEU, chrF and TER: of each sample as scorers, of the whole corpus as metrics (extra `text`)."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.matching import without_target
from openbench.scorers.reasons import unanswered
from openbench_scorers.extras import library
from openbench_scorers.options import at_least
from openbench_scorers.responses import response

Class = Literal["BLEU", "CHRF", "TER"]

CORPUS_KEY = "overlap"
"""The key of a score's metadata with the input of the corpus metrics, by the measure's name."""

RESAMPLES = 1_000
"""The number of bootstrap resamples that `sacrebleu --confidence` draws."""

_SEED = 12345  # sacrebleu's


class Measure(NamedTuple):
    """A measure of sacrebleu: its class and arguments."""

    of: Class
    options: Mapping[str, Any] = {}

    def score(self, text: str, references: Sequence[str]) -> tuple[float, dict[str, Any]]:
        """Compare a text with its references.

        Returns:
            sacrebleu's sentence-level score divided by 100, and the data that the corpus metrics need.
        """
        # sacrebleu's paired tests call this method, too; no public one returns the statistics of chrF.
        [statistics] = self._made()._extract_corpus_statistics([text], [[each] for each in references])  # noqa: SLF001
        kept = {"measure": self.of, "options": dict(self.options), "statistics": list(statistics)}
        return self.value_of(statistics, sentence=True), kept

    def value_of(self, statistics: Sequence[float], *, sentence: bool = False) -> float:
        """Return the score divided by 100, from the statistics of a sentence or from their sums over a corpus."""
        made = self._made(sentence=sentence)
        return float(made._compute_score_from_stats(list(statistics)).score) / 100  # noqa: SLF001 - likewise

    def signature(self, references: int | None = 1, *, resamples: int = 0) -> str:
        """Return sacrebleu's signature, which describes how a corpus score was computed.

        Args:
            references: The number of references of each sample; None if it varies.
            resamples: The number of bootstrap resamples.
        """
        made = library("sacrebleu.metrics", "text").__dict__[self.of](**self.options)
        made.num_refs = -1 if references is None else references
        if resamples:
            made.n_bootstrap, made.seed = resamples, _SEED
        return str(made.get_signature())

    def check(self) -> None:
        """Raise `UsageError` if the extra `text` is not installed, or sacrebleu rejects an option."""
        try:  # some options are checked only at first use
            self.score("a", ["a"])
        except (
            ArithmeticError,
            AssertionError,
            ImportError,
            LookupError,
            OSError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as error:
            shown = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
            raise UsageError(f"{self.of} with {shown}: sacrebleu rejects it ({error!r}).") from error

    def _made(self, *, sentence: bool = False) -> Any:
        return _made(self.of, tuple(self.options.items()), effective_order=sentence and self.of == "BLEU")


@cache
def _made(of: Class, options: tuple[tuple[str, Any], ...], *, effective_order: bool) -> Any:
    """Create a measure once: a tokenizer may load a dictionary."""
    special = {"effective_order": True} if effective_order else {}
    return getattr(library("sacrebleu.metrics", "text"), of)(**dict(options), **special)


def score_overlap(completion: str, targets: Sequence[str], measure: Class, options: Mapping[str, Any]) -> Score:
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
    text = response(completion)
    value, kept = Measure(measure, options).score(text, references)
    reason = None if text else unanswered(completion)
    return Score(value=value, answer=text, reason=reason, metadata={CORPUS_KEY: {measure.lower(): kept}})


def score_overlaps(completion: str, text: str, targets: Sequence[str], measures: Mapping[str, Measure]) -> Score:
    """Compare a text with reference texts by several measures; see `score_overlap`.

    Args:
        completion: The model's completion.
        text: The part of it that is compared.
        targets: The reference texts.
        measures: The measures by name.

    Returns:
        A score with a value for each name; unscored if all references are blank.
    """
    references = [target for target in targets if target.strip()]
    if not references:
        return without_target(completion)
    scored = {name: measure.score(text, references) for name, measure in measures.items()}
    return Score(
        value={name: value for name, (value, _) in scored.items()},
        answer=text,
        reason=None if text else unanswered(completion),
        metadata={CORPUS_KEY: {name: kept for name, (_, kept) in scored.items()}},
    )


class CorpusMetric:
    """A measure of sacrebleu over all samples together, divided by 100; NaN without scores of its scorer.

    It is a function of sums over the samples, such as the number of matching n-grams, which `bench compare` uses.
    """

    def __init__(self, measure: str, name: str, resamples: int = 0) -> None:
        at_least("resamples", resamples, 0)
        self._measure, self._name, self._resamples = measure, name, resamples

    def __call__(self, scores: list[SampleScore]) -> Value:
        """Compute the measure, and its uncertainty if there are resamples."""
        # Sorted by id: the resamples must not depend on the order of the scores.
        kept = sorted((score for score in scores if self._measure in _kept(score)), key=_natural)
        names = [self._name, *(f"{self._name}_{figure}" for figure in ("stderr", "lower", "upper"))]
        if kept:
            rows, statistic = self.summed(kept)
            value = statistic([sum(column) for column in zip(*rows, strict=True)])
        else:
            rows, value = [], float("nan")
        if not self._resamples:
            return value
        figures = _bootstrapped(rows, statistic, self._resamples) if kept else (value, value, value)
        return dict(zip(names, (value, *figures), strict=True))

    def summed(self, scores: Sequence[SampleScore]) -> tuple[list[list[float]], Callable[[Sequence[float]], float]]:
        """Return the additive statistics, a row for each score, and the function from their sums to the measure.

        Args:
            scores: Scores of the measure's scorer, at least one.
        """
        kept = [_kept(score)[self._measure] for score in scores]
        return [each["statistics"] for each in kept], Measure(kept[0]["measure"], kept[0]["options"]).value_of


def _bootstrapped(
    rows: Sequence[Sequence[float]], statistic: Callable[[Sequence[float]], float], resamples: int
) -> tuple[float, float, float]:
    """Return the standard error and the limits of the central 95% of resampled values, drawn like sacrebleu's."""
    import numpy as np  # noqa: PLC0415 - needed only for intervals

    drawn = np.random.default_rng(_SEED).choice(len(rows), size=(resamples, len(rows)), replace=True)
    numbers = np.array(rows, dtype="float32")
    values = sorted(statistic(numbers[sample].sum(0)) for sample in drawn)
    outside = resamples // 40
    error = float(np.std(values, ddof=1)) if len(rows) > 1 and resamples > 1 else float("nan")
    return error, values[outside], values[resamples - outside - 1]


@metric
def corpus_bleu(resamples: int = 0) -> Metric:
    """Compute BLEU of all samples together, divided by 100: between 0 and 1, higher is better.

    It is sacrebleu's corpus score of the scorer's completions and references, with the scorer's options; only the first
    epoch counts. NaN without scores.

    Args:
        resamples: The number of bootstrap resamples. If 1 or more, also report the standard error `corpus_bleu_stderr`
            and the limits of the 95% interval, `corpus_bleu_lower` and `corpus_bleu_upper`. The resamples are those of
            `sacrebleu --confidence` with the seed 12345, of samples sorted by id; its `±` is half the difference of the
            limits.
    """
    return CorpusMetric("bleu", "corpus_bleu", resamples)


@metric
def corpus_chrf(resamples: int = 0) -> Metric:
    """Compute chrF of all samples together, divided by 100: between 0 and 1, higher is better.

    Like `corpus_bleu`, for the scorer `chrf`.

    Args:
        resamples: As for `corpus_bleu`.
    """
    return CorpusMetric("chrf", "corpus_chrf", resamples)


@metric
def corpus_chrfpp(resamples: int = 0) -> Metric:
    """Compute chrF++ of all samples together, divided by 100: between 0 and 1, higher is better.

    Like `corpus_bleu`, for scores of `score_overlaps` with a measure named `chrfpp`.

    Args:
        resamples: As for `corpus_bleu`.
    """
    return CorpusMetric("chrfpp", "corpus_chrfpp", resamples)


@metric
def corpus_ter(resamples: int = 0) -> Metric:
    """Compute TER of all samples together, divided by 100: at least 0, lower is better.

    Like `corpus_bleu`, for the scorer `ter`.

    Args:
        resamples: As for `corpus_bleu`.
    """
    return CorpusMetric("ter", "corpus_ter", resamples)


@scorer(metrics=[mean(), stderr(), corpus_bleu()])
def bleu(tokenize: str = "13a", lowercase: bool = False, max_ngram_order: int = 4) -> Scorer:
    """Score with BLEU (see `score_overlap`); report the metric `corpus_bleu`.

    Args:
        tokenize: sacrebleu's tokenizer, such as `13a`, `intl`, `zh`, `char` or `none`.
        lowercase: Whether to ignore case.
        max_ngram_order: The maximum n-gram length.

    Raises:
        UsageError: The extra `text` is not installed, or sacrebleu rejects an option.
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
        UsageError: The extra `text` is not installed, or sacrebleu rejects an option.
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
        normalized: Whether to normalise the text first, such as separating punctuation.
        no_punct: Whether to remove punctuation.
        asian_support: Whether normalisation supports Chinese and Japanese.
        case_sensitive: Whether case matters.

    Raises:
        UsageError: The extra `text` is not installed, or sacrebleu rejects an option.
    """
    options = {
        "normalized": normalized,
        "no_punct": no_punct,
        "asian_support": asian_support,
        "case_sensitive": case_sensitive,
    }
    return _scorer("TER", options)


def _scorer(measure: Class, options: dict[str, Any]) -> Scorer:
    Measure(measure, options).check()

    async def score(state: TaskState, target: Target) -> Score:
        return score_overlap(state.output.completion, list(target), measure, options)

    return score


def _natural(score: SampleScore) -> list[tuple[str, int]]:
    """Return a key for natural sorting of ids: `de-en-9` before `de-en-10`."""
    parts = re.findall(r"(\D*)(\d*)", str("" if score.sample_id is None else score.sample_id))
    return [(text, int(number or 0)) for text, number in parts]


def _kept(score: SampleScore) -> Mapping[str, Any]:
    """Return the statistics of a sample by the measure's name; empty for scores of other scorers."""
    kept: Mapping[str, Any] = (score.score.metadata or {}).get(CORPUS_KEY) or {}
    return kept
