"""The attributes and hooks that the author of a class writes."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from inspect_ai.model import ChatMessage

from openbench_authoring.contexts import Context
from openbench_authoring.languages import Language
from openbench_authoring.metrics.base import AnyMetric
from openbench_authoring.rows import Row
from openbench_authoring.samples import ResponseType, Sample

SubjectType = TypeVar("SubjectType")


class Hooks(Generic[SubjectType]):
    """The attributes and hooks of a task.

    Attributes:
        NAME: The display name.
        DATASET_PATH: A dataset id of the Hub; or the path or URL of a .jsonl, .json or .csv file, in which `{split}`
            is replaced by the split. A relative path is relative to the class's file.
        SAMPLE_SPLIT: The evaluated split.
        FEWSHOT_SPLIT: The split that examples are drawn from; it is read only if there are examples.
        RESPONSE_TYPE: Whether a model writes an answer, or ranks several.
        METRICS: The classes of its metrics; the first is the primary one.
        SUBJECTS: The dataset's configurations; for a file, the values of its column `subject`. May be empty.
        HF_REVISION: The commit of the Hub's repository, 40 hex digits; a branch also works, but pins nothing.
        SHA256: The digest of the file, or the digests by split; files are checked when they are read.
        LANGUAGE: The language, or the languages by subject.
        PERTURBATION_UNMODIFIABLE_WORDS: Words in instructions that are never perturbed.
        num_fewshot: The number of examples per sample.
        dataset: The rows of the item's subject by split. The split of examples never offers the item itself or an equal
            row.
        rnd: The item's own random number generator: the same in every run, whatever other items it has.
        max_tokens: The maximum number of tokens of an answer, if `__init__` sets it.
        stop_sequences: The stop sequences, if `__init__` sets them.
    """

    NAME: str
    DATASET_PATH: str | Path
    SAMPLE_SPLIT: str
    FEWSHOT_SPLIT: str
    RESPONSE_TYPE: ResponseType
    METRICS: list[AnyMetric]
    SUBJECTS: list[SubjectType]
    HF_REVISION: str | None = None
    SHA256: str | dict[str, str] | None = None
    LANGUAGE: Language | dict[str, Language] | dict[str, tuple[Language, Language]] | dict[Any, Any] | None = None
    PERTURBATION_UNMODIFIABLE_WORDS: list[str] | None = None

    num_fewshot: int
    dataset: Mapping[str, Sequence[Row]]
    rnd: random.Random
    max_tokens: int | None = None
    stop_sequences: list[str] | None = None

    def _get_instruction_text(self, item: dict[str, Any]) -> str:
        """Return the question of a row."""
        raise NotImplementedError

    def _get_ground_truth(self, item: dict[str, Any]) -> str | list[str] | None:
        """Return the right answer of a row, or several; None if no metric needs one."""
        raise NotImplementedError

    def _get_initial_prompt_text(self, item: dict[str, Any]) -> str:  # noqa: ARG002 - for those who override it
        """Return the text before the first instruction."""
        return ""

    def _get_system_prompt_text(self, item: dict[str, Any]) -> str | None:  # noqa: ARG002 - likewise
        """Return the system message."""
        return None

    def _get_cue_text(self, item: dict[str, Any]) -> str:  # noqa: ARG002 - likewise
        """Return the beginning of the answer."""
        return ""

    def _get_possible_completions(self, item: dict[str, Any]) -> list[str] | None:  # noqa: ARG002 - likewise
        """Return the texts that are ranked, exactly as they follow the conversation: with their leading space."""
        return None

    def _get_fewshot_target_text(self, item: dict[str, Any]) -> str:
        """Return the answer shown in an example, by default its ground truth."""
        target = self._get_ground_truth(item)
        if not isinstance(target, str):
            raise TypeError(
                f"the ground truth of an example is {target!r:.80}, where a text is expected. "
                "Override _get_fewshot_target_text"
            )
        return target

    def _get_context(self, item: dict[str, Any]) -> Context:  # noqa: ARG002 - likewise
        """Return further information for metrics, besides the ground truth."""
        return None

    def _sample_fewshot_examples(self, item: dict[str, Any]) -> list[dict[str, Any]]:
        """Return an item's few-shot rows, by default `num_fewshot` different ones at random."""
        raise NotImplementedError

    def _get_messages(self, item: dict[str, Any]) -> list[ChatMessage]:
        """Return the conversation of a row, with its examples; an assistant's message at its end is the cue."""
        raise NotImplementedError

    def _create_samples(self, item: dict[str, Any], index: int, subject: str) -> list[Sample]:
        """Return the sample of a row, or several.

        Args:
            item: The row, with its subject.
            index: How many samples of the subject were made before.
            subject: The subject's text.
        """
        return [
            Sample(
                id=index,
                subject=subject,
                messages=self._get_messages(item),
                ground_truth=self._get_ground_truth(item),
                possible_completions=self._get_possible_completions(item),
                context=self._get_context(item),
            )
        ]

    def post_process_generated_completion(
        self,
        completion_text: str,
        sample: Sample | None = None,  # noqa: ARG002 - likewise
    ) -> str:
        """Return the part of a completion to score, such as its final answer.

        Scorers call it on a separate instance, which knows only the number of examples: the log keeps the model's
        original text, and rescoring applies the hook again.
        """
        return completion_text
