"""Metrics for the overlap of a completion with a reference; they need the extra `text` of openbench-scorers."""

from typing import Any, ClassVar

from inspect_ai.scorer import Score, mean, stderr

from openbench_authoring.metrics.base import ScoreMetric
from openbench_authoring.metrics.values import one_value
from openbench_authoring.responses import Completion
from openbench_scorers.extras import library
from openbench_scorers.overlap import Class, corpus_bleu, corpus_chrf, corpus_ter, score_overlap
from openbench_scorers.rouge import score_rouge


class _Overlap(ScoreMetric[Completion]):
    MEASURE: ClassVar[Class]
    OPTIONS: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        library("sacrebleu.metrics", "text")  # says so if the extra is missing

    def evaluate(self, response: Completion) -> Score:
        """Compare the completion with the ground truths."""
        return score_overlap(response.completion, response.ground_truth_list, self.MEASURE, self.OPTIONS)


class BLEU(_Overlap):
    """BLEU by sacrebleu: 0 to 1, higher is better; report `corpus_bleu`.

    See `openbench_scorers.overlap`. All ground truths are used as references, and values are divided by 100.
    """

    NAME = "BLEU"
    FIGURES = (mean(), stderr(), corpus_bleu())
    MEASURE = "BLEU"


class CHRF(_Overlap):
    """chrF by sacrebleu: 0 to 1, higher is better; report `corpus_chrf`. Otherwise as `BLEU`."""

    NAME = "chrF"
    FIGURES = (mean(), stderr(), corpus_chrf())
    MEASURE = "CHRF"


class TER(_Overlap):
    """TER by sacrebleu: from 0, lower is better; report `corpus_ter`. Otherwise as `BLEU`."""

    NAME = "TER"
    FIGURES = (mean(), stderr(), corpus_ter())
    HIGHER_IS_BETTER = False
    MEASURE = "TER"


class ResponseToOriginalBLEU(_Overlap):
    """BLEU of the completion with the last user message as its reference: 0 to 1; otherwise as `BLEU`."""

    NAME = "Response to Original BLEU"
    MEASURE = "BLEU"

    def evaluate(self, response: Completion) -> Score:
        """Compare the completion with the last user message."""
        return score_overlap(response.completion, [response.last_user_instruction], self.MEASURE, self.OPTIONS)


class _Linewise(_Overlap):
    """The best line of a completion, beside the ground truth that it fits best."""

    def evaluate(self, response: Completion) -> Score:
        """Compare each line with each ground truth."""
        lines = [line for line in response.completion.split("\n") if line.strip()] or [""]
        pairs = [(line, truth) for line in lines for truth in response.ground_truth_list] or [("", "")]
        scores = [score_overlap(line, [truth], self.MEASURE, self.OPTIONS) for line, truth in pairs]
        best = max if self.HIGHER_IS_BETTER else min
        return best(scores, key=lambda score: score.as_float())


class LINEWISE_BLEU(_Linewise):  # noqa: N801 - the published name
    """BLEU of the best line: 0 to 1, higher is better. Otherwise as `BLEU`."""

    NAME = "Linewise BLEU"
    MEASURE = "BLEU"


class LINEWISE_CHRF(_Linewise):  # noqa: N801 - likewise
    """chrF of the best line: 0 to 1, higher is better. Otherwise as `CHRF`."""

    NAME = "Linewise chrF"
    MEASURE = "CHRF"


class LINEWISE_TER(_Linewise):  # noqa: N801 - likewise
    """TER of the best line: from 0, lower is better. Otherwise as `TER`."""

    NAME = "Linewise TER"
    HIGHER_IS_BETTER = False
    MEASURE = "TER"


class _Rouge(ScoreMetric[Completion]):
    KIND: ClassVar[str]

    def __init__(self) -> None:
        library("rouge_score.rouge_scorer", "text")  # likewise

    def evaluate(self, response: Completion) -> Score:
        """Compare the completion with the ground truths."""
        return one_value(score_rouge(response.completion, response.ground_truth_list), self.KIND)


class ROUGE_1(_Rouge):  # noqa: N801 - the published name
    """ROUGE-1 by rouge-score, for the best ground truth: 0 to 1, higher is better (`openbench_scorers.rouge`)."""

    NAME = "ROUGE-1"
    KIND = "rouge1"


class ROUGE_2(_Rouge):  # noqa: N801 - likewise
    """ROUGE-2; otherwise as `ROUGE_1`."""

    NAME = "ROUGE-2"
    KIND = "rouge2"


class ROUGE_L(_Rouge):  # noqa: N801 - likewise
    """ROUGE-L; otherwise as `ROUGE_1`."""

    NAME = "ROUGE-L"
    KIND = "rougeL"


class ROUGE_GEOMETRIC_MEAN(_Rouge):  # noqa: N801 - likewise
    """The cube root of the product of a sample's ROUGE-1, ROUGE-2 and ROUGE-L; otherwise as `ROUGE_1`."""

    NAME = "ROUGE-Geometric-Mean"
    KIND = "geometric_mean"
