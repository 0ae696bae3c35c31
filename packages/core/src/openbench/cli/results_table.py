"""The results of a run and of its suites, as a table for people or JSON for machines."""

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from math import inf, isfinite
from pathlib import Path
from typing import Any

import typer
from inspect_ai.log import EvalLog
from rich.console import Console
from rich.table import Table

from openbench.cli.layout import GAP, cut, money, terminal_width
from openbench.cli.options import echo_json
from openbench.errors import FAILED, INTERRUPTED, SUCCESS
from openbench.redaction import redacted_text
from openbench.registry.names import escaped, is_path
from openbench.run.executor import Result
from openbench.run.paths import display_path, is_remote
from openbench.run.summary import Summary, labelled, summarize
from openbench.scorers.reasons import TRUNCATED, notes_on

_HEAD = (
    *("benchmark", "model", "metric", "score", "answered", "truncated", "unscored", "errors", "missing", "cost"),
    *("tokens", "time"),
)
_SHOWN_IF_ANY = {"truncated", "unscored", "errors", "missing", "cost"}

_WHOLE = 100_000  # columns, where no terminal limits them
_UNSCORED_MOST = 120
_FEW_CLUSTERS = 20  # below, clustered standard errors are too small on average
_NONE = frozenset({"0", "-"})


def report(summaries: Sequence[Summary], suites: Sequence[Any] = (), *, as_json: bool, run: Path | None = None) -> int:
    """Write the results of runs, then those of suites.

    Returns:
        The exit code: 0 if every run succeeded with a sample at least, no score is other than a number and every suite
        is complete, 130 if a run was interrupted, else 1.
    """
    if any(summary.status == "cancelled" for summary in summaries) and sys.stderr.isatty():
        typer.echo(err=True)  # the terminal has written ^C, and the cursor is behind it
    if as_json:
        echo_json([*map(asdict, summaries), *map(asdict, suites)])
    elif any(summary.log for summary in summaries):
        _write_table(summaries, suites)
    several = len({summary.model for summary in summaries}) > 1
    for summary in summaries:
        name = f"{summary.benchmark}, {summary.model}" if several else summary.benchmark
        own = summary.error and not summary.log  # what could not start names itself
        for problem in _problems(summary):
            typer.echo(f"bench: {problem}" if own else f"bench: {name}: {problem}", err=True)
        if summary.error_sample is not None:
            typer.echo(_why_ended(summary), err=True)
    _write_ways_on(summaries, run)
    for suite in suites:
        if suite.missing:
            reasons = ", ".join(f"{member} ({reason})" for member, reason in suite.missing.items())
            typer.echo(f"bench: {suite.suite}: incomplete, so it has no score: {reasons}", err=True)
    statuses = {summary.status for summary in summaries}
    if "cancelled" in statuses:
        return INTERRUPTED
    nothing = any((each.samples and not each.completed) or _has_no_figure(each) for each in summaries)
    whole = all(suite.status == "success" for suite in suites)
    return SUCCESS if statuses <= {"success"} and whole and not nothing else FAILED


def summary_of(result: Result, cost: Callable[[EvalLog], float | None] | None = None) -> Summary:
    """Return the summary of a job, also of one that could not start; see `summarize`."""
    if result.log is not None:
        return summarize(result.log, cost)
    reference = result.job.benchmark
    name = Path(reference).stem if is_path(reference) else reference.partition("@")[0]
    status, error = ("error", redacted_text(str(result.error))) if result.error else ("cancelled", None)
    return Summary(benchmark=name, model=result.job.model.name, status=status, error=error)


def _write_table(summaries: Sequence[Summary], suites: Sequence[Any]) -> None:
    versions = {(summary.benchmark, summary.version) for summary in summaries}
    several = {name for name, count in Counter(name for name, _ in versions).items() if count > 1}
    rows = [_row(summary, versioned=summary.benchmark in several) for summary in summaries]
    rows += map(_suite_row, suites)
    names = [name for name in _HEAD if name not in _SHOWN_IF_ANY or any(row[name] not in _NONE for row in rows)]
    table = Table(box=None, header_style="", pad_edge=False, padding=(0, len(GAP), 0, 0))
    for name in names:
        number = names.index(name) >= names.index("score")
        table.add_column(name, justify="right" if number else "left", no_wrap=number, overflow="fold")
    for row in rows:
        table.add_row(*(escaped(row[name]) for name in names))
    width = terminal_width() if sys.stdout.isatty() else _WHOLE
    Console(file=sys.stdout, width=width, markup=False, emoji=False, highlight=False).print(table)
    for summary in summaries:
        if summary.log:
            typer.echo(display_path(summary.log))
    signatures = {(each.benchmark, each.metric): each.signatures.get(each.metric or "") for each in summaries}
    for (benchmark, metric), signature in signatures.items():
        if signature:
            typer.echo(f"{benchmark}: {metric} is {signature}")


def _problems(summary: Summary) -> Iterator[str]:
    """Yield the problems of a run, and notes on its figures."""
    if summary.status == "cancelled":
        done = f"interrupted after {summary.completed} of {summary.samples} samples"
        yield f"{done}." if summary.log else "not started."
    elif summary.error:
        of = "" if summary.error_sample is None else f"sample {summary.error_sample!r}: "
        yield f"{of}{' '.join(summary.error.split())}"
    elif summary.errors:
        yield f"{_failed(summary)}, which the log holds. The first: {summary.first_error}"
    if summary.limits:
        kinds = ", ".join(f"{kind} limit: {count}" for kind, count in summary.limits.items())
        count = f"{sum(summary.limits.values())} of {summary.samples}"
        yield f"{count} samples reached a limit and were scored as they were ({kinds})."
    again = [f"requests sent again: {summary.retries}, after {summary.waited:.1f} s of waiting"] * bool(summary.retries)
    again += [f"samples run again after an error: {summary.run_again}"] * bool(summary.run_again)
    if again:
        yield f"{'; '.join(again)}."
    if summary.unscored:
        first = summary.first_unscored
        more = f", see the log. The first: {cut(first, _UNSCORED_MOST)}" if first else "."
        yield f"{summary.unscored} of {summary.completed} samples have no score that counts{more}"
    for scorer, figures in summary.metrics.items():
        if 1 < (clusters := figures.get("clusters", inf)) < _FEW_CLUSTERS:
            yield (
                f"{scorer}: the clustered standard error is of {clusters:.0f} clusters. Below {_FEW_CLUSTERS} it is "
                "too small on average: use clustered_lower and clustered_upper."
            )
    if _has_no_figure(summary):
        yield f"its {summary.metric} is not a number."
    yield from notes_on(summary.stop_reasons, summary.answered, summary.completed)


def _failed(summary: Summary) -> str:
    return f"{summary.errors} of {summary.samples} samples ended in an error"


def _why_ended(summary: Summary) -> str:
    """Explain that a sample's error ended a run, and how to continue."""
    if summary.tolerated is None or isinstance(summary.tolerated, bool):
        return "A sample's error ends the run; with --no-fail-on-error, it continues without the sample."
    option = f"--fail-on-error {summary.tolerated:g}"
    return f"{_failed(summary)}, at which {option} ends the run; with --no-fail-on-error, it continues without them."


def _write_ways_on(summaries: Sequence[Summary], run: Path | None) -> None:
    """Write the commands that continue incomplete runs: of the run or, without one, of each log."""
    incomplete = [summary for summary in summaries if summary.status != "success" or summary.errors]
    commands = [f"eval-retry {shlex.quote(display_path(summary.log))}" for summary in incomplete if summary.log]
    if run and run.is_dir():
        commands = [f"eval --resume {shlex.quote(display_path(str(run)))}"] if incomplete else []
    for command in commands:
        typer.echo(f"Continue with: bench {command}", err=True)
    if run and run.is_dir() and any(is_remote(summary.log) for summary in summaries):
        typer.echo(f"Every sample is also on this machine, in {display_path(str(run))}", err=True)


def _row(summary: Summary, *, versioned: bool) -> dict[str, str]:
    # A run that stopped early by its own rule has no missing samples.
    missing = 0 if summary.status == "success" else max(summary.samples - summary.completed - summary.errors, 0)
    return {
        "benchmark": f"{summary.benchmark} {summary.version}" if versioned else summary.benchmark,
        "model": summary.model,
        "metric": _metric(summary),
        "score": _score(summary),
        "answered": "-" if summary.answered is None else f"{summary.answered:.1%}",
        "truncated": "-" if summary.answered is None else str(summary.stop_reasons.get(TRUNCATED, 0)),
        "unscored": "-" if summary.unscored is None else str(summary.unscored),
        "errors": f"{summary.errors:,}",
        "missing": f"{missing:,}",
        "cost": "-" if summary.cost is None else money(summary.cost),
        "tokens": f"{summary.input_tokens + summary.output_tokens:,}",
        "time": f"{summary.seconds:.0f} s",
    }


def _suite_row(suite: Any) -> dict[str, str]:
    own = {"benchmark": suite.suite, "model": suite.model, "metric": _metric(suite), "score": _score(suite)}
    return {**dict.fromkeys(_HEAD, "-"), **own}


def _metric(summary: Any) -> str:
    return labelled(summary.metric, higher_is_better=summary.higher_is_better) if summary.metric else "-"


def _score(summary: Any) -> str:
    if summary.status != "success":
        return str(summary.status)
    if summary.score is None or not isfinite(summary.score):
        return "-"
    known = summary.stderr is not None and isfinite(summary.stderr)
    return f"{summary.score:.3f}" + (f" ± {summary.stderr:.3f}" if known else "")


def _has_no_figure(summary: Summary) -> bool:
    """Return whether a scored run has no finite score."""
    return summary.status == "success" and summary.score is not None and not isfinite(summary.score)
