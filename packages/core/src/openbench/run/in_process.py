"""The executor of this process before there is a plan: what a plan needs takes seconds to import."""

from collections.abc import Sequence

from openbench.run.executor import Executor, Result
from openbench.run.plan import Plan


class InProcess(Executor):
    """Finds benchmarks, and leaves a plan to a `LocalExecutor`."""

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run every job; see `Executor`."""
        from openbench.run.local import LocalExecutor  # noqa: PLC0415 - as above

        return LocalExecutor(self.catalog, display=self.display).execute(plan)
