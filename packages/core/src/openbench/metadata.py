"""The metadata of benchmarks, which `bench list` and `bench describe` show.

Metadata modules of plugins import this module, which imports the standard library only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Need = Literal["grader", "sandbox", "tools", "vision"]
DatasetType = Literal["hf", "csv", "json", "text", "file"]


@dataclass(frozen=True, kw_only=True)
class DatasetSource:
    """The source of a benchmark's rows, with its pin; tasks read the pin from here.

    Attributes:
        source: A Hub dataset id (`openai/gsm8k`), or the URL or path of a file.
        type: `hf` for the Hub; for a file `csv`, `json` (or JSON Lines), `text` (one row with the column `text`), or
            `file` (one row with the column `bytes`: the file as it is published, such as an archive).
        config: The Hub dataset's configuration.
        split: The split that is evaluated by default.
        revision: The commit of a Hub dataset (or of the repository that a file's URL names), 40 hex digits.
        sha256: The digest of a file, 64 hex digits.
        md5: Another digest of a file, 32 hex digits, for publishers that give no better one.
        licence: The rows' licence, as an SPDX identifier if it has one.
        verified: The number of real rows that were tested: each became a sample, and its reference scored full marks.
            None if no real rows were at hand, and their columns are known from documentation alone.
    """

    source: str
    type: DatasetType = "hf"
    config: str | None = None
    split: str | None = None
    revision: str | None = None
    sha256: str | None = None
    md5: str | None = None
    licence: str | None = None
    verified: int | None = None

    @property
    def pinned(self) -> bool:
        """Whether the rows can never change."""
        return bool(self.sha256 or self.md5) or (self.revision is not None and len(self.revision) == 40)  # noqa: PLR2004

    def arguments(self, *, split: str | None = None, config: str | None = None) -> dict[str, Any]:
        """Return the source as arguments of `MCQEval`, for another split or configuration if one is given."""
        pin = {"revision": self.revision} if self.type == "hf" else {"sha256": self.sha256, "md5": self.md5}
        return {
            "dataset_type": self.type,
            "dataset_path": self.source,
            "subset_name": config or self.config,
            "split": split or self.split,
            "dataset_kwargs": {name: value for name, value in pin.items() if value},
        }


@dataclass
class BenchmarkMetadata:
    """One benchmark, described without importing it.

    The first eight fields are the published plugin contract, in its order.

    Attributes:
        name: The display name.
        description: One sentence.
        category: The heading under which `bench list` shows it.
        tags: Words that `bench list --search` matches, besides its names and description.
        module_path: The module of the task function.
        function_name: The task function's name in that module.
        is_alpha: Whether it is experimental, and hidden by default.
        subtask: Whether it is a part of another benchmark, and hidden by default.
        overrides: The distribution whose benchmark of the same name this one replaces.
        builtin: Whether any other distribution that provides the name replaces this one.
        dataset: The source of its rows.
        homepage: The benchmark's own page.
        paper: The paper that defines it, as a URL.
        samples: The number of samples by default.
        primary_metric: The metric that tables show; KEY or KEY/METRIC if a score has several values.
        higher_is_better: The direction of that metric.
        languages: The languages of its samples, as ISO 639 codes.
        needs: Requirements of a run besides a model: a grader, a sandbox, tools, vision.
        notes: Sentences for readers of a score, such as on settings that differ from the original's.
    """

    name: str
    description: str
    category: str
    tags: Sequence[str]
    module_path: str
    function_name: str
    is_alpha: bool = False
    subtask: bool = False
    overrides: str | None = field(default=None, kw_only=True)
    builtin: bool = field(default=False, kw_only=True)
    dataset: DatasetSource | None = field(default=None, kw_only=True)
    homepage: str | None = field(default=None, kw_only=True)
    paper: str | None = field(default=None, kw_only=True)
    samples: int | None = field(default=None, kw_only=True)
    primary_metric: str = field(default="accuracy", kw_only=True)
    higher_is_better: bool = field(default=True, kw_only=True)
    languages: Sequence[str] = field(default=(), kw_only=True)
    needs: Sequence[Need] = field(default=(), kw_only=True)
    notes: Sequence[str] = field(default=(), kw_only=True)


@dataclass
class BenchmarkGroup:
    """A suite: benchmarks of any distributions that run together under one name.

    Attributes:
        name: The display name.
        description: One sentence.
        category: The heading under which `bench list` shows it.
        benchmarks: The keys of its members.
    """

    name: str
    description: str
    category: str
    benchmarks: Sequence[str]
