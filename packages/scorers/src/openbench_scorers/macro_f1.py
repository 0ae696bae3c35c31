"""Classification: the predicted label, and F1 averaged over the labels with equal weight."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.metrics.means import mean_of
from openbench.scorers.matching import fold, without_target
from openbench.scorers.mcq import offered_options, score_mcq
from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.languages import ANY
from openbench_scorers.responses import MARKUP, response

_FEWEST = 2

GOLD_KEY = "gold"
"""The key of a score's metadata that holds the correct label; its answer is the model's label."""


@metric(name="macro_f1", scores="unreduced")
def mean_f1(labels: Sequence[str] | None = None) -> Metric:
    """Report the mean of the labels' F1, from 0 to 1, higher is better; every epoch counts separately.

    It reads the model's label from a score's `answer`, and the correct one from its `metadata["gold"]`; scores without
    the latter are excluded. See `macro_f1_of` for the definition.

    Args:
        labels: The labels to average over; by default those that are correct for some sample.

    Raises:
        UsageError: The list of labels is empty.
    """
    if labels is not None and not labels:
        raise UsageError("macro_f1: labels=[]: expected at least one label, or None for all labels that occur.")

    def calculate(scores: list[SampleScore]) -> Value:
        pairs = [
            (str(score.score.metadata[GOLD_KEY]), score.score.answer)
            for score in scores
            if score.score.metadata and score.score.metadata.get(GOLD_KEY) is not None
        ]
        return macro_f1_of(pairs, labels)

    return calculate


def macro_f1_of(pairs: Iterable[tuple[str, str | None]], labels: Sequence[str] | None = None) -> float:
    """Return the mean over labels of F1 = 2 * true positives / (2 * true positives + false positives + misses).

    Args:
        pairs: The correct and the predicted label of each sample. A predicted label of None is a miss of the correct
            label, and not a false positive.
        labels: The labels to average over; by default those that are correct for some sample. A predicted label that
            is not among them makes its sample a miss, and has no F1 of its own.

    Returns:
        A value from 0 to 1. A label that is neither correct nor predicted anywhere has an F1 of 0; without labels the
        mean is NaN.
    """
    pairs = list(pairs)
    right = Counter(gold for gold, _ in pairs)
    given = Counter(label for _, label in pairs)
    hits = Counter(gold for gold, label in pairs if gold == label)
    names = sorted(right) if labels is None else list(dict.fromkeys(labels))
    return mean_of([_ratio(2 * hits[name], right[name] + given[name]) for name in names])


def _ratio(numerator: int, denominator: int) -> float:
    return numerator / denominator if denominator else 0.0


def score_label(completion: str, targets: Sequence[str], labels: Sequence[str]) -> Score:
    """Compare the predicted label with the correct one, ignoring case.

    The label is the whole completion, or the text after the last `label:`, `answer:` or similar, or else the only label
    that the completion names. If labels overlap (`negative`, `not negative`), the longest counts.

    Args:
        completion: The model's completion.
        targets: The correct label; of several, the first counts for the metric.
        labels: All labels.

    Returns:
        Correct or incorrect, with the label as the answer and the correct one in the metadata, for `mean_f1`. Unscored
        if the target is not among the labels.
    """
    if not targets or not targets[0].strip():
        return without_target(completion)
    names = {_folded(label): label for label in labels}
    gold = names.get(_folded(targets[0]))
    if gold is None:
        return unscored(f"the target {targets[0]!r} is not one of the labels {', '.join(labels)}.")
    predicted = names.get(_read(response(completion), sorted(names, key=len, reverse=True)) or "")
    return Score(
        value=CORRECT if predicted == gold else INCORRECT,
        answer=predicted,
        reason=None if predicted else unanswered(completion),
        metadata={GOLD_KEY: gold},
    )


@scorer(metrics=[mean_f1()])
def macro_f1(labels: Sequence[str] | None = None) -> Scorer:
    """Score with `score_label`, and report F1 averaged over the labels (`mean_f1`).

    Args:
        labels: All labels, at least two; by default the letters of each sample's options, read as in
            `openbench.scorers.mcq`.

    Raises:
        UsageError: There are fewer than two labels, or two that differ only in case.
    """
    if labels is None:
        return _letters()
    if len({_folded(label) for label in labels} - {""}) < max(_FEWEST, len(labels)):
        raise UsageError(f"labels={list(labels)}: expected at least two distinct labels.")
    known = list(labels)

    async def score(state: TaskState, target: Target) -> Score:
        return score_label(state.output.completion, list(target), known)

    return score


def _letters() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        completion, options = state.output.completion, offered_options(state)
        gold = target.text.strip().upper()
        if not gold:
            return without_target(completion)
        if gold not in options:
            known = f"of the options {', '.join(options)}" if options else "of the options: the sample has none"
            return unscored(
                f"the target {target.text!r} is not one {known}. Name the labels (labels=[...]).", completion
            )
        found = score_mcq(completion, gold, options, language=ANY)
        return found.model_copy(update={"metadata": {GOLD_KEY: gold}})

    return score


def _read(text: str, longest_first: Sequence[str]) -> str | None:
    """Return the label in a text, folded."""
    folded = _folded(text)
    if folded in longest_first:
        return folded
    any_label = "|".join(map(re.escape, longest_first))
    announced = re.findall(
        rf"\b(?:label|answer|class|category|sentiment)\W{{0,4}}(?:is\W{{0,4}})?({any_label})(?!\w)", folded
    )
    if announced:
        return str(announced[-1])
    named = set(re.findall(rf"(?<!\w)(?:{any_label})(?!\w)", folded))
    return str(named.pop()) if len(named) == 1 else None


def _folded(text: str) -> str:
    return fold(text).strip(f"{MARKUP}?")
