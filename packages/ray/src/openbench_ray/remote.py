"""An executor that plans, records and assembles a run here, and runs its samples on a cluster."""

import contextlib
import pickle
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from openbench.datasets import Rows, rows_read
from openbench.errors import OpenbenchError, UsageError
from openbench.registry.catalog import Catalog
from openbench.run.engine import PreparedJob
from openbench.run.executor import Result
from openbench.run.local_executor import LocalExecutor
from openbench.run.plan import Plan, plan_to_json
from openbench.run.recording import RunRecording
from openbench.tasks.provenance import Provenance
from openbench_fast.engines import run_journalled, runner_of
from openbench_fast.process_count import why_not_split
from openbench_fast.recording import HostRecording
from openbench_fast.sample_queue import SampleQueue
from openbench_ray.data import entries_of, sent
from openbench_ray.dispatch import Dispatch
from openbench_ray.environment import needed, runtime_environment
from openbench_ray.executor import Options
from openbench_ray.link import Link
from openbench_ray.messages import Connect, Connected, Prepare, Setup
from openbench_ray.variables import passed_on, pip_options

RAY_LOG = "ray.log"


class RemoteRun(LocalExecutor):
    """Runs a plan once."""

    def __init__(self, catalog: Catalog, *, display: str, options: Options, link: Link) -> None:
        """Create an executor.

        Args:
            catalog: The benchmarks installed here.
            display: How progress is shown.
            options: The executor's options.
            link: The driver.
        """
        super().__init__(catalog, display=display)
        self._options = options
        self._link = link
        self._read: list[Rows] = []
        self._variables: Mapping[str, str] = {}
        self._cluster: Connected | None = None

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run all jobs; see `Executor`."""
        if not plan.resume:  # a resumed run may be complete, and need no cluster
            self._connect()
        with rows_read() as self._read:
            return super().execute(plan)

    def _connect(self) -> Connected:
        """Connect, unless already connected.

        Raises:
            UsageError: There is no such cluster, or a variable of `--env` is not set.
        """
        if self._cluster is None:
            self._variables = passed_on(self._options.variables)
            self._link.send(Connect(self._options.address))
            try:
                self._cluster = self._link.receive()
            except OpenbenchError as error:
                raise UsageError(str(error)) from error
        return self._cluster

    def check(self, plan: Plan, prepared: Sequence[PreparedJob]) -> None:
        """Refuse jobs that workers cannot run; see `LocalExecutor`."""
        if plan.processes and plan.processes > 1:
            raise UsageError("--processes is for one machine. On a cluster, use --workers.")
        for each in prepared:
            runner_of(each.engine)
            if reason := why_not_split(each.task, plan, self.display, forked=False):
                key = Provenance.of(each.task).benchmark
                raise UsageError(f"{key}: --executor ray cannot split it: {reason}. Omit --executor ray.")
        plan_to_json(plan)  # raises an error for arguments that cannot be sent
        if self._options.install:
            pip_options()  # raises an error for options that must not be sent

    def run_jobs(
        self, prepared: Sequence[PreparedJob], roles: Mapping[str, Model], recording: RunRecording
    ) -> Mapping[str, EvalLog]:
        """Run jobs on the cluster; see `LocalExecutor`."""
        return run_journalled(
            recording,
            [each.task for each in prepared],
            lambda host: self._run_samples(prepared, roles, host),
        )

    def _run_samples(
        self, prepared: Sequence[PreparedJob], roles: Mapping[str, Model], recording: HostRecording
    ) -> Mapping[str, EvalLog]:
        cluster = self._connect()
        queue = SampleQueue(recording, [each.task for each in prepared], roles)
        try:
            with contextlib.suppress(KeyboardInterrupt):
                dispatch = Dispatch(self._link, queue, prepared, recording, self._options.workers)
                self._announce(cluster, dispatch.workers(cluster.cpus))
                self._get_ready(prepared)
                dispatch.serve(cluster.cpus)
        except OpenbenchError as error:
            if recording.failure or recording.run.writer.failure:
                raise
            with contextlib.suppress(OSError):
                shutil.copyfile(self._link.log, recording.run.directory.path / RAY_LOG)
            return queue.outcomes(str(error))
        return queue.outcomes()

    def _get_ready(self, prepared: Sequence[PreparedJob]) -> None:
        """Prepare the cluster for a run."""
        entries = entries_of(self._read)
        setup = pickle.dumps(Setup(self._variables, [entry.key for entry in entries]))
        with tempfile.TemporaryDirectory(prefix="openbench-ray-") as folder:
            environment = None
            if self._options.install:
                requirements = needed(_distributions(prepared), self._options.requirements)
                environment = runtime_environment(requirements, Path(folder))
            self._link.send(Prepare(environment, setup, sent(entries)))
            self._link.receive()  # Ray has copied the wheels

    def _announce(self, cluster: Connected, workers: int) -> None:
        nodes = cluster.nodes
        where = f"{nodes} {'node' if nodes == 1 else 'nodes'} of {cluster.address}"
        done = ", which install the packages of this run first" if self._options.install else ""
        sys.stderr.write(f"{workers} {'worker' if workers == 1 else 'workers'} on {where}{done}\n")


def _distributions(prepared: Sequence[PreparedJob]) -> set[str]:
    """Return the packages that a run imports: of benchmarks, models, scorers and solvers."""
    provenances = [Provenance.of(each.task) for each in prepared]
    return {name for each in provenances for name in (each.distribution, *each.versions) if name}
