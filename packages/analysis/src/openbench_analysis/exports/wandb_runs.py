"""`bench export wandb`: a run of Weights & Biases for each log."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from openbench.errors import OpenbenchError
from openbench.redaction import redacted_text
from openbench_analysis.exports.origin import slug
from openbench_analysis.exports.tables import SAMPLES, samples_rows
from openbench_analysis.exports.tracking import figures_of, load_extra, settings_of
from openbench_analysis.runs import Run

_NESTED = ("choices", "scores")  # columns that a table of theirs cannot have


def log_to_wandb(
    runs: Sequence[Run], *, project: str, entity: str | None = None, samples: bool = False
) -> Iterator[str]:
    """Log runs, and yield where each is: an address, or offline a folder.

    A run's id is that of its log, so that a log is never there twice. Of this machine nothing is recorded.

    Args:
        runs: The runs.
        project: The project.
        entity: The user or team that has it; by default the user's own.
        samples: Whether to log a table of the samples as well.

    Raises:
        UsageError: wandb is not installed.
        OpenbenchError: It refuses.
    """
    wandb = load_extra("wandb")
    settings = wandb.Settings(
        console="off",
        disable_code=True,
        disable_git=True,
        silent=True,
        x_disable_machine_info=True,
        x_disable_meta=True,
        x_disable_stats=True,
        x_save_requirements=False,
    )
    for run in runs:
        try:
            with wandb.init(
                project=project,
                entity=entity,
                id=slug(run.log.eval.eval_id),
                name=f"{run.benchmark} {run.model}",
                job_type="eval",
                config=settings_of(run),
                resume="allow",
                settings=settings,
            ) as tracked:
                tracked.summary.update(figures_of(run))
                if samples:
                    tracked.log({"samples": _table(wandb, run)})
                place = Path(tracked.dir).parent if tracked.offline else tracked.url
        except wandb.Error as error:
            raise OpenbenchError(f"Weights & Biases: {redacted_text(str(error))}") from error
        yield str(place)


def _table(wandb: Any, run: Run) -> Any:
    names = [name for name in SAMPLES.names if name not in _NESTED]
    return wandb.Table(columns=names, data=[[row[name] for name in names] for row in samples_rows(run)])
