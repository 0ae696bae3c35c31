"""Tells the progress line of waiting requests. It is imported late, since inspect announces every hook."""

from inspect_ai.hooks import Hooks, ModelRetry, hooks

from openbench.run import progress


@hooks(name="openbench_progress", description="Shows the progress of bench eval in one line.")
class ProgressHooks(Hooks):
    """Says what requests wait for, for `progress_line`."""

    def enabled(self) -> bool:
        """Return whether a line is being shown."""
        return progress.shown()

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Say what a request waits for."""
        cause = data.exception_type or "an error"
        status = f" {data.status_code}" if data.status_code else ""
        progress.waiting(f"retry {data.attempt} of {data.model_name}", data.wait_time, f"{cause}{status}")
