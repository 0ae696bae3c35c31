"""The samples: they load offline, keep their ids, and do not reveal their answers."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from openbench_testing.conformance import binomial
from openbench_testing.conformance.evidence import Evidence, Shown
from openbench_testing.conformance.rules.scores import failure, lettered, named, right_ids

_WORDS = re.compile(r"\W+")
_SHORTEST = 3
_SEED = "Seed every shuffle with the sample's own text (openbench.tasks.mcq.shuffled_options)."


def offline(evidence: Evidence) -> str | None:
    """The task builds from the package's sample rows, without a network."""
    attempt = next((attempt for built in evidence.builds for attempt in built.attempts), None)
    if attempt:
        return (
            f"building the task from its sample rows uses the network ({attempt}). Read all rows through "
            "openbench.datasets (MCQEval, read_rows), which then reads the sample rows instead."
        )
    if not all(built.samples for built in evidence.builds):
        dataset = evidence.metadata.dataset
        of_file = "test" if dataset and dataset.type != "hf" else "<split>"  # a file without splits has any one
        split = (dataset and dataset.split) or of_file
        place = Path(evidence.beside or evidence.package, "samples", evidence.key.replace("-", "_"), f"{split}.jsonl")
        return f"it ships no sample rows. Write a few, with the source's columns, in {place.as_posix()}."
    return evidence.build_error and f"the task cannot be built from its sample rows: {evidence.build_error}"


def ids(evidence: Evidence) -> str | None:
    """Every sample has a unique id, which identifies the same sample in every process."""
    first, second = evidence.builds
    remedy = "Leave ids to openbench.datasets.load_samples, or use the source's own."
    if None in first.ids:
        return f"{first.ids.count(None)} of {len(first.ids)} samples have no id. {remedy}"
    # By text, since 1 and "1" have one name in a log.
    repeated = [id_ for id_, count in Counter(map(str, first.ids)).items() if count > 1]
    if repeated:
        return f"several samples have the same id: {named(repeated)}. {remedy}"
    for before, after in zip(first.ids, second.ids, strict=False):
        if before != after:
            return (
                f"a sample has the id {before!r} in one process and {after!r} in the next (hash seeds 1 and 2). "
                f"Neither hash() nor the order of a set is stable. {remedy}"
            )
    contents = zip(first.ids, first.contents, second.contents, strict=False)
    changed = [str(id_) for id_, before, after in contents if before != after]
    if changed or len(first.ids) != len(second.ids):
        return f"ids have other prompts or targets in another process: {named(changed) or 'some are missing'}. " + _SEED
    if first.reversed_options is not None and Counter(first.options) != Counter(first.reversed_options):
        return f"options have another order, or another target, when the rows are in reverse. {_SEED}"
    return None


def leak(evidence: Evidence) -> str | None:
    """The prompt does not reveal the answer.

    For samples with lettered options: the prompt itself, given as the answer, is not right on all of them, nor more
    often than chance at 99.9 %. This detects an answer that the scorer would read in the last message, but not an
    answer in other words or biased letters.

    For other samples: no target of at least three characters occurs as whole words in the system and user messages,
    ignoring case and punctuation, except in the text that `passage(sample)` of the task's module returns. A label that
    the instruction lists is not a leak: a target that every sample with another target is also shown, or, if tasks have
    their own labels, one that is shown in both samples together with the target of the other. This does not detect
    paraphrases, other spellings or shorter targets.
    """
    revealed = [shown.id for shown in evidence.shown if not shown.options and _reveals(shown, evidence.shown)]
    if revealed:
        return (
            f"the prompt contains the target of {named(revealed)}. Remove it from the prompt; if it is part of a text "
            "that the question is about, define passage(sample) in the task's module, or waive the check with a "
            "reason."
        )
    return _echoed(evidence)


def _echoed(evidence: Evidence) -> str | None:
    offered = lettered(evidence)
    if not offered:
        return None
    if complaint := failure(evidence, "echo"):
        return complaint
    right = [id_ for id_ in right_ids(evidence, "echo") if id_ in offered]
    chance = sum(1 / count for count in offered.values()) / len(offered)
    _, most = binomial.interval(len(offered), chance)
    if len(right) > most or len(right) == len(offered):
        return (
            f"the prompt, given as the answer, is right on {len(right)} of {len(offered)} samples with lettered "
            f"options ({named(right)}); chance is {chance:.2f}. Remove the answer from the prompt; if this is luck, "
            "add sample rows."
        )
    return None


def _reveals(shown: Shown, others: Sequence[Shown]) -> bool:
    return any(
        len(_folded(target)) >= _SHORTEST and _occurs(target, shown.text) and not _label(target, shown, others)
        for target in shown.targets
    )


def _label(target: str, shown: Shown, others: Sequence[Shown]) -> bool:
    """Return whether a target is shown in all samples with other targets, or in one whose target is shown here."""
    folded = _folded(target)
    different = [other for other in others if folded not in map(_folded, other.targets)]
    too = [other for other in different if _occurs(target, other.text)]
    return bool(too) and (too == different or any(_occurs(own, shown.text) for each in too for own in each.targets))


def _occurs(target: str, text: str) -> bool:
    words = _folded(target)
    return bool(words) and f" {words} " in f" {_folded(text)} "


def _folded(text: str) -> str:
    return _WORDS.sub(" ", text.casefold()).strip()
