"""Judges the runs of a candidate by the rules of a gate.

A rule of scores passes if a one-sided test at 5 % shows it: if the 90 % interval lies on the right side. It fails if
the interval lies on the wrong side, and is inconclusive else. A gate passes if all of its rules do. That needs no
adjustment for their number: the chance to pass a candidate that should fail is at most that of the rule it should
fail by (intersection-union; Berger 1982, Multiparameter hypothesis testing and acceptance sampling, Technometrics 24).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from openbench.cli.layout import money
from openbench.errors import LogError, UsageError
from openbench_analysis.alignment import align, caveats, refusals
from openbench_analysis.comparison import Method, Paired, infer, pair
from openbench_analysis.figures import RunFigures, figures_of
from openbench_analysis.gate.config import GateSettings, Rules
from openbench_analysis.inference import NOT_TESTED
from openbench_analysis.runs import Run
from openbench_analysis.statistics import (
    Estimate,
    Interval,
    components_of,
    epochs_needed,
    samples_needed_for_margin,
)
from openbench_analysis.statistics.results import normal_quantile
from openbench_analysis.systems import System
from openbench_analysis.toml_settings import did_you_mean

Outcome = Literal["pass", "fail", "inconclusive"]

LEVEL = 0.9
"""The level of two-sided intervals whose each end is a one-sided test at 5 %."""
_POWER = 0.8
_MOST_MISSING = 0.01
"""The share of samples without a score above which no rule of scores passes: those that failed may be the hard ones."""


@dataclass(frozen=True)
class Verdict:
    """The result of one rule.

    Attributes:
        benchmark: The benchmark.
        rule: The rule's key.
        required: What it asks for.
        observed: What was found.
        outcome: Whether that is enough.
        reason: Why it is not, and what would settle it; empty if it passes.
    """

    benchmark: str
    rule: str
    required: str
    observed: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True)
class Decision:
    """The result of a gate.

    Attributes:
        candidate: The label of the system that was judged.
        baseline: That of the baseline; None if no rule needs one.
        verdicts: What came of each rule.
        notes: What differs between the runs, or cannot be checked.
    """

    candidate: str
    baseline: str | None
    verdicts: Sequence[Verdict]
    notes: Sequence[str]

    @property
    def outcome(self) -> Outcome:
        """`fail` if any rule failed, else `inconclusive` if any is, else `pass`."""
        outcomes = {verdict.outcome for verdict in self.verdicts}
        return "fail" if "fail" in outcomes else "inconclusive" if "inconclusive" in outcomes else "pass"


def judge(settings: GateSettings, candidate: System, baseline: System | None = None) -> Decision:
    """Judge a candidate.

    Args:
        settings: The rules.
        candidate: Its runs.
        baseline: The runs of the baseline, if a rule needs them.

    Raises:
        UsageError: A floor is set where lower is better, or a ceiling where higher is.
    """
    verdicts: list[Verdict] = []
    notes: list[str] = []
    for name, rules in settings.benchmarks.items():
        run = candidate.runs.get(name)
        if run is None or run.log.status != "success" or run.headline is None:
            verdicts += _unjudged(name, rules, _lacking(name, candidate, run))
            continue
        before = baseline.runs.get(name) if baseline else None
        missing, total = _missing(run, before)
        verdicts += (_regarding(each, missing, total) for each in _verdicts(name, rules, run, before))
        notes += [f"{name}: {missing:,} of {total:,} samples have no score"] if missing else []
        notes += [f"{name}: {each}" for each in caveats(before, run)] if before and rules.margin else []
    return Decision(candidate.label, baseline.label if baseline else None, verdicts, notes)


def _lacking(name: str, candidate: System, run: Run | None) -> str:
    if run is None:
        return f"{candidate.label} has no run of it{did_you_mean(name, candidate.runs)}: run it with bench eval"
    if run.log.status != "success":
        return f"the run is not complete, its status is {run.log.status}: resume it with bench eval-retry"
    return "the run has no score: score it with bench score"


def _unjudged(name: str, rules: Rules, reason: str) -> Iterator[Verdict]:
    for rule, value in rules.model_dump(exclude={"exact"}, exclude_none=True).items():
        yield Verdict(name, rule, _required(rule, value), "-", "inconclusive", reason)


def _verdicts(name: str, rules: Rules, run: Run, before: Run | None) -> Iterator[Verdict]:
    figures = figures_of(run, level=LEVEL)
    if rules.margin is not None:
        yield _margin(name, rules.margin, run, before)
    if rules.floor is not None or rules.ceiling is not None:
        yield _bound(name, rules, run, figures)
    if rules.min_answered is not None:
        yield _limit(name, "min_answered", rules.min_answered, figures.answered, "the log does not say it")
    if rules.max_truncated is not None:
        share = figures.truncated / figures.results
        yield _limit(name, "max_truncated", rules.max_truncated, share, "")
    if rules.max_cost is not None:
        why = "its models have no prices: write them to [tool.openbench.prices]"
        yield _limit(name, "max_cost", rules.max_cost, figures.cost, why)
    if rules.max_seconds is not None:
        yield _limit(name, "max_seconds", rules.max_seconds, figures.seconds, "")


def _missing(run: Run, before: Run | None) -> tuple[int, int]:
    """Return how many samples have no score in the run, or are in the baseline alone, and how many there are."""
    unscored = sum(not math.isfinite(score) for score in run.scores.values())
    absent = align(before, run).only_before if before else 0
    return unscored + absent, len(run.scores) + absent


def _regarding(verdict: Verdict, missing: int, total: int) -> Verdict:
    """Return a verdict that does not pass a rule of scores if many samples are unscored."""
    of_scores = verdict.rule in {"margin", "floor", "ceiling"}
    if not of_scores or verdict.outcome != "pass" or missing <= _MOST_MISSING * total:
        return verdict
    reason = (
        f"{missing:,} of {total:,} samples have no score, more than {_MOST_MISSING:.0%}: run them with bench "
        "eval-retry, or score them with bench score"
    )
    return replace(verdict, outcome="inconclusive", reason=reason)


def _limit(name: str, rule: str, bound: float, found: float | None, unknown: str) -> Verdict:
    """Hold a plain figure against its bound."""
    required = _required(rule, bound)
    if found is None:
        return Verdict(name, rule, required, "-", "inconclusive", unknown)
    held = found >= bound if rule.startswith("min") else found <= bound
    return Verdict(name, rule, required, _shown(rule, found), "pass" if held else "fail")


def _required(rule: str, value: float) -> str:
    """Return what a rule asks for."""
    if rule == "margin":
        return f"> {-value:g}"
    if rule in {"floor", "ceiling"}:
        return f"{'>' if rule == 'floor' else '<'} {value:g}"
    return f"{'>=' if rule.startswith('min') else '<='} {_shown(rule, value)}"


def _shown(rule: str, value: float) -> str:
    if rule == "max_cost":
        return money(value)
    return f"{value:.1f} s" if rule == "max_seconds" else f"{value:.1%}"


def _bound(name: str, rules: Rules, run: Run, figures: RunFigures) -> Verdict:
    """Hold the score, or its interval, against a floor or a ceiling."""
    higher = rules.floor is not None
    if higher != run.higher_is_better:
        right, direction = ("floor", "higher") if run.higher_is_better else ("ceiling", "lower")
        wrong = "floor" if higher else "ceiling"
        raise UsageError(f"{name}: {direction} is better in its metric: set a {right} in place of the {wrong}.")
    bound = rules.floor if rules.floor is not None else rules.ceiling or 0.0
    rule, sign = ("floor", 1) if higher else ("ceiling", -1)
    required, score = _required(rule, bound), figures.score or 0.0
    if rules.exact:
        held = sign * (score - bound) >= 0
        return Verdict(name, rule, required.replace(" ", "= "), f"{score:.3f}", "pass" if held else "fail")
    if figures.interval is None or figures.estimate is None:
        why = (
            "its metric is not a mean of the samples' scores and has no interval: set exact = true for the score alone"
        )
        return Verdict(name, rule, required, f"{score:.3f}", "inconclusive", why)
    outcome = _side(figures.interval, bound, sign)
    reason = "" if outcome != "inconclusive" else _more(figures.estimate, figures.scored, bound, LEVEL, "the score")
    return Verdict(name, rule, required, _range(figures.interval), outcome, reason)


def _margin(name: str, margin: float, run: Run, before: Run | None) -> Verdict:
    """Test whether a run is worse than the baseline by less than a margin."""
    sign = 1 if run.higher_is_better else -1
    required = _required("margin", margin) if sign > 0 else f"< {margin:g}"
    reason = "the baseline has no run of it" if before is None else "; ".join(refusals(before, run))
    if before is None or reason:
        return Verdict(name, "margin", required, "-", "inconclusive", reason)
    method = Method(level=LEVEL)
    try:
        paired = pair(name, before, run, method)
    except LogError as error:
        return Verdict(name, "margin", required, "-", "inconclusive", str(error).removesuffix("."))
    found = infer((before, run), paired, method)
    if found.test.method == NOT_TESTED:
        return Verdict(name, "margin", required, f"{found.interval.estimate:+.3f}", "inconclusive", found.reason or "")
    outcome = _side(found.interval, -sign * margin, sign)
    if outcome == "inconclusive":
        reason = _more(found.estimate, paired.before.size, -sign * margin, LEVEL, "the difference")
        reason += _epochs((before, run), paired, abs(found.estimate.value + sign * margin))
    return Verdict(name, "margin", required, _range(found.interval, signed=True), outcome, reason)


def _side(interval: Interval, bound: float, sign: int) -> Outcome:
    """Return whether an interval lies on the good side of a bound, the other, or on both."""
    worst, best = (interval.low, interval.high) if sign > 0 else (-interval.high, -interval.low)
    return "pass" if worst > sign * bound else "fail" if best < sign * bound else "inconclusive"


def _range(interval: Interval, *, signed: bool = False) -> str:
    form = "+.3f" if signed else ".3f"
    return f"{interval.estimate:{form}} ({interval.low:{form}} to {interval.high:{form}})"


def _more(estimate: Estimate, samples: int, bound: float, level: float, what: str) -> str:
    """Return how many samples would settle on which side of a bound a figure lies."""
    distance = abs(estimate.value - bound)
    at = f"if {what} stays at {estimate.value:.3f}"
    if not distance or not math.isfinite(estimate.standard_error):
        return f"{samples} samples do not settle it, and {at}, more of them need not"
    deviation = estimate.standard_error * math.sqrt(samples)
    usual = samples_needed_for_margin(distance, deviation, power=_POWER, alpha=(1 - level) / 2)
    # Where all samples are equal their deviation is 0, and the interval is as wide as Tango's of no difference.
    least = math.ceil(normal_quantile(level) ** 2 * max(1 - distance, 0.0) / distance)
    return f"{max(usual, least, samples + 1):,} samples would settle it {at}; there are {samples:,}"


def _epochs(runs: tuple[Run, Run], paired: Paired, distance: float) -> str:
    """Return how many epochs would settle it, if both runs have several; else an empty string."""
    of_each = [[[each.score for each in run.items[both[at]]] for both in paired.ids] for at, run in enumerate(runs)]
    lengths = {len(scores) for of in of_each for scores in of}
    whole = all(math.isfinite(score) for of in of_each for scores in of for score in scores)
    if paired.metric or len(lengths) != 1 or min(lengths) < 2 or not whole or paired.clusters or not distance:  # noqa: PLR2004
        return ""
    needed = epochs_needed(distance, len(paired.ids), components_of(*of_each), power=_POWER, level=LEVEL)
    return f", or {needed} epochs" if needed and needed > min(lengths) else ""


def counts(decision: Decision) -> Mapping[Outcome, int]:
    """Return how many rules had each outcome."""
    outcomes = [verdict.outcome for verdict in decision.verdicts]
    return {
        "pass": outcomes.count("pass"),
        "fail": outcomes.count("fail"),
        "inconclusive": outcomes.count("inconclusive"),
    }
