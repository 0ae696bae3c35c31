"""Scorers that compare translations with references, as sacrebleu does."""

from collections.abc import Mapping

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench_scorers.comet import DEFAULT, comet_model
from openbench_scorers.overlap import (
    RESAMPLES,
    Measure,
    corpus_bleu,
    corpus_chrf,
    corpus_chrfpp,
    corpus_ter,
    score_overlaps,
)
from openbench_translation.text import translation_of

_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # sacrebleu's default by target language


def measures(language: str, tokenize: str | None = None) -> Mapping[str, Measure]:
    """Return the metrics for translations to a language.

    Args:
        language: The target language, as an ISO 639-1 code; empty if it has none.
        tokenize: sacrebleu's tokenizer for BLEU; by default the one that sacrebleu uses for the language.
    """
    return {
        "bleu": Measure("BLEU", {"tokenize": tokenize or _TOKENIZERS.get(language, "13a")}),
        "chrf": Measure("CHRF", {}),
        "chrfpp": Measure("CHRF", {"word_order": 2}),
        "ter": Measure("TER", {}),
    }


_SENTENCE_METRICS = [mean(), stderr()]


@scorer(
    metrics=[
        corpus_bleu(RESAMPLES),
        corpus_chrf(RESAMPLES),
        corpus_chrfpp(RESAMPLES),
        corpus_ter(RESAMPLES),
        dict.fromkeys(("bleu", "chrf", "chrfpp", "ter"), _SENTENCE_METRICS),
    ],
    lower_is_better=["ter", "corpus_ter"],
)
def translation(language: str, label: str, tokenize: str | None = None, first_line: bool = False) -> Scorer:
    """Score a translation by BLEU, chrF, chrF++ and TER: each sentence, and the corpus.

    The translation is extracted by `openbench_translation.text.translation_of`; the metrics are those of
    `openbench_scorers.overlap`.

    Args:
        language: The target language, as an ISO 639-1 code; empty if it has none.
        label: The target language's name in the prompt.
        tokenize: sacrebleu's tokenizer for BLEU; by default the one that sacrebleu uses for the language.
        first_line: Whether only the first line of an answer counts.

    Raises:
        UsageError: sacrebleu rejects the tokenizer, or lacks a package that it requires.
    """
    selected = measures(language, tokenize)
    selected["bleu"].check()

    async def score(state: TaskState, target: Target) -> Score:
        completion, source = state.output.completion, str(state.metadata["source"])
        text = translation_of(completion, source, language=label, first_line=first_line)
        return score_overlaps(completion, text, list(target), selected)

    return score


@scorer(metrics=[mean(), stderr()])
def translation_comet(label: str, model: str = DEFAULT, first_line: bool = False) -> Scorer:
    """Score a translation with a COMET model, from about 0 to 1, higher is better; see `openbench_scorers.comet`.

    Args:
        label: The target language's name in the prompt.
        model: A model on the Hub, or the path of a checkpoint.
        first_line: Whether only the first line of an answer counts.

    Raises:
        UsageError: unbabel-comet is not installed.
    """
    judge = comet_model(model)

    async def score(state: TaskState, target: Target) -> Score:
        completion, source = state.output.completion, str(state.metadata["source"])
        text = translation_of(completion, source, language=label, first_line=first_line)
        return await judge.scored(completion, source, text, list(target))

    return score
