"""The letters of right answers: none is right more or less often than chance."""

from collections import Counter
from collections.abc import Mapping

from openbench_testing.conformance import binomial
from openbench_testing.conformance.evidence import Evidence
from openbench_testing.conformance.outcome import InapplicableError, Remark

_OUTSIDE = 0.001  # of the two-sided test, over all letters together
_TOLERATED = 0.1  # above chance, where the source publishes the letters


def letters(evidence: Evidence) -> str | None:
    """On all rows, a model that always gives the same letter scores within chance at 99.9 %.

    The test is two-sided, and the letters share its 0.1 %. A letter is right for a sample with a probability of one in
    the number of its options; the test uses the mean over all samples, which is exact if they have equally many, and
    otherwise errs on the side of chance (see `binomial`).

    A published key may be skewed. If the rows themselves name the letters, none may be right more than ten points above
    chance; labels, which are the same options for many questions, have the frequency of their classes. For both, a
    remark reports the skew. A key that never changes always fails.
    """
    if not evidence.letters or not all(of.present for of in evidence.letters):
        raise InapplicableError(f"its rows are not present; bench data pull {evidence.key} stores them")
    first, second = evidence.letters
    if first.error or second.error:
        return f"the task cannot be built from its rows: {first.error or second.error}"
    if first.digest != second.digest:
        return (
            "its rows make other samples in the next process (hash seeds 1 and 2). Neither hash() nor the order of a "
            "set is stable: seed every shuffle with the sample's own text (openbench.tasks.mcq.shuffled_options)."
        )
    everything = Counter(first.texts) + Counter(first.labels)
    if not everything:
        raise InapplicableError("its prompts offer no lettered options")
    way_out = "Shuffle the options by a digest of the question (openbench.tasks.mcq.shuffled_options)."
    if (constant := _constant(everything)) is not None:
        return f"the right letter of all {everything.total()} rows is {constant}. {way_out}"
    biased = _beyond_chance(first.texts)
    if first.published:
        biased = {letter: share for letter, share in biased.items() if share - _chance(first.texts) > _TOLERATED}
    if biased:
        told = " and ".join(f"{letter} is right of {share:.1%}" for letter, share in biased.items())
        return f"{told} of {sum(first.texts.values())} rows, where chance is {_chance(first.texts):.1%}. {way_out}"
    told = ", ".join(f"{letter} {share:.1%}" for letter, share in _shares(everything).items())
    skewed = _beyond_chance(everything)
    why = " (labels)" if first.labels and not _beyond_chance(first.texts) else " (published key)"
    return Remark(f"{everything.total()} rows, {told}; chance {_chance(everything):.1%}{why if skewed else ''}")


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    """Return of how many of all samples each letter is right."""
    total = sum(counts.values())
    offered = {letter for key in counts for letter in key.partition(" ")[0]}
    return {letter: _right(counts, letter) / total for letter in sorted(offered)}


def _chance(counts: Mapping[str, int]) -> float:
    """Return what a model scores that gives any offered letter."""
    by_key = ((*map(len, key.split(" ")), count) for key, count in counts.items())
    return sum(right / offered * count for offered, right, count in by_key) / sum(counts.values())


def _right(counts: Mapping[str, int], letter: str) -> int:
    return sum(count for key, count in counts.items() if letter in key.partition(" ")[2])


def _constant(counts: Mapping[str, int]) -> str | None:
    """Return the letter that is right of every sample, if chance would not give that."""
    total = sum(counts.values())
    always = (letter for letter in _shares(counts) if _right(counts, letter) == total)
    return next((letter for letter in always if _chance(counts) ** total < _OUTSIDE), None)


def _beyond_chance(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the share of letters that are right more often, or less, than chance gives where they are offered."""
    shares = _shares(counts) if counts else {}
    beyond = {}
    for letter, share in shares.items():
        offering = {key: count for key, count in counts.items() if letter in key.partition(" ")[0]}
        right, trials, chance = _right(offering, letter), sum(offering.values()), _chance(offering)
        tail = min(binomial.at_least(right, trials, chance), binomial.at_most(right, trials, chance))
        if tail < _OUTSIDE / 2 / len(shares):
            beyond[letter] = share
    return beyond
