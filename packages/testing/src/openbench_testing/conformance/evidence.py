"""The probes' reports on a benchmark: plain data, so that rules can be tested without a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from openbench.metadata import BenchmarkMetadata

DONE = ".done"
"""The suffix of the empty file that marks the end of each of `RUNS` runs, for the progress bar."""

RUNS = 7

RESCORED = ("empty", "mixed")
"""The runs whose logs are rescored: with empty answers, and with alternating right and wrong answers."""


@dataclass(frozen=True, kw_only=True)
class Light:
    """The effects of importing a distribution's metadata.

    Attributes:
        imported: The heavy modules that were imported.
        sockets: Its attempts to use the network.
        error: The reason why it could not be imported.
    """

    imported: Sequence[str] = ()
    sockets: Sequence[str] = ()
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class Built:
    """A task, built from the benchmark's sample rows in a process without a network.

    Attributes:
        error: The reason why it could not be built.
        samples: Whether the benchmark has sample rows.
        attempts: Its attempts to use the network.
        task: The task function's registered name; None if it has none.
        scorers: Each scorer's registered name, and the module that defines it.
        ids: The samples' ids.
        contents: For each sample, a digest of its input and target.
        options: For each sample, a digest of its lettered options and its target, in their order.
        reversed_options: The same with the rows in reverse; None if this process did not check.
        waivers: The module's `WAIVERS`; a reason that is not a string is replaced by an empty one.
    """

    error: str | None = None
    samples: bool = True
    attempts: Sequence[str] = ()
    task: str | None = None
    scorers: Sequence[tuple[str, str]] = ()
    ids: Sequence[str | int | None] = ()
    contents: Sequence[str] = ()
    options: Sequence[str] = ()
    reversed_options: Sequence[str] | None = None
    waivers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Letters:
    """The positions of the right answers in all rows of a benchmark on this machine.

    Attributes:
        error: The reason why its task cannot be built from them.
        present: Whether the rows are on this machine.
        digest: A digest of all samples' inputs and targets.
        texts: The number of samples by the letters that they offer and those that are right, such as `ABCD B`.
        labels: The same for samples whose options are labels, shared by many questions.
        published: Whether the rows themselves contain the letters.
    """

    error: str | None = None
    present: bool = False
    digest: str = ""
    texts: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, int] = field(default_factory=dict)
    published: bool = False


@dataclass(frozen=True, kw_only=True)
class Shown:
    """The parts of a sample that a model sees.

    Attributes:
        id: The sample's id.
        text: The text of all system and user messages, without the passage that the sample is about.
        targets: The correct answers.
        options: The number of lettered options in the last message; 0 if the target is not one of their letters.
    """

    id: str
    text: str
    targets: Sequence[str]
    options: int = 0


@dataclass(frozen=True, kw_only=True)
class Prompts:
    """The prompts of the first samples, in the form of goldens.

    Attributes:
        error: The reason why there are none.
        files: The text of each golden by file name.
    """

    error: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Goldens:
    """The prompts that a package stores.

    Attributes:
        folder: The folder of the benchmark's goldens, as named in messages.
        files: The text of each by file name.
        orphans: The sibling folders whose goldens belong to no benchmark of the distribution.
    """

    folder: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    orphans: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Run:
    """The results of one evaluation of the sample rows.

    Attributes:
        error: The reason why it failed, or the first sample's error.
        metric: The primary metric's name.
        score: The primary metric's value.
        answered: The share of samples with an answer.
        unscored: The number of samples without a verdict.
        metrics: All metrics by `scorer/name`.
        values: Each sample's id and primary score; None if that is not a number.
    """

    error: str | None = None
    metric: str | None = None
    score: float | None = None
    answered: float | None = None
    unscored: int = 0
    metrics: Mapping[str, float] = field(default_factory=dict)
    values: Sequence[tuple[str, float | None]] = ()


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All evidence on one benchmark.

    Attributes:
        benchmark: Its reference, `name@distribution` or a path.
        key: Its name.
        metadata: Its metadata.
        distribution: The distribution that provides it; None for a local eval.
        beside: The folder of a local eval; None for an installed benchmark.
        plugins: The names of its distribution's `inspect_ai` entry points.
        local_sha256: The sha256 of its rows, if they are a local file.
        light: The effects of importing its metadata; None for a local eval.
        builds: Its task, as two processes with different hash seeds build it.
        letters: The positions of the right answers of all its rows, in the same two processes.
        shown: The parts of each sample that a model sees.
        prompts: Its current prompts.
        goldens: Its stored prompts.
        runs: Its evaluations by phase (`probes.evaluate.PHASES`).
        rescored: The results of the runs `RESCORED` after a fresh process has rescored their logs.
    """

    benchmark: str
    key: str
    metadata: BenchmarkMetadata
    distribution: str | None = None
    beside: str | None = None
    plugins: Sequence[str] = ()
    local_sha256: str | None = None
    light: Light | None = None
    builds: Sequence[Built] = ()
    letters: Sequence[Letters] = ()
    shown: Sequence[Shown] = ()
    prompts: Prompts = field(default_factory=Prompts)
    goldens: Goldens = field(default_factory=Goldens)
    runs: Mapping[str, Run] = field(default_factory=dict)
    rescored: Mapping[str, Run] = field(default_factory=dict)

    @property
    def package(self) -> str:
        """The import package of its task."""
        return self.metadata.module_path.partition(".")[0]

    @property
    def best(self) -> float:
        """The score of a run of right answers."""
        return 1.0 if self.metadata.higher_is_better else 0.0

    @property
    def build_error(self) -> str | None:
        """The reason why its task could not be built in one of the two processes."""
        return next((built.error for built in self.builds if built.error), None)
