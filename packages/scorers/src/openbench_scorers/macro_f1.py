"""Classification: the predicted label, for F1 averaged over the labels."""

import re
from collections.abc import Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.metrics.rates import GOLD_KEY
from openbench.metrics.rates import macro_f1 as macro_f1_metric
from openbench.scorers.matching import MARKUP, fold, without_target
from openbench.scorers.mcq import offered_options, score_mcq
from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.languages import ANY
from openbench_scorers.responses import response

_FEWEST = 2


def score_label(completion: str, targets: Sequence[str], labels: Sequence[str]) -> Score:
    """Compare the predicted label with the right one, ignoring case.

    The label is the whole completion, or what follows the last `label:`, `answer:` or the like, or else the only one of
    the labels that the completion names. If labels overlap (`negative`, `not negative`), the longest counts.

    Args:
        completion: The model's completion.
        targets: The right label; if there are several, the first counts for the metric.
        labels: All labels.

    Returns:
        Correct or incorrect, with the label as the answer and the right one in the metadata, where
        `openbench.metrics.macro_f1` finds them. Unscored if the target is not among the labels.
    """
    if not targets or not targets[0].strip():
        return without_target(completion)
    names = {_folded(label): label for label in labels}
    gold = names.get(_folded(targets[0]))
    if gold is None:
        return unscored(f"the target {targets[0]!r} is none of the labels {', '.join(labels)}.")
    predicted = names.get(_read(response(completion), sorted(names, key=len, reverse=True)) or "")
    return Score(
        value=CORRECT if predicted == gold else INCORRECT,
        answer=predicted,
        reason=None if predicted else unanswered(completion),
        metadata={GOLD_KEY: gold},
    )


@scorer(metrics=[macro_f1_metric()], builtin=True)
def macro_f1(labels: Sequence[str] | None = None) -> Scorer:
    """Score with `score_label`, and report F1 averaged over the labels (`openbench.metrics.macro_f1`).

    Args:
        labels: All labels, at least two; by default the letters of the options that each sample offers, read as
            `openbench.scorers.mcq` reads them.

    Raises:
        UsageError: There are fewer, or two that differ only in case.
    """
    if labels is None:
        return _letters()
    if len({_folded(label) for label in labels} - {""}) < max(_FEWEST, len(labels)):
        raise UsageError(f"labels={list(labels)}: expected two labels at least, each of its own.")
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
            known = f"the options {', '.join(options)}" if options else "the options, since it offers none"
            return unscored(
                f"the target {target.text!r} is none of {known}. Name the labels (labels=[...]).", completion
            )
        found = score_mcq(completion, gold, options, language=ANY)
        return found.model_copy(update={"metadata": {GOLD_KEY: gold}})

    return score


def _read(text: str, longest_first: Sequence[str]) -> str | None:
    """Return the label that a text gives, folded."""
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
