"""The results of a run, as a table for people or JSON for machines."""

import json
import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from math import inf, isfinite
from pathlib import Path
from typing import Any

import typer

from openbench.cli.table import columns, cut, cut_apart, display_width, money, terminal_width
from openbench.errors import FAILED, INTERRUPTED, SUCCESS
from openbench.metrics.intervals import FEW_CLUSTERS
from openbench.redaction import redacted_text
from openbench.registry.names import is_path
from openbench.run.executor import Result
from openbench.run.headline import labelled
from openbench.run.locations import is_remote, shown
from openbench.run.prices import Price
from openbench.run.stop_reasons import TRUNCATED, notes_on
from openbench.run.suites import SuiteSummary
from openbench.run.summary import Summary, summarize

_HEAD = (
    *("benchmark", "model", "metric", "score", "answered", "truncated", "unscored", "errors", "missing", "cost"),
    *("tokens", "time"),
)
_SHOWN_IF_ANY = ("truncated", "unscored", "errors", "missing", "cost")
"""The columns that are left out where they would tell nothing."""

_LEAST = 24  # to which names are cut before the tokens are left out
_LEAST_OF_ALL = 9
_UNSCORED_MOST = 120
_NONE = frozenset({"0", "-"})


def report(
    summaries: Sequence[Summary], suites: Sequence[SuiteSummary] = (), *, as_json: bool, run: Path | None = None
) -> int:
    """Write the results of runs, and those of suites after them.

    Args:
        summaries: What came of each job.
        suites: What came of each suite.
        as_json: Whether stdout gets JSON in place of a table.
        run: The directory that all jobs are recorded in, if they are in one.

    Returns:
        The exit code: 0 if every run succeeded with a sample at least, no score is other than a number and every suite
        is complete, 130 if a run was interrupted, else 1.
    """
    if any(summary.status == "cancelled" for summary in summaries) and sys.stderr.isatty():
        typer.echo(err=True)  # the terminal has written ^C, and the cursor is behind it
    if as_json:
        plain = [*map(asdict, summaries), *map(asdict, suites)]
        typer.echo(json.dumps(without_nan(plain), indent=2))
    elif any(summary.log for summary in summaries):
        _write_table(summaries, suites)
    several = len({summary.model for summary in summaries}) > 1
    for each in summaries:
        summary = replace(each, benchmark=f"{each.benchmark}, {each.model}") if several else each
        _write_problems(summary)
        for note in notes_on(summary.stop_reasons, summary.answered, summary.completed):
            typer.echo(f"bench: {summary.benchmark}: {note}", err=True)
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


def summary_of(result: Result, prices: Mapping[str, Price] | None = None) -> Summary:
    """Return the summary of a job, also of one that could not start; its cost by what models cost."""
    if result.log is not None:
        return summarize(result.log, prices)
    reference = result.job.benchmark
    name = Path(reference).stem if is_path(reference) else reference.partition("@")[0]
    status, error = ("error", redacted_text(str(result.error))) if result.error else ("cancelled", None)
    return Summary(benchmark=name, model=result.job.model.name, status=status, error=error)


def _write_table(summaries: Sequence[Summary], suites: Sequence[SuiteSummary]) -> None:
    versions = {(summary.benchmark, summary.version) for summary in summaries}
    several = {name for name, count in Counter(name for name, _ in versions).items() if count > 1}
    rows = [_row(summary, versioned=summary.benchmark in several) for summary in summaries]
    rows += map(_suite_row, suites)
    names = [name for name in _HEAD if name not in _SHOWN_IF_ANY or any(row[name] not in _NONE for row in rows)]
    for line in _fitted(rows, names):
        typer.echo(line)
    for summary in summaries:
        if summary.log:
            typer.echo(shown(summary.log))


def _fitted(rows: Sequence[Mapping[str, str]], names: Sequence[str]) -> list[str]:
    """Return the lines of a table; on a terminal that is too narrow, names are cut, and the tokens are left out."""
    lines = _lines(rows, names)
    if not sys.stdout.isatty() or _width(lines) <= terminal_width():
        return lines
    without = [name for name in names if name != "tokens"]
    for kept, least in ((names, _LEAST), (without, _LEAST), (without, _LEAST_OF_ALL)):
        lines = _lines(_cut(rows, kept, least), kept)
        if _width(lines) <= terminal_width():
            break
    return lines


def _cut(rows: Sequence[Mapping[str, str]], names: Sequence[str], least: int) -> Sequence[Mapping[str, str]]:
    for name in ("model", "benchmark"):
        if (over := _width(_lines(rows, names)) - terminal_width()) > 0:
            room = max(least, max(display_width(row[name]) for row in rows) - over)
            shorter = cut_apart((row[name] for row in rows), room)
            rows = [{**row, name: shorter[row[name]]} for row in rows]
    return rows


def _width(lines: Sequence[str]) -> int:
    return max(map(display_width, lines))


def _lines(rows: Sequence[Mapping[str, str]], names: Sequence[str]) -> list[str]:
    cells = [names, *([row[name] for name in names] for row in rows)]
    return columns(cells, right=range(names.index("score"), len(names)))


def _write_problems(summary: Summary) -> None:
    if summary.status == "cancelled" and not summary.log:
        typer.echo(f"bench: {summary.benchmark}: not started.", err=True)
    elif summary.status == "cancelled":
        done = f"after {summary.completed} of {summary.samples} samples"
        typer.echo(f"bench: {summary.benchmark}: interrupted {done}.", err=True)
    elif summary.error:
        name = f"{summary.benchmark}: " if summary.log else ""  # what could not start names itself
        of = "" if summary.error_sample is None else f"sample {summary.error_sample!r}: "
        typer.echo(f"bench: {name}{of}{' '.join(summary.error.split())}", err=True)
        if of:
            typer.echo(_why_ended(summary), err=True)
    elif summary.errors:
        typer.echo(
            f"bench: {summary.benchmark}: {summary.errors} of {summary.samples} samples ended in an error, "
            f"which the log holds. The first: {summary.first_error}",
            err=True,
        )
    if summary.limits:
        kinds = ", ".join(f"{kind} limit: {count}" for kind, count in summary.limits.items())
        count = sum(summary.limits.values())
        typer.echo(
            f"bench: {summary.benchmark}: {count} of {summary.samples} samples reached a limit and were scored as they "
            f"were ({kinds}).",
            err=True,
        )
    if summary.retries or summary.run_again:
        typer.echo(f"bench: {summary.benchmark}: {_again(summary)}.", err=True)
    if summary.unscored:
        typer.echo(
            f"bench: {summary.benchmark}: {summary.unscored} of {summary.completed} samples have no score that counts"
            + (f", see the log. The first: {cut(first, _UNSCORED_MOST)}" if (first := summary.first_unscored) else "."),
            err=True,
        )
    _warn_of_few_clusters(summary)
    if _has_no_figure(summary):
        typer.echo(f"bench: {summary.benchmark}: its {summary.metric} is no number.", err=True)


def _warn_of_few_clusters(summary: Summary) -> None:
    for scorer, count in ((scorer, figures.get("clusters", inf)) for scorer, figures in summary.metrics.items()):
        if 1 < count < FEW_CLUSTERS:
            of = f"bench: {summary.benchmark}: {scorer}: the clustered standard error is of {count:.0f} clusters. Below"
            way_out = "it is too small on average: use clustered_lower and clustered_upper."
            typer.echo(f"{of} {FEW_CLUSTERS} {way_out}", err=True)


def _why_ended(summary: Summary) -> str:
    """Say why the error of a sample ended a run, and how it goes on."""
    if summary.tolerated is None or isinstance(summary.tolerated, bool):
        return "A sample's error ends the run; with --no-fail-on-error it goes on without the sample."
    failed = f"{summary.errors} of {summary.samples} samples ended in an error"
    option = f"--fail-on-error {summary.tolerated:g}"
    return f"{failed}, at which {option} ends the run; with --no-fail-on-error it goes on without them."


def _write_ways_on(summaries: Sequence[Summary], run: Path | None) -> None:
    """Say how what is not complete is continued: by one command, if there is one."""
    incomplete = [summary for summary in summaries if summary.status != "success" or summary.errors]
    logs = [summary.log for summary in incomplete if summary.log]
    # A log elsewhere may not be there; the run is here.
    if run and run.is_dir() and (len(incomplete) > 1 or not logs or any(map(is_remote, logs))):
        commands = [f"eval --resume {shlex.quote(shown(str(run)))}"] if incomplete else []
    else:
        commands = [f"eval-retry {shlex.quote(shown(log))}" for log in logs]
    for command in commands:
        typer.echo(f"Continue with: bench {command}", err=True)
    if run and run.is_dir() and any(is_remote(summary.log) for summary in summaries):
        typer.echo(f"Every sample is also on this machine, in {shown(str(run))}", err=True)


def _again(summary: Summary) -> str:
    requests = f"requests sent again: {summary.retries}, after {summary.waited:.1f} s of waiting"
    samples = f"samples run again after an error: {summary.run_again}"
    return "; ".join([*([requests] if summary.retries else []), *([samples] if summary.run_again else [])])


def _row(summary: Summary, *, versioned: bool) -> dict[str, str]:
    return {
        "benchmark": f"{summary.benchmark} {summary.version}" if versioned else summary.benchmark,
        "model": summary.model,
        "metric": _metric(summary),
        "score": _score(summary),
        "answered": "-" if summary.answered is None else f"{summary.answered:.1%}",
        "truncated": "-" if summary.answered is None else str(summary.stop_reasons.get(TRUNCATED, 0)),
        "unscored": "-" if summary.unscored is None else str(summary.unscored),
        "errors": f"{summary.errors:,}",
        "missing": f"{_missing(summary):,}",
        "cost": "-" if summary.cost is None else money(summary.cost),
        "tokens": f"{summary.input_tokens + summary.output_tokens:,}",
        "time": f"{summary.seconds:.0f} s",
    }


def _missing(summary: Summary) -> int:
    """Return how many samples never ended; what stopped early by its own rule misses none."""
    if summary.status == "success":
        return 0
    return max(summary.samples - summary.completed - summary.errors, 0)


def _suite_row(suite: SuiteSummary) -> dict[str, str]:
    own = {"benchmark": suite.suite, "model": suite.model, "metric": _metric(suite), "score": _score(suite)}
    return {**dict.fromkeys(_HEAD, "-"), **own}


def _metric(summary: Summary | SuiteSummary) -> str:
    return labelled(summary.metric, higher_is_better=summary.higher_is_better) if summary.metric else "-"


def _score(summary: Summary | SuiteSummary) -> str:
    if summary.status != "success":
        return summary.status
    if summary.score is None or not isfinite(summary.score):
        return "-"
    known = summary.stderr is not None and isfinite(summary.stderr)
    return f"{summary.score:.3f}" + (f" ± {summary.stderr:.3f}" if known else "")


def _has_no_figure(summary: Summary) -> bool:
    """Return whether a run that was scored has no number to show for it."""
    return summary.status == "success" and summary.score is not None and not isfinite(summary.score)


def without_nan(value: Any) -> Any:
    """Replace what JSON cannot express: an unscored run's figures are not numbers."""
    if isinstance(value, dict):
        return {key: without_nan(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_nan(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value
