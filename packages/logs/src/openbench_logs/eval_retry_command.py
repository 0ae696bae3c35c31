"""`bench eval-retry`."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer

from openbench.cli import options as opt
from openbench.cli.eval_options import OF_RESUMED, Options, settings


@dataclass(frozen=True)
class RetryOptions(Options):
    """The options of `bench eval-retry`."""

    only: ClassVar = OF_RESUMED


def command(
    ctx: typer.Context,
    paths: Annotated[
        list[str], typer.Argument(metavar="LOGS...", callback=opt.parse_existing, help="Logs that bench eval wrote.")
    ],
    given: RetryOptions,
) -> int:
    """Resume incomplete runs, each with its executor.

    Completed samples are reused if the benchmark's version, data, arguments and scorers, the model and its generation
    settings are the same; otherwise the run is refused.
    """
    from openbench.cli.executors import Chosen, execute, executor_again
    from openbench.cli.plugins import load_costs
    from openbench.cli.results_table import report, summary_of
    from openbench.registry.catalog import Catalog
    from openbench_logs.eval_retry import resume_logs

    catalog, costs = Catalog.installed(), load_costs()
    results = resume_logs(
        paths,
        lambda run: executor_again(ctx, Chosen(), run, catalog, trust=given.trust, display=given.display)[0],
        execute,
        options=settings(given, resumed=True),
        rerun_changed=given.rerun_changed,
    )
    return report([summary_of(result, costs) for result in results], as_json=given.as_json)
