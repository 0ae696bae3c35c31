"""The entry point of `bench eval --dry-run`, imported after the options are parsed and before inspect-ai."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openbench.registry.catalog import Catalog
    from openbench.run.plan import Plan


def dry_run_command(catalog: Catalog, plan: Plan, *, display: str, price: str | None, as_json: bool) -> int:
    """Estimate every job of a plan and write the estimates.

    Args:
        catalog: The catalog of benchmarks.
        plan: The plan.
        display: How a run would show its progress, which affects the choice of an engine.
        price: The price of all models, such as `2,8`; by default, the project's price of each.
        as_json: Whether to write JSON.

    Returns:
        The exit code.
    """
    from openbench_dryrun.prices import parse_price

    parsed = parse_price(price) if price else None
    from openbench_dryrun.dry_run import dry_run
    from openbench_dryrun.report import report_estimates

    return report_estimates(dry_run(catalog, plan, display=display, price=parsed), as_json=as_json)
