"""Metrics of planned packages: they can be imported, so that the other tasks of a module can be used.

A task with other metrics runs without them: they leave its samples unscored, with the reason.
"""

from typing import Any, ClassVar

from inspect_ai.scorer import Score

from openbench.scorers.reasons import unscored
from openbench_authoring.metrics.base import ScoreMetric
from openbench_authoring.responses import Completion


class Elsewhere(ScoreMetric[Completion]):
    """A metric that is not available here."""

    PACKAGE: ClassVar[str]
    TODAY: ClassVar[str] = "Nothing of openbench scores this today: leave it out, or write a metric of your own."

    def __init_subclass__(cls, **options: Any) -> None:
        cls.NAME = vars(cls).get("NAME", cls.__name__)
        super().__init_subclass__(**options)

    @classmethod
    def absence(cls) -> str:
        """Return the message for its users."""
        return (
            f"{cls.__name__} is not part of openbench-authoring: it is planned for {cls.PACKAGE}, which is not there "
            f"yet. {cls.TODAY}"
        )

    def evaluate(self, response: Completion) -> Score:
        """Leave the sample unscored."""
        return unscored(self.absence(), response.completion)


class COMET(Elsewhere):
    """The quality of a translation, judged by a trained model."""

    PACKAGE = "openbench-comet"
