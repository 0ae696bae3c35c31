"""The options of `bench eval` about cost. They are parsed before Inspect is imported, so methods import it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

from typer import Option

from openbench.cli.plugin_options import OptionPanel
from openbench.errors import UsageError

if TYPE_CHECKING:
    from openbench.cli.eval_options import Options
    from openbench.run.executor import Executor
    from openbench.run.plan import Plan


@dataclass(frozen=True)
class Cost(OptionPanel):
    """Estimates the cost of a run, or limits that of its samples."""

    panel: ClassVar = "Cost"
    dry_run: Annotated[
        bool, Option("--dry-run", help="Estimate requests, tokens and cost, and show the first request; send nothing.")
    ] = False
    price: Annotated[
        str | None,
        Option(
            metavar="IN,OUT",
            help="Prices per million input and output tokens, for --dry-run and --cost-limit; by default those of "
            "[tool.openbench.prices].",
        ),
    ] = None
    cost_limit: Annotated[
        float | None,
        Option(min=0, help="Maximum cost per sample, by --price, [tool.openbench.prices] or Inspect's prices."),
    ] = None

    def prepare(self, plan: Plan, given: Options) -> Plan:  # noqa: ARG002 - the signature of all panels
        """Set the limit of cost, with the prices of all models."""
        if self.price and not self.dry_run and self.cost_limit is None:
            raise UsageError("--price needs --dry-run or --cost-limit.")
        if self.cost_limit is None:
            return plan
        from openbench_dryrun.prices import given_prices

        models = [*(job.model.name for job in plan.jobs), *(spec.name for spec in plan.model_roles.values())]
        prices = given_prices(self.price, models)
        return replace(plan, options={**plan.options, "cost_limit": self.cost_limit, "model_cost_config": prices})

    def run_instead(self, plan: Plan, executor: Executor, given: Options) -> int | None:
        """Estimate every job of the plan and write the estimates, for `--dry-run`."""
        if not self.dry_run:
            return None
        if plan.resume:
            raise UsageError("--dry-run estimates whole runs. Leave out --resume.")
        if executor.elsewhere:
            raise UsageError(
                "--dry-run estimates what is installed here. Leave out the executor (--executor, --isolated)."
            )
        from openbench_dryrun.prices import parse_price

        price = parse_price(self.price) if self.price else None
        from openbench_dryrun.dry_run import dry_run
        from openbench_dryrun.report import report_estimates

        estimates = dry_run(executor.catalog, plan, display=executor.display, price=price)
        return report_estimates(estimates, as_json=given.as_json)
