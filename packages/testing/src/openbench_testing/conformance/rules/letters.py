"""The letters of right answers: each is right as often as chance."""

from collections import Counter
from collections.abc import Mapping

from openbench_testing.conformance import binomial
from openbench_testing.conformance.evidence import Evidence
from openbench_testing.conformance.outcome import InapplicableError, Remark

_OUTSIDE = 0.001  # of the two-sided test, over all letters together
_TOLERATED = 0.1  # above chance, if the source publishes the letters


def letters(evidence: Evidence) -> str | None:
    """On all rows, a model that always answers with the same letter scores at chance, tested at 99.9 %.

    The test is two-sided, and the letters share its 0.1 %. The probability that a letter is right for a sample is 1 /
    (number of options); the test uses the mean over all samples, which is exact if they have the same number of
    options, and otherwise errs on the side of chance (see `binomial`).

    A published key may be skewed. If the rows themselves contain the letters, none may be right more than ten points
    above chance; labels, which are options shared by many questions, are right as often as their classes occur. For
    both, a remark reports the skew. A constant key always fails.
    """
    if not evidence.letters or not all(of.present for of in evidence.letters):
        raise InapplicableError(f"its rows are not stored; run bench data pull {evidence.key}")
    first, second = evidence.letters
    if first.error or second.error:
        return f"the task cannot be built from its rows: {first.error or second.error}"
    if first.digest != second.digest:
        return (
            "its rows give other samples in another process (hash seeds 1 and 2). Neither hash() nor the order of a "
            "set is stable: seed every shuffle with the sample's own text (openbench.tasks.mcq.shuffled_options)."
        )
    everything = Counter(first.texts) + Counter(first.labels)
    if not everything:
        raise InapplicableError("its prompts offer no lettered options")
    remedy = "Shuffle the options by a digest of the question (openbench.tasks.mcq.shuffled_options)."
    if (constant := _constant(everything)) is not None:
        return f"the right letter is {constant} for all {everything.total()} rows. {remedy}"
    biased = _beyond_chance(first.texts)
    if first.published:
        biased = {letter: share for letter, share in biased.items() if share - _chance(first.texts) > _TOLERATED}
    if biased:
        shares = " and ".join(f"{letter} is right for {share:.1%}" for letter, share in biased.items())
        return f"{shares} of {sum(first.texts.values())} rows; chance is {_chance(first.texts):.1%}. {remedy}"
    shares = ", ".join(f"{letter} {share:.1%}" for letter, share in _shares(everything).items())
    skewed = _beyond_chance(everything)
    why = " (labels)" if first.labels and not _beyond_chance(first.texts) else " (published key)"
    return Remark(f"{everything.total()} rows, {shares}; chance {_chance(everything):.1%}{why if skewed else ''}")


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the share of samples for which each letter is right."""
    total = sum(counts.values())
    offered = {letter for key in counts for letter in key.partition(" ")[0]}
    return {letter: _right(counts, letter) / total for letter in sorted(offered)}


def _chance(counts: Mapping[str, int]) -> float:
    """Return the score of a model that answers with a random offered letter."""
    by_key = ((*map(len, key.split(" ")), count) for key, count in counts.items())
    return sum(right / offered * count for offered, right, count in by_key) / sum(counts.values())


def _right(counts: Mapping[str, int], letter: str) -> int:
    return sum(count for key, count in counts.items() if letter in key.partition(" ")[2])


def _constant(counts: Mapping[str, int]) -> str | None:
    """Return the letter that is right for every sample, unless this may be chance."""
    total = sum(counts.values())
    always = (letter for letter in _shares(counts) if _right(counts, letter) == total)
    return next((letter for letter in always if _chance(counts) ** total < _OUTSIDE), None)


def _beyond_chance(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the shares of the letters that are right more or less often than chance, given where they are offered."""
    shares = _shares(counts) if counts else {}
    beyond = {}
    for letter, share in shares.items():
        offering = {key: count for key, count in counts.items() if letter in key.partition(" ")[0]}
        right, trials, chance = _right(offering, letter), sum(offering.values()), _chance(offering)
        tail = min(binomial.at_least(right, trials, chance), binomial.at_most(right, trials, chance))
        if tail < _OUTSIDE / 2 / len(shares):
            beyond[letter] = share
    return beyond
