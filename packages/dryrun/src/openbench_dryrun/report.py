"""Writes estimates as text or JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import typer

from openbench.cli.layout import money, wrapped
from openbench.errors import FAILED, SUCCESS
from openbench.registry.names import counted
from openbench.tasks.provenance import Provenance
from openbench_dryrun.estimate import Estimate
from openbench_dryrun.messages import visible

_LABEL = 12
_DIGITS = 12
_SHOWN = 4000  # characters at each end of a message


def report_estimates(estimates: Sequence[Estimate], *, as_json: bool) -> int:
    """Write estimates.

    Returns:
        The exit code: 0, or 1 if a job cannot run or a solver fails before its first request.
    """
    if as_json:
        typer.echo(json.dumps([asdict(each) for each in estimates], indent=2, default=str))
    else:
        typer.echo("\n\n".join("\n".join(_lines(each)) for each in estimates if each.samples is not None))
        if len(estimates) > 1:
            typer.echo("\n" + "\n".join(_fact("total", _total(estimates))))
    for each in estimates:
        if each.problem:
            typer.echo(f"bench: {each.problem}", err=True)
    if not as_json:
        typer.echo("No request was made to any model.", err=True)
    return FAILED if any(each.problem for each in estimates) else SUCCESS


def _lines(estimate: Estimate) -> Iterator[str]:
    own = Provenance.read(estimate.provenance)
    yield f"{estimate.benchmark} on {estimate.model}"
    for label, text in _facts(estimate, own):
        yield from _fact(label, text)
    yield from _first(estimate)


def _facts(estimate: Estimate, own: Provenance) -> Iterator[tuple[str, str]]:
    origin = f"{own.distribution} {own.version}" if own.distribution else own.reference
    yield "from", f"{origin} ({estimate.why})" if estimate.why else origin
    if own.in_place_of:
        yield "in place of", ", ".join(own.in_place_of)
    dataset = own.dataset
    yield "dataset", " ".join(str(dataset[key]) for key in ("source", "config", "split") if dataset.get(key))
    yield "pin", _pin(dataset)
    yield "digest", _digest(dataset, own)
    yield "arguments", _settings(estimate.arguments) or "none"
    yield "settings", _settings(estimate.settings) or "the model's own"
    yield "scorers", ", ".join(_name(scorer) for scorer in own.scorers) or "none"
    yield "engine", f"{own.engine['name']}: {own.engine['reason']}"
    yield "versions", ", ".join(f"{name} {version}" for name, version in _versions(own).items())
    yield "samples", _samples(estimate)
    yield "requests", _requests(estimate)
    for grader, count in estimate.graders.items():
        yield "grader", f"at least {counted(count, 'request')} to {grader}"
    yield "prompts", _prompts(estimate)
    yield "answers", _answers(estimate)
    yield "cost", _cost(estimate)


def _fact(label: str, text: str) -> list[str]:
    lines = wrapped(text, _LABEL) or [""]
    first, *others = [line.strip() for line in lines]
    return [f"{label:<{_LABEL}}{first}".rstrip(), *(f"{'':<{_LABEL}}{line}" for line in others)]


def _pin(dataset: Mapping[str, Any]) -> str:
    if dataset.get("bundled"):
        return "rows of the package itself"
    sha256 = dataset.get("file_sha256")
    return dataset.get("revision") or (f"sha256 {sha256}" if sha256 else "none: the source may change")


def _digest(dataset: Mapping[str, Any], own: Provenance) -> str:
    rows = f"{counted(dataset['rows'], 'row')} sha256 {dataset['sha256'][:_DIGITS]}, " if dataset.get("sha256") else ""
    return f"{rows}samples {own.identity['dataset'][:_DIGITS]}, prompts {own.prompt[:_DIGITS]}"


def _versions(own: Provenance) -> dict[str, str]:
    first = ("openbench-core", "inspect-ai", "datasets")
    versions = own.versions
    return {**{name: versions[name] for name in first if name in versions}, "Python": own.python}


def _name(scorer: Mapping[str, Any]) -> str:
    provided = f" ({scorer['distribution']} {scorer['version']})" if scorer.get("distribution") else ""
    return f"{scorer['name']}{provided}"


def _samples(estimate: Estimate) -> str:
    of = f" of {estimate.samples_of:,}" if estimate.samples != estimate.samples_of else ""
    epochs = f", {estimate.epochs} times each" if (estimate.epochs or 1) > 1 else ""
    return f"{estimate.samples:,}{of}{epochs}"


def _requests(estimate: Estimate) -> str:
    if estimate.requests is None:
        return "unknown"
    ranked = f", which rank {counted(estimate.continuations, 'continuation')}" if estimate.continuations else ""
    more = " or more: the solver decides while it runs" if estimate.at_least else ""
    return f"{estimate.requests:,}{more}{ranked}"


def _prompts(estimate: Estimate) -> str:
    if estimate.prompt_tokens is None:
        return "unknown"
    others = f", and {estimate.uncounted:,} images or other media, which are not counted" if estimate.uncounted else ""
    of = " in the first request of each run" if estimate.at_least else ""
    return f"about {counted(estimate.prompt_tokens, 'token')}{of}{others}"


def _answers(estimate: Estimate) -> str:
    if estimate.requests == 0 or estimate.continuations:
        return "0 tokens: nothing is generated"
    each = f"at most {estimate.max_tokens:,} each" if estimate.max_tokens else "no limit is set (--max-tokens)"
    return f"at most {estimate.output_tokens:,} tokens, {each}" if estimate.output_tokens else f"unknown; {each}"


def _cost(estimate: Estimate) -> str:
    if estimate.cost is None or estimate.price is None:
        return "unknown: no price (--price, or [tool.openbench.prices])"
    price = f"{estimate.price.input:g} and {estimate.price.output:g} per million tokens"
    parts = f"prompts {_money(estimate.cost.prompts)}, answers {_money(estimate.cost.output_most, 'at most ')}"
    return f"{parts} ({price}{'; graders not counted' if estimate.graders else ''})"


def _money(amount: float | None, bound: str = "about ") -> str:
    if amount is None:
        return "unknown"
    return bound + money(amount)


def _total(estimates: Sequence[Estimate]) -> str:
    known = [each.requests for each in estimates if each.requests is not None]
    more = any(each.at_least for each in estimates)
    requests = f"{sum(known):,} or more requests" if more else counted(sum(known), "request")
    costs = [each.cost for each in estimates]
    prompts = [cost.prompts if cost else None for cost in costs]
    outputs = [cost.output_most if cost else None for cost in costs]
    read, written = (None if None in part else sum(filter(None, part)) for part in (prompts, outputs))
    left_out = f" without {counted(unknown, 'run')}" if (unknown := len(estimates) - len(known)) else ""
    return (
        f"{counted(len(estimates), 'run')}, {requests}{left_out}; cost of prompts {_money(read)}, "
        f"of answers {_money(written, 'at most ')}"
    )


def _first(estimate: Estimate) -> Iterator[str]:
    if estimate.first is None:
        yield f"first request: {'unknown' if estimate.problem else 'none'}"
        return
    yield f"first request, of sample {visible(str(estimate.first.sample))}:"
    for message in estimate.first.messages:
        yield f"  [{message['role']}]"
        yield from (f"  {line}" for line in _shortened(visible(message["content"])).split("\n"))
    if estimate.first.tools:
        yield f"  [tools] {', '.join(estimate.first.tools)}"
    for text in estimate.first.continuations:
        yield f"  [continuation] {visible(text)}"


def _shortened(text: str) -> str:
    """Omit the middle of a long text, such as a book in a prompt."""
    left_out = len(text) - 2 * _SHOWN
    if left_out <= _SHOWN:
        return text
    return f"{text[:_SHOWN]}\n… {left_out:,} characters …\n{text[-_SHOWN:]}"


def _settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in settings.items())
