"""COMET, which judges a translation by its source and its ground truths."""

from typing import ClassVar

from inspect_ai.scorer import Score

from openbench.scorers.reasons import unscored
from openbench_authoring.contexts import UntemplatedPrompt, extract_context_metric
from openbench_authoring.metrics.base import AwaitedMetric
from openbench_authoring.responses import Completion
from openbench_scorers.comet import DEFAULT, comet_model


class COMET(AwaitedMetric):
    """COMET: about 0 to 1, higher is better, for the ground truth that a completion fits best.

    See `openbench_scorers.comet`. The text that was translated is the `UntemplatedPrompt` of the sample's context; a
    sample without one is unscored.

    Attributes:
        MODEL: A model of the Hub, or the path of a checkpoint. eval-framework's is `Unbabel/XCOMET-XL`.
    """

    NAME = "COMET"
    MODEL: ClassVar[str] = DEFAULT

    def __init__(self) -> None:
        self._model = comet_model(self.MODEL)  # says so if it is missing

    async def run(self, response: Completion) -> Score:
        """Compare the completion with the source and the ground truths."""
        try:
            source = extract_context_metric(response, UntemplatedPrompt).untemplated_prompt.strip()
        except Exception:  # noqa: BLE001 - the context is missing, or of another class
            source = ""
        if not source:
            return unscored(
                "COMET compares with the text that was translated: return UntemplatedPrompt(untemplated_prompt=text) "
                "from _get_context.",
                response.completion,
            )
        text = " ".join(response.completion.split())
        return await self._model.scored(response.completion, source, text, response.ground_truth_list)
