"""Tells the progress line what inspect's engine does. It is imported late, since inspect announces every hook."""

from inspect_ai.hooks import Hooks, ModelRetry, SampleEnd, TaskStart, hooks

from openbench.run import progress


@hooks(name="openbench_progress", description="Shows the progress of bench eval in one line.")
class ProgressHooks(Hooks):
    """Counts what happens, for `progress_line`."""

    def enabled(self) -> bool:
        """Return whether a line is being shown."""
        return progress.shown()

    async def on_task_start(self, data: TaskStart) -> None:
        """Add a task's samples to what is planned."""
        progress.planned(data.spec)

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Count a sample."""
        progress.sample_done(data.sample)

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Say what a request waits for."""
        cause = data.exception_type or "an error"
        status = f" {data.status_code}" if data.status_code else ""
        progress.waiting(f"retry {data.attempt} of {data.model_name}", data.wait_time, f"{cause}{status}")
