"""A benchmark as a class, and how its rows become the samples of a task."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessage, GenerateConfig

from openbench.datasets import Rows, content_digest, load_samples
from openbench.errors import DataError, OpenbenchError, UsageError
from openbench_authoring.attributes import check_attributes, language_text, subject_text, subject_texts
from openbench_authoring.build import task_of
from openbench_authoring.construction import taking_options
from openbench_authoring.conversation import FewShotAs, conversation
from openbench_authoring.few_shot import Shot, draw, item_rng
from openbench_authoring.hooks import Hooks, SubjectType
from openbench_authoring.loading import LOADERS, Loading
from openbench_authoring.options import checked_options
from openbench_authoring.perturbation import Perturbation, perturb
from openbench_authoring.post_processing import reference_to
from openbench_authoring.rows import OwnRows, Splits, SubjectRows, read_split
from openbench_authoring.samples import (
    LANGUAGE_KEY,
    NO_SUBJECT,
    SHOWN_KEY,
    SUBJECT_KEY,
    ResponseType,
    Sample,
    to_inspect,
)
from openbench_authoring.source import source_of

# Errors that name the row themselves, or are reported with the row that raised them.
_ROW_ERRORS = (OpenbenchError, LookupError, ValueError, TypeError, AttributeError)


class BaseTask(Loading, Hooks[SubjectType]):
    """A benchmark as a class: attributes define it, and hooks turn a row into a question.

    A conversation is: the system prompt, if any; for each few-shot example its instruction and, as the assistant, its
    target; the instruction; the cue, if any, as the beginning of the answer. The initial prompt precedes the first
    instruction, separated by a blank line. Attributes and hooks are those of `openbench_authoring.hooks.Hooks`.

    Args:
        num_fewshot: The number of examples per sample.
        subjects: The subjects to evaluate; all by default.
        limit: The maximum number of rows per subject, taken from the start; all by default.
        seed: The seed for drawing examples. A sample's examples depend only on it and on the sample's row.
        few_shot_as: Examples as `turns` of the conversation, or all in one `message` with the question.
        perturbation: Typing errors to insert into instructions, or their kind.
        revision: A commit that replaces `HF_REVISION`.
        cue: How the cue is sent: `prefill`, `append` or `auto` (see `openbench_authoring.cue`).

    A class whose own `__init__` takes only the number of examples accepts these arguments too.

    Raises:
        UsageError: An attribute or an argument is invalid; all invalid attributes are reported at once.
    """

    _kept_options: Mapping[str, Any] = MappingProxyType({})

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = taking_options(cls.__init__)  # type: ignore[method-assign]

    def __init__(
        self,
        num_fewshot: int = 0,
        *,
        subjects: str | Sequence[SubjectType] | Sequence[str] | None = None,
        limit: int | None = None,
        seed: int = 42,
        few_shot_as: FewShotAs = "turns",
        perturbation: Perturbation | str | None = None,
        revision: str | None = None,
        cue: str = "auto",
    ) -> None:
        check_attributes(type(self), BaseTask)
        self.num_fewshot = num_fewshot
        given: dict[str, Any] = {
            "subjects": subjects,
            "limit": limit,
            "seed": seed,
            "few_shot_as": few_shot_as,
            "perturbation": perturbation,
            "revision": revision,
            "cue": cue,
            **self._kept_options,
        }
        given["revision"] = given["revision"] or self.HF_REVISION
        self._options = checked_options(type(self).__name__, self.SUBJECTS, num_fewshot=num_fewshot, **given)
        if num_fewshot and not self.FEWSHOT_SPLIT and not self._overrides("_sample_fewshot_examples"):
            raise UsageError(
                f"{type(self).__name__}: num_fewshot={num_fewshot}, but FEWSHOT_SPLIT is empty. "
                "Name a split, or override _sample_fewshot_examples."
            )
        self._texts = subject_texts(self._options.subjects)
        by_text = self._by_text()
        self._rows: SubjectRows | OwnRows = SubjectRows(self._read_split, self._texts)
        if any(map(self._overrides, LOADERS)):
            self._rows = OwnRows(lambda text: self._loaded(by_text[text]), self.NAME)
        self._splits = Splits(self._rows, self.SAMPLE_SPLIT, self.FEWSHOT_SPLIT)
        self._key = ""
        self.dataset = self._splits
        self.rnd = random.Random(self._options.seed)  # noqa: S311 - no secret

    def _complete(self) -> None:
        """Do what `__init__` does, for a class whose own one does not call it."""
        if not hasattr(self, "_options"):
            BaseTask.__init__(self, getattr(self, "num_fewshot", 0))

    def to_task(self) -> Task:
        """Return the task.

        Raises:
            DataError: The rows cannot be loaded, or one does not fit the hooks.
            UsageError: The class could not be found again for rescoring its logs.
        """
        post_processes = self._overrides("post_process_generated_completion")
        return task_of(
            [sample for text, subject in self._by_text().items() for sample in self._samples(text, subject)],
            name=self.NAME,
            location=str(self.DATASET_PATH),
            metrics=self.METRICS,
            config=GenerateConfig(max_tokens=self.max_tokens, stop_seqs=self.stop_sequences or None),
            cue_mode=self._options.cue,
            post_process=reference_to(type(self), self.num_fewshot) if post_processes else None,
        )

    def _by_text(self) -> dict[str | None, Any]:
        """Return the subjects that are evaluated by their texts; of a task without subjects, by None."""
        return dict(zip(self._texts, self._options.subjects, strict=True)) if self._texts else {None: NO_SUBJECT}

    def _read_split(self, split: str) -> Rows:
        """Read a split for all subjects that are evaluated; of several, each row's is in its column `subject`."""
        revision = self._options.revision
        beside = type(self).__module__
        source = source_of(self.DATASET_PATH, split=split, revision=revision, sha256=self.SHA256, beside=beside)
        return read_split(source, self._texts)

    def _samples(self, text: str | None, subject: Any) -> list[InspectSample]:
        """Return the samples of a subject, whose text prefixes their ids."""
        found = self._rows.rows(self.SAMPLE_SPLIT, text)
        self.dataset = self._splits  # an own loader has put its rows there
        count = 0

        def mapping(row: dict[str, Any]) -> list[InspectSample]:
            nonlocal count
            made = self._made(row, count, text, subject)
            count += len(made)
            return made

        limited = Rows(found.label, found.rows[: self._options.limit])
        samples = list(load_samples(limited, mapping, name=self.NAME))
        for sample in samples if text else ():
            sample.id = f"{text}:{sample.id}"
        return samples

    def _made(self, row: dict[str, Any], index: int, text: str | None, subject: Any) -> list[InspectSample]:
        digest = content_digest(row)[:16]
        self._key = f"{text}:{digest}" if text else digest
        self._splits.at(text, dict(row))
        self.rnd = item_rng(self._options.seed, self._key)
        if text or SUBJECT_KEY not in row:
            row[SUBJECT_KEY] = subject
        try:
            made: object = self._create_samples(row, index, text or NO_SUBJECT)
        except _ROW_ERRORS:
            raise
        except Exception as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error
        if not isinstance(made, list) or not all(isinstance(sample, Sample) for sample in made):
            raise TypeError(f"_create_samples gives {made!r:.80}, where a list of our Sample is expected")
        if index == 0:
            self._check(made[:1])
        shown = self._shown_answer(row) if len(made) == 1 else {}
        return [to_inspect(sample, self.RESPONSE_TYPE, {**self._said(sample), **shown}) for sample in made]

    def _shown_answer(self, row: dict[str, Any]) -> dict[str, str]:
        """Return the answer that an example with this row shows, if that is not the ground truth."""
        if self.RESPONSE_TYPE is ResponseType.LOGLIKELIHOODS or not self._overrides("_get_fewshot_target_text"):
            return {}
        try:
            return {SHOWN_KEY: _text("_get_fewshot_target_text", self._get_fewshot_target_text(row))}
        except Exception:  # noqa: BLE001 - a row that cannot be an example has its ground truth
            return {}

    def _check(self, first: Sequence[Sample]) -> None:
        for sample, metric in product(first, self.METRICS):
            try:
                metric().check_sample(sample)
            except (OpenbenchError, ValueError) as error:
                raise ValueError(f"{metric.__name__} cannot score it: {error}") from error

    def _said(self, sample: Sample) -> dict[str, str]:
        subject = {} if sample.subject == NO_SUBJECT else {SUBJECT_KEY: sample.subject}
        language = language_text(self.LANGUAGE, sample.subject)
        return {**subject, LANGUAGE_KEY: language} if language else subject

    def _get_messages(self, item: dict[str, Any]) -> list[ChatMessage]:
        """Return the conversation of a row, with its examples; an assistant's message at its end is the cue."""
        return conversation(
            self._instruction(item),
            self._shots(item),
            few_shot_as=self._options.few_shot_as,
            initial=_text("_get_initial_prompt_text", self._get_initial_prompt_text(item) or ""),
            system=_text("_get_system_prompt_text", self._get_system_prompt_text(item) or ""),
            cue=_text("_get_cue_text", self._get_cue_text(item) or ""),
        )

    def _instruction(self, item: dict[str, Any]) -> str:
        text = _text("_get_instruction_text", self._get_instruction_text(item))
        perturbation = self._options.perturbation
        if perturbation is None:
            return text
        protected = (*perturbation.protected, *(self.PERTURBATION_UNMODIFIABLE_WORDS or ()))
        language = language_text(self.LANGUAGE, subject_text(item.get(SUBJECT_KEY)))
        # Seeded by the text itself: with one key for a row, its examples would be edited at the same places.
        return perturb(text, replace(perturbation, protected=protected), language=language)

    def _shots(self, item: dict[str, Any]) -> list[Shot]:
        if not self.num_fewshot:
            return []
        examples = [{**row, SUBJECT_KEY: item[SUBJECT_KEY]} for row in self._examples(item)]
        return [self._shot(example) for example in examples]

    def _examples(self, item: dict[str, Any]) -> list[dict[str, Any]]:
        try:
            return self._sample_fewshot_examples(item)
        except ValueError as error:
            there = len(self.dataset[self.FEWSHOT_SPLIT]) if self.FEWSHOT_SPLIT else self.num_fewshot
            if there >= self.num_fewshot:
                raise
            subject = subject_text(item[SUBJECT_KEY]) if self._texts else ""
            raise DataError(
                f"{self.NAME}: {self.num_fewshot} few-shot examples were asked for, but the split "
                f"{self.FEWSHOT_SPLIT!r} has {there}{subject and f' of the subject {subject!r}'} (the item itself does "
                "not count). Ask for fewer."
            ) from error

    def _shot(self, example: dict[str, Any]) -> Shot:
        try:
            target = _text("_get_fewshot_target_text", self._get_fewshot_target_text(example))
            return Shot(self._instruction(example), target)
        except KeyError as error:
            columns = ", ".join(map(str, example))
            raise DataError(
                f"{self.NAME}: a few-shot example of the split {self.FEWSHOT_SPLIT!r} has no {error} "
                f"(columns: {columns}). Check the hooks, or pin the revision."
            ) from error

    def _sample_fewshot_examples(self, item: dict[str, Any]) -> list[dict[str, Any]]:  # noqa: ARG002 - the hook's
        """Return an item's few-shot rows, by default `num_fewshot` different ones at random."""
        pool = self.dataset[self.FEWSHOT_SPLIT]
        drawn = draw(pool, self.num_fewshot, item=self._splits.row, seed=self._options.seed, sample_id=self._key)
        return [dict(row) for row in drawn]

    def _overrides(self, hook: str) -> bool:
        return getattr(type(self), hook) is not getattr(BaseTask, hook)


def _text(hook: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{hook} gives {value!r:.80}, where a text is expected")
    return value
