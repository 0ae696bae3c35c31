"""`bench export hf`: the tables as a dataset on the Hugging Face Hub.

The dataset has the configurations `results`, `stats` and `samples`. Each log has a file of its own in each, named after
its benchmark, model and id: further logs add rows, and a log that is uploaded again replaces its own. One commit adds
all files, so that an upload that fails leaves the dataset as it was.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml
from huggingface_hub import CommitOperationAdd, HfApi, get_token, hf_hub_download
from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, HFValidationError
from huggingface_hub.repocard import RepoCard
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]  # it is exported lazily

from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import redacted_text
from openbench_analysis.exports.origin import slug
from openbench_analysis.exports.tables import tables_of, write_table
from openbench_analysis.runs import Run

_CONFIGS = ("results", "stats", "samples")
_CARD = """# Evaluation results

Written by `bench export hf` of openbench-analysis. `results` has a row for each log: the score, its standard error and
what produced it. `stats` has the tokens of each model, and `samples` each sample's input, completion and score.
"""


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where logs are uploaded.

    Attributes:
        repo: The dataset, as `organisation/name`.
        private: Whether the dataset must be private; None leaves a new one to the organisation's default.
        benchmark: What `benchmark` is in the tables in place of the log's.
        model: What `model` is, likewise.
    """

    repo: str
    private: bool | None = None
    benchmark: str | None = None
    model: str | None = None

    def check(self, benchmarks: set[str], models: set[str]) -> None:
        """Check what can be known before an upload, for runs of benchmarks on models.

        Raises:
            UsageError: The name is not valid for a dataset, no token is set, or one name denotes several runs.
        """
        try:
            validate_repo_id(self.repo)
        except HFValidationError as error:
            raise UsageError(f"--hub-repo {self.repo}: not a valid name on the Hub: {error}") from error
        if self.repo.count("/") != 1:
            raise UsageError(f"--hub-repo {self.repo}: expected the name of a dataset, as organisation/name.")
        for option, name, names in (
            ("--hub-benchmark-name", self.benchmark, benchmarks),
            ("--hub-model-name", self.model, models),
        ):
            if name and len(names) > 1:
                raise UsageError(f"{option} {name}: one name cannot stand for {', '.join(sorted(names))}.")
        if not get_token():
            raise UsageError(f"--hub-repo {self.repo}: the Hub needs a token. Set HF_TOKEN, or run hf auth login.")


@dataclass(frozen=True)
class Uploaded:
    """The result of an upload: the dataset's address, and the rows added to each configuration."""

    url: str
    rows: Mapping[str, int]


def upload(runs: Sequence[Run], target: Target) -> Uploaded:
    """Upload runs to a dataset, which is created if it does not exist.

    Raises:
        UsageError: What `Target.check` raises.
        OpenbenchError: The upload failed, or the dataset is public and should be private.
    """
    target.check({run.benchmark for run in runs}, {run.model for run in runs})
    api = HfApi()
    with tempfile.TemporaryDirectory() as folder, _explained(target.repo):
        api.create_repo(target.repo, repo_type="dataset", private=target.private, exist_ok=True)
        if target.private and not api.dataset_info(target.repo).private:
            raise OpenbenchError(
                f"{target.repo} is public, and --hub-private asks for a private dataset. Make it private in its "
                "settings, or name another with --hub-repo. Nothing was uploaded."
            )
        rows = _write(runs, target, Path(folder))
        (Path(folder) / "README.md").write_text(_card(target.repo), "utf-8")
        names = ", ".join(dict.fromkeys(target.benchmark or run.benchmark for run in runs))
        commit = api.create_commit(
            target.repo,
            [
                CommitOperationAdd(path.relative_to(folder).as_posix(), path)
                for path in sorted(Path(folder).rglob("*.*"))
            ],
            commit_message=f"Add results of {names}",
            repo_type="dataset",
        )
    return Uploaded(str(commit.repo_url), rows)


def _write(runs: Sequence[Run], target: Target, folder: Path) -> dict[str, int]:
    counts = dict.fromkeys(_CONFIGS, 0)
    names = {name: value for name in ("benchmark", "model") if (value := getattr(target, name))}
    for run in runs:
        stem = slug(target.benchmark or run.benchmark, target.model or run.model, run.log.eval.eval_id)
        for config, (schema, rows) in tables_of([run]).items():
            (folder / config).mkdir(exist_ok=True)
            counts[config] += write_table(
                folder / config / f"{stem}.parquet", schema, ({**row, **names} for row in rows)
            )
    return counts


def _card(repo: str) -> str:
    """Return the dataset's card, with our configurations besides those that it has."""
    try:
        card = RepoCard.load(hf_hub_download(repo, "README.md", repo_type="dataset"))
    except EntryNotFoundError:
        card = RepoCard(f"---\nconfigs: []\n---\n\n{_CARD}")
    data = card.data.to_dict()
    configs: list[dict[str, Any]] = [*(data.get("configs") or ())]
    there = {config.get("config_name") for config in configs}
    for name in _CONFIGS:
        if name not in there:
            files = [{"split": "train", "path": f"{name}/*.parquet"}]
            configs.append({"config_name": name, "data_files": files})
    header = yaml.safe_dump({**data, "configs": configs}, sort_keys=False, allow_unicode=True)
    return f"---\n{header}---\n{card.text}"


@contextmanager
def _explained(repo: str) -> Iterator[None]:
    try:
        yield
    except HfHubHTTPError as error:
        status = error.response.status_code
        reason = error.server_message or str(error).splitlines()[0]
        way_out = " Set HF_TOKEN to a token that may write to it." if status in {401, 403} else ""
        raise _failure(repo, f"HTTP {status}: {reason.rstrip('.')}.{way_out}") from error
    except (httpx.HTTPError, OSError, ValueError, RuntimeError) as error:
        raise _failure(repo, f"{type(error).__name__}: {error}") from error


def _failure(repo: str, reason: str) -> OpenbenchError:
    return OpenbenchError(f"{repo}: the upload failed: {redacted_text(reason)}")
