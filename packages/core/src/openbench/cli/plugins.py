"""The subcommands and executors of `bench`, from core and from plugins.

They are known by name; nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
import os
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openbench.errors import UsageError
from openbench.registry.discovery import COMMANDS, EXECUTORS, by_name, perhaps_left_out
from openbench.registry.plugin_loader import load_function, load_only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from inspect_ai.log import EvalLog

LOOK, RUN, PLUGINS = "Benchmarks", "Evaluation", "Plugins"
"""The panels of `bench --help`."""

SUBCOMMANDS: Mapping[str, tuple[str, str, str]] = {
    "list": ("openbench.cli.list", LOOK, "List the installed benchmarks."),
    "describe": ("openbench.cli.describe", LOOK, "Show a benchmark's details."),
    "eval": ("openbench.cli.eval", RUN, "Run benchmarks on models."),
}
"""Subcommands of core: the module, the panel, and the line in the help."""

COMMANDS_OF_OURS: Mapping[str, tuple[str, str]] = {
    "new": ("openbench-testing", "Create a benchmark package."),
    "check": ("openbench-testing", "Check that benchmarks conform."),
    "fidelity": ("openbench-testing", "Compare a scorer's verdicts with the original's code."),
    "fork": ("openbench-testing", "Create a package that overrides a benchmark."),
    "cache": ("openbench-logs", "Manage the cache of model responses."),
    "eval-retry": ("openbench-logs", "Resume incomplete runs."),
    "view": ("openbench-logs", "Open the log viewer."),
    "log": ("openbench-logs", "Show a log's provenance and samples, and prune runs."),
    "gate": ("openbench-analysis", "Check a model's logs against rules."),
    "compare": ("openbench-analysis", "Compare runs sample by sample."),
    "power": ("openbench-analysis", "Show what benchmarks can find, before a run."),
    "report": ("openbench-analysis", "Write a page of runs compared."),
    "audit": ("openbench-analysis", "Check the health of a benchmark."),
    "leaderboard": ("openbench-analysis", "Rank models by weighted categories of benchmarks."),
    "results": ("openbench-analysis", "Keep the results of runs as small files, for leaderboards."),
    "score": ("openbench-logs", "Score a log again."),
    "reproduce": ("openbench-logs", "Run a log's run again and compare the samples."),
    "providers": ("openbench-providers", "List the model providers and which API keys are set."),
    "export": ("openbench-analysis", "Write results in the formats of others, or upload them."),
    "export-hf": ("openbench-analysis", "Upload logs to a Hugging Face dataset; short for export hf."),
    "data": ("openbench-bundles", "Manage the stored datasets of benchmarks."),
    "doctor": ("openbench-doctor", "Diagnose the installed plugins."),
    "use": ("openbench-doctor", "Choose a benchmark's provider for this project."),
}
"""Subcommands of other openbench packages: the distribution, and the line in the help."""

OPTIONS_OF_OURS: Mapping[str, str] = {
    "--chat-template": "openbench-loglikelihood",
    "--cost-limit": "openbench-dryrun",
    "--dry-run": "openbench-dryrun",
    "--few-shot-as": "openbench-loglikelihood",
    "--hub-benchmark-name": "openbench-analysis",
    "--hub-model-name": "openbench-analysis",
    "--hub-private": "openbench-analysis",
    "--hub-repo": "openbench-analysis",
    "--logfile": "openbench-logs",
    "--loglikelihood": "openbench-loglikelihood",
    "--price": "openbench-dryrun",
    "--system-message": "openbench-loglikelihood",
}
"""Options of `bench eval` that other openbench packages add, and the package."""

LOCAL = "local"
OF_OPTIONS = ("describe.", "eval.")


def described_commands() -> list[tuple[str, str, str]]:
    """Return the name, panel and help of each available subcommand, in the order of the help."""
    own = [(name, panel, help_) for name, (_, panel, help_) in SUBCOMMANDS.items()]
    return [*own, *((name, PLUGINS, help_) for name, help_ in _described_plugins() if name not in SUBCOMMANDS)]


def _described_plugins() -> Iterator[tuple[str, str]]:
    for name, found in sorted(by_name(COMMANDS).items()):
        if not name.startswith(OF_OPTIONS):
            known, help_ = COMMANDS_OF_OURS.get(name, ("", ""))
            distribution = found[0].distribution
            yield name, help_ if known == distribution else f"From {distribution}."


def load_command(name: str, arguments: Sequence[str]) -> Any:
    """Load a subcommand: an annotated function, or a `typer.Typer`; None if nothing provides it.

    Core's own take precedence over a plugin's of the same name. Those whose options depend on the command line have a
    function `command_for` in place of `command`.

    Raises:
        UsageError: Several distributions provide it, it cannot be loaded or is not a command, or it belongs to an
            openbench package that is not installed.
    """
    if name in SUBCOMMANDS:
        module = importlib.import_module(SUBCOMMANDS[name][0])
        return module.command_for(arguments) if hasattr(module, "command_for") else module.command
    return load_plugin_command(name)


def load_plugin_command(name: str) -> Any:
    """Load a subcommand of a plugin; see `load_command`."""
    what, found = f"bench {name}", by_name(COMMANDS).get(name)
    if found:
        from openbench.cli.app import as_command

        return load_only(what, found, as_command, "an annotated function or a typer.Typer")
    if name in COMMANDS_OF_OURS:
        raise UsageError(comes_with(what, COMMANDS_OF_OURS[name][0]))
    return None


def load_why() -> Callable[..., None]:
    """Load what `bench describe --why` calls (the entry point `describe.why`): `openbench_doctor.why.write_why`.

    Raises:
        UsageError: Its package is not installed, or it cannot be loaded.
    """
    what, found = "bench describe --why", by_name(COMMANDS).get("describe.why")
    if not found:
        raise UsageError(comes_with(what, "openbench-doctor"))
    return load_function(what, found)


def load_costs() -> Callable[[EvalLog], float | None] | None:
    """Return what computes the cost of a log by the project's prices (the entry point `eval.cost`), if it is installed.

    Raises:
        UsageError: The prices are malformed.
    """
    found = by_name(COMMANDS).get("eval.cost")
    costs: Callable[[EvalLog], float | None] | None = load_function("the cost", found)(Path.cwd()) if found else None
    return costs


def chosen_executor(arguments: Sequence[str], flags: Mapping[str, str]) -> str:
    """Return the executor that arguments choose by option or flag; the last one wins, as with any option."""
    chosen = os.environ.get("BENCH_EXECUTOR") or LOCAL
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=LOCAL):
        if argument == "--":
            break
        if argument == "--executor":
            chosen = following
        elif argument.startswith("--executor="):
            chosen = argument.removeprefix("--executor=")
        else:
            chosen = flags.get(argument, chosen)
    return chosen


def hint_at_executors(arguments: Sequence[str]) -> str:
    """Return a hint at executors that may have an unknown option; empty if one is chosen already."""
    names = executor_names()
    if not names or chosen_executor(arguments, {f"--{name}": name for name in names}) != LOCAL:
        return ""
    return f" An executor may add it: --executor {' or '.join(names)}."


def executor_names() -> list[str]:
    """Return the names of the executors that plugins provide, sorted."""
    return sorted(by_name(EXECUTORS))


def comes_with(what: str, distribution: str) -> str:
    """Return the error message for something that an openbench package provides, which is not installed."""
    return f"{what} comes with {distribution}: pip install {distribution}{perhaps_left_out()}"
