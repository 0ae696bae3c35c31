"""What the probes report of a benchmark: plain data, so that rules can be tested without a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from openbench.metadata import BenchmarkMetadata

DONE = ".done"
"""The suffix of the empty file that marks the end of each of `RUNS` runs, for the progress bar."""

RUNS = 7

RESCORED = ("empty", "mixed")
"""The runs whose logs are scored again: with nothing in them, and with right and wrong answers in turn."""


@dataclass(frozen=True, kw_only=True)
class Light:
    """What importing a distribution's metadata did.

    Attributes:
        imported: The heavy modules that came along.
        sockets: What it asked of the network.
        error: Why it could not be imported.
    """

    imported: Sequence[str] = ()
    sockets: Sequence[str] = ()
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class Built:
    """A task, built from the benchmark's sample rows in a process without a network.

    Attributes:
        error: Why it could not be built.
        samples: Whether the benchmark brings sample rows.
        attempts: What it asked of the network.
        task: The task function's registered name; None if it has none.
        scorers: Each scorer's registered name, and the module that defines it.
        ids: The samples' ids.
        contents: For each sample, a digest of what it asks and of its target.
        options: For each sample, a digest of its lettered options and its target, in their order.
        reversed_options: The same when the rows come in reverse; None if this process did not look.
        waivers: The module's `WAIVERS`; a reason that is no text is empty.
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
    """Where the right answers stand, in all rows of a benchmark that are on this machine.

    Attributes:
        error: Why its task cannot be built from them.
        present: Whether they are on this machine.
        digest: A digest of what all samples ask, and of their targets.
        texts: How many samples offer some letters of which some are right, by `<offered> <right>`, such as `ABCD B`.
        labels: The same of samples whose options are labels, the same under many questions.
        published: Whether the rows themselves name the letters.
    """

    error: str | None = None
    present: bool = False
    digest: str = ""
    texts: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, int] = field(default_factory=dict)
    published: bool = False


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a model sees of a sample.

    Attributes:
        id: The sample's id.
        text: The text of all system and user messages, without the passage that the sample is asked about.
        targets: The right answers.
        options: How many lettered options the last message offers; 0 if the target is no letter of them.
    """

    id: str
    text: str
    targets: Sequence[str]
    options: int = 0


@dataclass(frozen=True, kw_only=True)
class Prompts:
    """What a model is asked of the first samples, written as goldens are.

    Attributes:
        error: Why it could not be had.
        files: The text of each golden by its file's name.
    """

    error: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Goldens:
    """The prompts that a package keeps.

    Attributes:
        folder: The folder of the benchmark's, as messages name it.
        files: The text of each by its file's name.
        strangers: The folders beside it that hold goldens of no benchmark of the distribution.
    """

    folder: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    strangers: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Run:
    """One evaluation of the sample rows, in figures.

    Attributes:
        error: Why it failed, or the first sample's error.
        metric: The headline metric's name.
        score: Its value.
        answered: The share of samples that hold an answer.
        unscored: How many samples have no verdict.
        metrics: All metrics by `scorer/name`.
        values: Each sample's id and headline score; None where that is no number.
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
    """All that is known of one benchmark.

    Attributes:
        benchmark: Its reference, `name@distribution` or a path.
        key: Its name.
        metadata: What it says of itself.
        distribution: Who provides it; None for a local eval.
        beside: The folder in which a local eval lies; None for an installed benchmark.
        plugins: The names of its distribution's `inspect_ai` entry points.
        brought: The sha256 of its rows, where they are a file on this machine.
        light: What importing its metadata did; None for a local eval.
        builds: Its task, as two processes with different hash seeds build it.
        letters: Where the right answers of all its rows stand, as the same two processes see them.
        shown: What a model sees of each sample.
        prompts: What it is asked now.
        goldens: What it was asked when its prompts were kept.
        runs: Its evaluations by phase (`probes.evaluate.PHASES`).
        rescored: Those of `RESCORED`, after a fresh process has scored their logs again.
    """

    benchmark: str
    key: str
    metadata: BenchmarkMetadata
    distribution: str | None = None
    beside: str | None = None
    plugins: Sequence[str] = ()
    brought: str | None = None
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
        """The import package that holds its task."""
        return self.metadata.module_path.partition(".")[0]

    @property
    def best(self) -> float:
        """What a run of right answers scores."""
        return 1.0 if self.metadata.higher_is_better else 0.0

    @property
    def build_error(self) -> str | None:
        """Why its task could not be built in one of the two processes."""
        return next((built.error for built in self.builds if built.error), None)
