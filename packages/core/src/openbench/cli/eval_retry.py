"""`bench eval-retry`."""

from pathlib import Path
from typing import Any

import click

from openbench.cli import options as opt


@click.command("eval-retry", cls=opt.SectionCommand)
@click.argument("logs", nargs=-1, required=True, type=click.Path(), callback=opt.parse_existing)
@opt.RERUN_CHANGED
@opt.TRUST
@opt.REQUESTS
@opt.PROCESSES
@opt.ERRORS
@opt.LOGS
def command(**given: Any) -> int:
    """Run what is missing of logged runs.

    Completed samples are reused if the benchmark's version, its data, arguments, scorers, the model and its
    generation are the same; otherwise the log is refused. LOGS are what bench eval wrote.
    """
    from openbench.cli.executors import execute, executor_again
    from openbench.cli.report import report, summary_of
    from openbench.registry.catalog import Catalog
    from openbench.run.prices import read_prices
    from openbench.run.retry import retry

    catalog, prices = Catalog.installed(), read_prices(Path.cwd())
    results = retry(
        given["logs"],
        lambda directory: executor_again(given, directory, catalog)[0],
        execute,
        options=opt.while_continued(given),
        rerun_changed=given["rerun_changed"],
    )
    return report([summary_of(result, prices) for result in results], as_json=given["as_json"])
