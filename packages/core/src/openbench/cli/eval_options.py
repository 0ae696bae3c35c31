"""The options of `bench eval`: one class per panel of its help.

`with_fields` turns the fields into options. A field without declared names becomes `--field-name`. Each option has the
environment variable `BENCH_FIELD_NAME`.
"""

from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar, Literal

from typer import Option

from openbench.baselines import Baseline
from openbench.cli import options as opt
from openbench.errors import UsageError


def parse_limit(value: str) -> Any:
    """Parse `--limit`: a count, or the first sample and the one after the last, counting from 0."""
    try:
        numbers = [int(part) for part in value.split(",")]
    except ValueError:
        numbers = []
    match numbers:
        case [count] if count > 0:
            return count
        case [start, end] if 0 <= start < end:
            return start, end
    raise UsageError(f"--limit {value!r}: expected a count from 1, or START,END with START below END.")


@dataclass(frozen=True)
class Models:
    """The models to evaluate."""

    panel: ClassVar = "Models"
    model: Annotated[
        list[str], Option(metavar="NAME", help="Model to evaluate, as provider/model; may be repeated.")
    ] = field(default_factory=list)
    model_base_url: Annotated[str | None, Option(metavar="URL", help="Base URL of the models' API.")] = None
    model_role: Annotated[
        list[str], Option(metavar="ROLE=MODEL", help="Model of a role, as in grader=openai/gpt-4.1; may be repeated.")
    ] = field(default_factory=list)
    model_args: Annotated[
        list[str], Option("-M", metavar="KEY=VALUE", help="Argument of the model provider; may be repeated.")
    ] = field(default_factory=list)
    baseline: Annotated[
        Baseline | None,
        Option(
            case_sensitive=False,
            metavar="NAME",
            help="Evaluate a baseline instead of a model, without an API key or a network: random, constant, empty, "
            "echo, or reference, which answers with the targets.",
        ),
    ] = None


@dataclass(frozen=True)
class Tasks:
    """The tasks to run, and the limits of a sample."""

    panel: ClassVar = "Tasks"
    task_args: Annotated[
        list[str], Option("-T", metavar="KEY=VALUE", help="Argument of the benchmarks that take it; may be repeated.")
    ] = field(default_factory=list)
    limit: Annotated[
        Any, Option(parser=parse_limit, metavar="N|START,END", help="Run only the first N samples, or a range.")
    ] = None
    sample: Annotated[bool, Option("--sample", help="Run the sample rows that the package ships, offline.")] = False
    epochs: Annotated[int | None, Option(min=1, help="Number of times to run each sample.")] = None
    epochs_reducer: Annotated[
        list[str],
        Option(metavar="NAME", help="Reducer of epochs: mean, median, mode, max, at_least_N, pass_at_N, pass_hat_N."),
    ] = field(default_factory=list)
    alpha: Annotated[bool, Option("--alpha", help="Allow experimental benchmarks.")] = False
    no_overrides: opt.NoOverrides = False
    message_limit: Annotated[
        int | None,
        Option(min=1, help="Maximum messages per sample. One that reaches a limit ends and is scored as it is."),
    ] = None
    turn_limit: Annotated[int | None, Option(min=1, help="Maximum model turns per sample.")] = None
    token_limit: Annotated[int | None, Option(min=1, help="Maximum input and output tokens per sample.")] = None
    time_limit: Annotated[int | None, Option(min=1, help="Maximum seconds per sample.")] = None
    working_limit: Annotated[
        int | None, Option(min=1, help="Maximum seconds per sample, not counting waits for connections and retries.")
    ] = None


@dataclass(frozen=True)
class Resuming:
    """The run to resume."""

    panel: ClassVar = "Resuming"
    resume: Annotated[
        str | None,
        Option(
            callback=opt.parse_existing,
            metavar="DIR",
            help="Resume an earlier run: its directory in runs/ of the log directory, or a log directory with only one "
            "run. Without BENCHMARKS, everything runs as before.",
        ),
    ] = None
    rerun_changed: Annotated[
        bool, Option("--rerun-changed", help="Rerun what has changed since it was recorded, instead of refusing.")
    ] = False
    trust: opt.Trust = False


@dataclass(frozen=True)
class Generation:
    """How the models generate."""

    panel: ClassVar = "Generation"
    temperature: Annotated[float | None, Option(min=0, help="Sampling temperature.")] = None
    top_p: Annotated[float | None, Option(min=0, max=1, help="Nucleus sampling probability.")] = None
    max_tokens: Annotated[int | None, Option(min=1, help="Maximum output tokens per response.")] = None
    seed: Annotated[int | None, Option(metavar="N", help="Random seed of the model's sampling.")] = None
    reasoning_effort: Annotated[
        Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None,
        Option(
            case_sensitive=False,
            metavar="LEVEL",
            help="Reasoning effort: none, minimal, low, medium, high, xhigh or max.",
        ),
    ] = None
    cache: Annotated[bool | None, Option(help="Reuse responses to identical earlier requests; see bench cache.")] = None


@dataclass(frozen=True)
class Requests:
    """How requests are sent."""

    panel: ClassVar = "Requests"
    max_connections: Annotated[int | None, Option(min=1, help="Maximum concurrent requests to a model.")] = None
    timeout: Annotated[int | None, Option(min=1, help="Seconds per request, including its retries.")] = None
    max_retries: Annotated[
        int | None, Option(min=0, help="Maximum retries of a request after transient errors; unlimited by default.")
    ] = None
    batch: Annotated[
        bool | None,
        Option(help="Send requests through the provider's batch API, at half the price and within a day or so."),
    ] = None
    batch_size: Annotated[int | None, Option(min=1, help="Requests per batch; 100 by default.")] = None
    batch_tick: Annotated[
        float | None, Option(min=0.01, metavar="SECONDS", help="Seconds between looks at batches; 15 by default.")
    ] = None


@dataclass(frozen=True)
class Processes:
    """The executor, the engine and the processes."""

    panel: ClassVar = "Processes"
    executor: Annotated[
        str,
        Option(
            metavar="NAME", help="Executor of the run: local, or one that a plugin provides, which may add options."
        ),
    ] = "local"
    engine: Annotated[
        str,
        Option(
            metavar="NAME",
            help="Engine of the samples: inspect runs anything, direct (of openbench-fast) static benchmarks, auto the "
            "fastest that can.",
        ),
    ] = "auto"
    processes: Annotated[
        int | None,
        Option(
            min=1,
            help="Processes that share samples and connections; chosen by samples and cores by default. Tasks with "
            "sandboxes or other process-wide state use one.",
        ),
    ] = None
    max_tasks: Annotated[int | None, Option(min=1, help="Maximum concurrent benchmarks.")] = None
    max_subprocesses: Annotated[int | None, Option(min=1, help="Maximum concurrent subprocesses.")] = None


@dataclass(frozen=True)
class Sandboxes:
    """Where tools and code run."""

    panel: ClassVar = "Sandboxes"
    sandbox: Annotated[
        str | None, Option(metavar="NAME", help="Sandbox of tools and code: docker, local, or another of Inspect's.")
    ] = None
    sandbox_cleanup: Annotated[bool | None, Option(help="Remove sandboxes when a task ends.")] = None


@dataclass(frozen=True)
class Errors:
    """The effects of errors."""

    panel: ClassVar = "Errors"
    fail_on_error: Annotated[
        float | None, Option("--fail-on-error", min=0, help="Fail the run at this share (below 1) or count of errors.")
    ] = None
    no_fail_on_error: Annotated[
        bool, Option("--no-fail-on-error", help="Never fail the run because of failed samples.")
    ] = False
    retry_on_error: Annotated[
        int | None,
        Option(min=0, metavar="[N]", help="Rerun a failed sample up to N times (1 without N); 0 disables it."),
    ] = None
    debug_errors: Annotated[
        bool | None, Option("--debug-errors", help="Stop at the first error of a sample and raise it.")
    ] = None
    debug: opt.Debug = False


@dataclass(frozen=True)
class Logs:
    """Logs and output."""

    panel: ClassVar = "Logs"
    log_dir: Annotated[
        str | None,
        Option(
            callback=opt.parse_location,
            metavar="DIR",
            help="Directory of the logs, or an address such as s3://bucket/folder; by default logs, or that of the log "
            "that is resumed.",
        ),
    ] = None
    log_samples: Annotated[bool | None, Option(help="Keep samples in the log.")] = None
    log_images: Annotated[bool | None, Option(help="Keep images in the log.")] = None
    log_buffer: Annotated[int | None, Option(min=1, help="Samples to buffer before they are written.")] = None
    score: Annotated[bool, Option(help="Score the samples now, or later with bench score.")] = True
    display: Annotated[
        Literal["line", "full", "conversation", "rich", "plain", "none"],
        Option(
            case_sensitive=False,
            metavar="NAME",
            help="Progress display: line, or one of Inspect's: full, conversation, rich, plain, none.",
        ),
    ] = "line"
    trace: Annotated[bool | None, Option("--trace", help="Show the messages to and from the model.")] = None
    as_json: Annotated[
        bool, Option("--json", envvar="BENCH_JSON", help="Write the results as JSON to stdout, and nothing else.")
    ] = False
    log_format: Annotated[
        Literal["eval", "json"] | None,
        Option(
            case_sensitive=False,
            metavar="NAME",
            help="Log format, eval or json; by default eval from the engine inspect in one process, else json.",
        ),
    ] = None


@dataclass(frozen=True)
class Options(Logs, Errors, Sandboxes, Processes, Requests, Generation, Resuming, Tasks, Models):
    """The options of `bench eval`, without those of other packages; those of the last class come first."""


OF_RESUMED = frozenset(
    (
        *("rerun_changed", "trust", "max_connections", "timeout", "max_retries", "batch", "batch_size", "batch_tick"),
        *("max_subprocesses", "sandbox_cleanup", "fail_on_error", "no_fail_on_error", "retry_on_error", "debug_errors"),
        *("debug", "log_dir", "log_samples", "log_images", "log_buffer", "score", "display", "trace", "as_json"),
    )
)
"""The options that any resumed run can change; `bench eval-retry` has no others."""


def settings(given: Options, *, resumed: bool = False) -> dict[str, Any]:
    """Return the options that were given, by their names in plans; with `resumed`, only those in `OF_RESUMED`."""
    if given.no_fail_on_error and given.fail_on_error is not None:
        raise UsageError("--fail-on-error and --no-fail-on-error exclude each other.")
    values = {each.name: getattr(given, each.name) for each in fields(given) if not resumed or each.name in OF_RESUMED}
    values["fail_on_error"] = False if given.no_fail_on_error else given.fail_on_error
    batch = {"size": given.batch_size, "tick": given.batch_tick, "send_delay": given.batch_tick}
    if any(batch.values()):
        if not given.batch:
            raise UsageError("--batch-size and --batch-tick need --batch.")
        values["batch"] = {name: value for name, value in batch.items() if value is not None}
    # A request that hangs is not retried, so Inspect's timeout alone would never end it; in a batch it has to wait.
    values["attempt_timeout"] = None if given.batch else given.timeout
    return {name: value for name, value in values.items() if value is not None}
