"""The options of a task, checked before anything is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, get_args

from openbench.errors import UsageError
from openbench_authoring.attributes import subject_text
from openbench_authoring.conversation import FewShotAs
from openbench_authoring.cue import MODES
from openbench_authoring.perturbation import Perturbation
from openbench_authoring.samples import NO_SUBJECT
from openbench_scorers.options import one_or_several


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a task, besides its number of examples; those of `BaseTask`."""

    subjects: Sequence[Any]
    limit: int | None
    seed: int
    few_shot_as: FewShotAs
    perturbation: Perturbation | None
    revision: str | None
    cue: str


def checked_options(
    name: str,
    known_subjects: Sequence[Any],
    *,
    num_fewshot: int,
    subjects: str | Sequence[Any] | None,
    limit: int | None,
    seed: int,
    few_shot_as: FewShotAs,
    perturbation: Perturbation | str | None,
    revision: str | None,
    cue: str,
) -> Options:
    """Return valid options.

    Args:
        name: The class's name.
        known_subjects: All its subjects.
        num_fewshot: The number of examples per sample.
        subjects: The selected subjects; all by default.
        limit: The maximum number of rows per subject.
        seed: The seed for drawing examples.
        few_shot_as: How examples are shown.
        perturbation: Typing errors, or their kind.
        revision: The dataset's commit.
        cue: How the cue is sent.

    Raises:
        UsageError: One is invalid.
    """
    _whole(name, "num_fewshot", num_fewshot, 0)
    if limit is not None:
        _whole(name, "limit", limit, 1)
    _one_of(name, "few_shot_as", few_shot_as, get_args(FewShotAs))
    _one_of(name, "cue", cue, MODES)
    return Options(
        subjects=_chosen(name, known_subjects, subjects),
        limit=limit,
        seed=seed,
        few_shot_as=few_shot_as,
        perturbation=Perturbation(perturbation) if isinstance(perturbation, str) else perturbation,
        revision=revision,
        cue=cue,
    )


def _chosen(name: str, known: Sequence[Any], wanted: str | Sequence[Any] | None) -> list[Any]:
    by_text = {subject_text(subject): subject for subject in known}
    if wanted is None:
        return list(by_text.values())
    texts = list(map(subject_text, one_or_several(wanted)))
    if not texts:
        raise UsageError(f"{name}: subjects={wanted!r}: expected one at least, or None for all of them.")
    for text in texts:
        if text not in by_text:
            close = get_close_matches(text, by_text, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            there = ", ".join(text for text in by_text if text != NO_SUBJECT) or "none"
            raise UsageError(f"{name}: unknown subject {text!r}.{hint} Subjects: {there}.")
    return [by_text[text] for text in dict.fromkeys(texts)]


def _whole(name: str, option: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{name}: {option}={value!r}: expected a whole number of {least} or more.")


def _one_of(name: str, option: str, value: object, valid: Sequence[str]) -> None:
    if value not in valid:
        raise UsageError(f"{name}: {option}={value!r}: expected one of {', '.join(valid)}.")
