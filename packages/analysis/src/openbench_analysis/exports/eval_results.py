"""`bench export eval-results`: scores as files of `.eval_results/`, which a model's repository on the Hub shows.

The format: https://huggingface.co/docs/hub/eval-results.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

from openbench.errors import LogError, UsageError
from openbench_analysis.exports.origin import dataset_of, finite, hub_dataset, origin_of, slug
from openbench_analysis.runs import Run

_FOLDER = ".eval_results"


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Facts about the Hub that a log does not hold.

    Attributes:
        tasks: The id of the task in its dataset's `eval.yaml`, by benchmark; that under None is for all.
        datasets: The dataset that has the leaderboard, likewise; by default the one that was read.
        percent: Whether scores of 0 to 1 are written as percentages.
        url: Where the logs, or a report on them, can be read.
        name: The name of that source.
        user: Its user on the Hub.
    """

    tasks: Mapping[str | None, str]
    datasets: Mapping[str | None, str]
    percent: bool = False
    url: str | None = None
    name: str | None = None
    user: str | None = None

    @classmethod
    def of(
        cls,
        tasks: Sequence[str],
        datasets: Sequence[str],
        *,
        percent: bool = False,
        url: str | None = None,
        name: str | None = None,
        user: str | None = None,
    ) -> "Choices":
        """Read the options of the command line, each text being `[BENCHMARK=]VALUE`.

        Raises:
            UsageError: A source has no address.
        """
        if (name or user) and not url:
            raise UsageError("--source-name and --source-user need --source-url.")
        return cls(tasks=_pairs(tasks), datasets=_pairs(datasets), percent=percent, url=url, name=name, user=user)


def write_eval_results(runs: Sequence[Run], folder: Path, choices: Choices) -> list[Path]:
    """Write `.eval_results/BENCHMARK.yaml` for each run, and return the files.

    Args:
        runs: One model's runs of different benchmarks.
        folder: The checkout of the model's repository, or any folder.
        choices: What the logs do not know.

    Raises:
        UsageError: The runs are of several models, or twice of a benchmark; something is missing in the choices; a file
            is there already, with other content.
        LogError: A run is not a result: it did not end, has no score or read only sample rows.
    """
    if len(models := sorted({run.model for run in runs})) > 1:
        raise UsageError(f"The logs are of several models: {', '.join(models)}. Export each into its own repository.")
    if twice := [name for name, count in Counter(run.benchmark for run in runs).items() if count > 1]:
        raise UsageError(f"There are several logs of {', '.join(twice)}. Name the one to publish.")
    texts = {folder / _FOLDER / f"{slug(run.benchmark)}.yaml": _text(run, choices) for run in runs}
    for path, text in texts.items():
        if path.exists() and path.read_text("utf-8") != text:
            raise UsageError(f"{path} is there already. Remove it, or write to another folder.")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return [*texts]


def _text(run: Run, choices: Choices) -> str:
    entries = eval_result_entries_to_yaml([_entry(run, choices)])
    return yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=120)


def _entry(run: Run, choices: Choices) -> EvalResultEntry:
    own = hub_dataset(run)
    dataset = _choice(choices.datasets, run.benchmark) or own
    if dataset is None:
        raise UsageError(
            f"{run.benchmark}: the log names no dataset on the Hub. Give the one that has the leaderboard: "
            f"--dataset {run.benchmark}=ORGANISATION/NAME"
        )
    task = _choice(choices.tasks, run.benchmark)
    if task is None:
        raise UsageError(
            f"{run.benchmark}: the Hub needs the id of its task, which https://huggingface.co/datasets/{dataset}/blob/"
            f"main/eval.yaml lists: --task-id {run.benchmark}=ID"
        )
    return EvalResultEntry(
        dataset_id=dataset,
        task_id=task,
        value=_value(run, percent=choices.percent),
        dataset_revision=dataset_of(run).get("revision") if dataset == own else None,
        date=str(run.log.eval.created)[:10],
        source_url=choices.url,
        source_name=choices.name,
        source_user=choices.user,
        notes="; ".join(_notes(run, percent=choices.percent)),
    )


def _value(run: Run, *, percent: bool) -> float:
    score = finite(run.summary.score)
    if run.log.status != "success" or score is None:
        raise LogError(f"{run.location}: its status is {run.log.status}, and its score {score}: it is not a result.")
    if run.provenance.sample:
        raise LogError(f"{run.location}: it read the sample rows of its package, which are not a benchmark's result.")
    if percent and not 0 <= score <= 1:
        raise UsageError(f"{run.location}: its score is {score:g}. --percent is for scores of 0 to 1.")
    return 100 * score if percent else score


def _notes(run: Run, *, percent: bool) -> Iterator[str]:
    """Yield what produced a score."""
    origin, rows = origin_of(run), origin_of(run)["dataset_rows"]
    stderr = finite(run.summary.stderr)
    of_rows = f" of {rows:,}" if rows and rows != len(run.items) else ""
    error = f", standard error {100 * stderr if percent else stderr:.2g}" if stderr is not None else ""
    yield f"{run.summary.metric} of {len(run.items):,}{of_rows} samples{error}"
    if run.provenance:
        provider = f"{origin['distribution']} {origin['version']}" if origin["distribution"] else "a local benchmark"
        yield f"{run.benchmark} from {provider} (rule: {origin['rule']}), openbench-core {origin['core']}"
    if origin["dataset_sha256"]:
        yield f"rows sha256 {origin['dataset_sha256']}"
    if origin["inspect_ai"]:
        yield f"inspect-ai {origin['inspect_ai']}"


def _choice(values: Mapping[str | None, str], benchmark: str) -> str | None:
    return values.get(benchmark) or values.get(None)


def _pairs(texts: Sequence[str]) -> dict[str | None, str]:
    split = (text.rpartition("=") for text in texts)
    return {name or None: value for name, _, value in split}
