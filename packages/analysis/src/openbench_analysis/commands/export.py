"""`bench export`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from openbench.cli import options as opt
from openbench_analysis.commands import shared

if TYPE_CHECKING:
    from openbench_analysis.runs import Run

command = typer.Typer(help="Write results in the formats of others, or upload them.", no_args_is_help=True)

Logs = Annotated[list[str], typer.Argument(metavar="LOGS...", help="Logs, directories of logs, addresses or patterns.")]
Folder = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder to write to; it is created.")]
WithSamples = Annotated[bool, typer.Option("--samples", help="Also the samples: inputs, completions and scores.")]
HubRepo = Annotated[
    str,
    typer.Option(envvar="BENCH_HUB_REPO", show_envvar=False, metavar="NAME", help="Dataset, as organisation/name."),
]
HubPrivate = Annotated[
    bool | None,
    typer.Option(
        "--hub-private/--no-hub-private",
        envvar="BENCH_HUB_PRIVATE",
        show_envvar=False,
        help="Require a private dataset; a new one is made as this says.",
    ),
]
HubBenchmark = Annotated[
    str | None,
    typer.Option(
        "--hub-benchmark-name",
        envvar="BENCH_HUB_BENCHMARK_NAME",
        show_envvar=False,
        metavar="NAME",
        help="Name of the benchmark in the dataset, in place of the log's.",
    ),
]
HubModel = Annotated[
    str | None,
    typer.Option(
        "--hub-model-name",
        envvar="BENCH_HUB_MODEL_NAME",
        show_envvar=False,
        metavar="NAME",
        help="Name of the model in the dataset, in place of the log's.",
    ),
]


@command.command("hf")
def hf(
    logs: Logs,
    *,
    hub_repo: HubRepo,
    hub_private: HubPrivate = None,
    hub_benchmark_name: HubBenchmark = None,
    hub_model_name: HubModel = None,
    debug: opt.Debug = False,  # noqa: ARG001 - `main` reads it
) -> None:
    """Upload logs to a dataset on the Hugging Face Hub, as the configurations results, stats and samples.

    Further logs add rows; a log that is uploaded again replaces its own. The token is HF_TOKEN, or that of hf auth
    login. Secrets are redacted.
    """
    _upload(logs, hub_repo, hub_private, hub_benchmark_name, hub_model_name)


def export_hf(
    *,
    log_files: Annotated[list[str], typer.Option("--log-files", metavar="LOG", help="Log; may be repeated.")],
    hub_repo: HubRepo,
    hub_private: HubPrivate = None,
    hub_benchmark_name: HubBenchmark = None,
    hub_model_name: HubModel = None,
    debug: opt.Debug = False,  # noqa: ARG001 - as above
) -> None:
    """Upload logs to a dataset on the Hugging Face Hub; bench export hf under an earlier name."""
    _upload(log_files, hub_repo, hub_private, hub_benchmark_name, hub_model_name)


@command.command("parquet")
def parquet(logs: Logs, *, output: Folder, debug: opt.Debug = False) -> None:  # noqa: ARG001 - as above
    """Write results.parquet, stats.parquet and samples.parquet, with typed columns. Secrets are redacted."""
    from openbench_analysis.exports.parquet import write_parquet

    for path, rows in write_parquet(_runs(logs), output).items():
        typer.echo(f"{path}: {_counted(rows, 'row')}")


@command.command("eval-results")
def eval_results(
    logs: Logs,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Checkout of the model's repository, or a folder.")
    ],
    task_id: Annotated[
        list[str],
        typer.Option(metavar="[BENCHMARK=]ID", help="Id of the task in the eval.yaml of its dataset; may be repeated."),
    ],
    dataset: Annotated[
        list[str],
        typer.Option(
            metavar="[BENCHMARK=]NAME",
            help="Dataset on the Hub with the leaderboard; by default the one that was read.",
        ),
    ] = [],  # noqa: B006 - Typer copies it
    percent: Annotated[bool, typer.Option("--percent", help="Write scores of 0 to 1 as percentages.")] = False,
    source_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where the logs, or a report on them, can be read.")
    ] = None,
    source_name: Annotated[str | None, typer.Option(metavar="NAME", help="Name of that source.")] = None,
    source_user: Annotated[str | None, typer.Option(metavar="NAME", help="Its user on the Hub.")] = None,
    debug: opt.Debug = False,  # noqa: ARG001 - as above
) -> None:
    """Write a model's scores as .eval_results/BENCHMARK.yaml, which its repository on the Hub shows.

    Nothing is uploaded: hf upload MODEL DIR . --create-pr proposes the files.
    """
    from openbench_analysis.exports.eval_results import Choices, write_eval_results

    choices = Choices.of(task_id, dataset, percent=percent, url=source_url, name=source_name, user=source_user)
    for path in write_eval_results(_runs(logs), output, choices):
        typer.echo(str(path))


@command.command("every-eval-ever")
def every_eval_ever(
    logs: Logs,
    *,
    output: Folder,
    organization: Annotated[str, typer.Option(metavar="NAME", help="Organisation that publishes the results.")],
    relationship: Annotated[
        Literal["first_party", "third_party", "collaborative", "other"],
        typer.Option(help="Who ran the evaluation, relative to the model's developer."),
    ] = "third_party",
    model_id: Annotated[
        str | None,
        typer.Option(metavar="DEVELOPER/MODEL", help="Model's id; by default what ends Inspect's name of it."),
    ] = None,
    debug: opt.Debug = False,  # noqa: ARG001 - as above
) -> None:
    """Write results and samples in the schema of Every Eval Ever, in the layout of its data. Secrets are redacted."""
    from openbench.errors import UsageError
    from openbench_analysis.exports.every_eval_ever import write_every_eval_ever

    runs = _runs(logs)
    if model_id and len({run.model for run in runs}) > 1:
        raise UsageError(f"--model-id {model_id}: the logs are of several models. Export each on its own.")
    for run in runs:
        for path in write_every_eval_ever(
            run, output, organization=organization, relationship=relationship, model_id=model_id
        ):
            typer.echo(str(path))


@command.command("wandb")
def wandb(
    logs: Logs,
    *,
    project: Annotated[str, typer.Option(envvar="WANDB_PROJECT", metavar="NAME", help="Project of the runs.")],
    entity: Annotated[
        str | None, typer.Option(envvar="WANDB_ENTITY", metavar="NAME", help="User or team of the project.")
    ] = None,
    samples: WithSamples = False,
    debug: opt.Debug = False,  # noqa: ARG001 - as above
) -> None:
    """Log results to Weights & Biases, a run for each log; needs the extra wandb.

    Logging the same log again continues its run. WANDB_MODE=offline writes the run to ./wandb, and sends nothing.
    """
    from openbench_analysis.exports.wandb_runs import log_to_wandb

    for place in log_to_wandb(_runs(logs), project=project, entity=entity, samples=samples):
        typer.echo(place)


@command.command("mlflow")
def mlflow(
    logs: Logs,
    *,
    experiment: Annotated[
        str, typer.Option(envvar="MLFLOW_EXPERIMENT_NAME", metavar="NAME", help="Experiment of the runs.")
    ],
    tracking_uri: Annotated[
        str, typer.Option(envvar="MLFLOW_TRACKING_URI", metavar="URI", help="Address of the tracking server.")
    ],
    samples: WithSamples = False,
    debug: opt.Debug = False,  # noqa: ARG001 - as above
) -> None:
    """Log results to MLflow, a run for each log; needs the extra mlflow.

    Logging the same log again writes to its run.
    """
    from openbench_analysis.exports.mlflow_runs import log_to_mlflow

    for place in log_to_mlflow(_runs(logs), experiment=experiment, tracking_uri=tracking_uri, samples=samples):
        typer.echo(place)


def _upload(logs: Sequence[str], repo: str, private: bool | None, benchmark: str | None, model: str | None) -> None:
    from openbench_analysis.exports.hub import Target, upload

    target = Target(repo=repo, private=private, benchmark=benchmark, model=model)
    done = upload(_runs(logs), target)
    rows = ", ".join(f"{_counted(count, 'row')} of {name}" for name, count in done.rows.items())
    typer.echo(f"{done.url}: {rows}")


def _runs(logs: Sequence[str]) -> "list[Run]":
    """Read logs, with a warning on each that cannot be read."""
    from openbench_analysis.exports.origin import require_runs
    from openbench_analysis.runs import find_logs
    from openbench_dryrun.prices import read_prices

    paths = [path for found in find_logs(logs).values() for path in found]
    runs, problems = require_runs(dict.fromkeys(paths), read_prices(Path.cwd()))
    shared.warn(problems)
    return runs


def _counted(number: int, noun: str) -> str:
    from openbench.registry.names import counted

    return counted(number, noun)
