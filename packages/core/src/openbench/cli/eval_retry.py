"""`bench eval-retry`."""

from typing import Any

import click

from openbench.cli import options as opt


@click.command("eval-retry", cls=opt.SectionCommand)
@click.argument("logs", nargs=-1, required=True, type=click.Path())
@opt.REQUESTS
@opt.PROCESSES
@opt.ERRORS
@opt.LOGS
def command(**given: Any) -> int:
    """Run what is missing of logged runs.

    Completed samples are reused if the benchmark's version, its data, arguments, scorers, the model and its
    generation are the same; otherwise the log is refused. LOGS are what bench eval wrote.
    """
    from openbench.catalog import Catalog
    from openbench.cli.report import report
    from openbench.run.retry import retry
    from openbench.run.summary import summarize

    options = opt.given(
        fail_on_error=opt.fail_on_error(given["fail_on_error"], given["no_fail_on_error"]),
        debug_errors=given["debug_errors"] or None,
        trace=given["trace"] or None,
        attempt_timeout=given["timeout"],  # as in bench eval
        **{name: given[name] for name in _PASSED},
    )
    logs = retry(Catalog.installed(), given["logs"], display=given["display"], options=options)
    return report([summarize(log) for log in logs], as_json=given["as_json"])


_PASSED = (
    "log_dir",
    "log_samples",
    "log_images",
    "log_buffer",
    "score",
    "max_connections",
    "timeout",
    "max_retries",
    "max_subprocesses",
    "sandbox_cleanup",
    "retry_on_error",
)
