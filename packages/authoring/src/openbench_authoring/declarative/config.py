"""A benchmark as a declaration: where its rows are, what their columns mean, and how they are asked and scored."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Union

from openbench_authoring.declarative.fields import (
    FIELDS,
    AnswerFormat,
    DataType,
    Sampling,
    field_faults,
    raise_faults,
)
from openbench_authoring.declarative.kinds import optional, path

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer
    from inspect_ai.solver import Solver

FILE_TYPES = frozenset({"jsonl", "json", "csv"})
_UNREAD = (".parquet", ".arrow", ".feather", ".xls", ".xlsx")
_MERGED = ("field_mapping", "solver_args", "scorer_args", "default_fields", "generate", "metadata")
# Fields that are dropped with another: a pin belongs to one source, arguments belong to one solver.
_FALLS_WITH = {
    "data_source": ("revision", "sha256", "folder"),
    "solver": ("solver_args",),
    "scorer": ("scorer_args",),
}
WEAVE_FORM = "weave:///entity/project/object/Name:version"
_WEAVE_URI = re.compile(r"weave:///[^/]+/[^/]+/object/[^/:]+:[^/:]+")


@dataclass(frozen=True, kw_only=True)
class BenchmarkConfig:
    """A benchmark without code. All errors are reported at once, on creation.

    Attributes:
        data_type: `jsonl`, `json` or `csv` for a file, `hf` for the Hub, `weave` for a published dataset.
        data_source: The path or URL of a file, a Hub dataset id, or `weave:///entity/project/object/Name:version`.
        field_mapping: The columns of `id`, `input`, `target`, `choices`, and of any other name, which goes to the
            samples' metadata. A list means the first column that a row has; `choices.text` and `answers.0` are paths
            into a column. Columns that are not mapped go to the metadata under their own names.
        answer_format: The format of the target in the rows.
        solver: The solver: a short name, `name@distribution`, `package/name`, `file.py@name`, or a function.
        solver_args: Its arguments.
        scorer: The scorer, likewise.
        scorer_args: Its arguments.
        system_message: The system message, a template: `{name}` is replaced by the value in a sample's metadata;
            `{{` and `}}` are braces.
        show_choices: Whether the question shows the choices under letters, as `MCQEval` writes them. By default it does
            if all targets are letters of them, unless the solver is `multiple_choice`, which shows them itself. False
            is for another solver that does so, and for questions that already include their options.
        base: Another benchmark, whose fields this one overrides: a declaration, the path of a `.toml` file, the key of
            another one of the same package, the name of an installed benchmark, or a module whose task function has the
            name of its last part, such as `inspect_evals.squad.squad`.
        split: The split of a Hub dataset; of a published dataset, the value of the column `split`, if there is one; of
            a file, the name of its sample rows.
        config: The configuration of a Hub dataset.
        revision: The commit of a Hub dataset.
        sha256: The digest of a file.
        sampling: How `limit` rows are chosen: equally many of each category, or in proportion.
        sampling_by: The column, or metadata key, of the category.
        limit: The number of samples.
        shuffle: Whether to shuffle their order.
        seed: The seed of everything random.
        default_fields: Values for columns that are missing or null in a row.
        few_shot: Examples before each question: `count` with `split` or `source`, or a fixed list `examples`; and
            `by`, `seed`, `as` (`turns` or `message`).
        cue: The beginning of the answer, for samples without their own `cue`.
        epochs: The number of epochs.
        generate: Generation settings, as in Inspect's `GenerateConfig` (`temperature`, `max_tokens`, …).
        metadata: The fields of `BenchmarkMetadata`, and `licence`; any other key is the author's own, and goes to the
            metadata of logs.
        folder: The base of relative paths; by default the folder of the module that makes the declaration, or of the
            TOML file, and outside of files the working directory.
        given: The names of the fields that were given.
    """

    data_type: DataType | None = None
    data_source: str | Path | None = None
    field_mapping: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    answer_format: AnswerFormat = "index_0"
    solver: "str | Callable[..., Solver] | Solver" = "multiple_choice"
    solver_args: Mapping[str, Any] = field(default_factory=dict)
    scorer: "str | Callable[..., Scorer] | Scorer" = "choice"
    scorer_args: Mapping[str, Any] = field(default_factory=dict)
    system_message: str | None = None
    show_choices: bool | None = None
    base: Union["BenchmarkConfig", str, Path, None] = None
    split: str | None = None
    config: str | None = None
    revision: str | None = None
    sha256: str | None = None
    sampling: Sampling | None = None
    sampling_by: str | None = None
    limit: int | None = None
    shuffle: bool = False
    seed: int = 0
    default_fields: Mapping[str, Any] = field(default_factory=dict)
    few_shot: Mapping[str, Any] = field(default_factory=dict)
    cue: str | None = None
    epochs: int | None = None
    generate: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    given: frozenset[str] = field(init=False, repr=False, compare=False)

    def __new__(cls, **given: Any) -> Self:
        """Remember which fields are given, since only those change a base; refuse those that do not exist."""
        if not FIELDS.keys() | {"folder"} >= given.keys():
            raise_faults(cls.__name__, faults_of(given))
        config = super().__new__(cls)
        object.__setattr__(config, "given", frozenset(given))
        return config

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            UsageError: Some are invalid.
        """
        raise_faults(type(self).__name__, faults_of(self.fields()))
        if self.folder is None:
            object.__setattr__(self, "folder", _folder_of_caller())

    def fields(self) -> dict[str, Any]:
        """Return the fields that were given, and the folder of their relative paths."""
        given = {name: getattr(self, name) for name in FIELDS if name in self.given}
        return {**given, "folder": self.folder} if self.folder else given

    def over(self, base: "BenchmarkConfig", *, where: str = "BenchmarkConfig") -> "BenchmarkConfig":
        """Return a base with the fields that this one gives.

        Tables are merged key by key, except `few_shot`, which is replaced. A new `data_source` drops the pin, and a new
        solver or scorer drops `solver_args` or `scorer_args`.

        Args:
            base: The base, which is not modified.
            where: The name of this one in messages.

        Raises:
            UsageError: The result is invalid.
        """
        mine, theirs = self.fields(), base.fields()
        mine.pop("base", None)
        for name, fallen in _FALLS_WITH.items():
            if name in mine:
                theirs = {key: value for key, value in theirs.items() if key not in fallen}
        if "data_source" not in mine:
            mine.pop("folder", None)
        tables = {name: {**theirs[name], **mine[name]} for name in _MERGED if name in mine and name in theirs}
        return declared(where, {**theirs, **mine, **tables})


def declared(where: str, given: Mapping[str, Any]) -> BenchmarkConfig:
    """Make a declaration from fields.

    Args:
        where: Its name in messages: the path of its file.
        given: The fields.

    Raises:
        UsageError: Some are invalid.
    """
    raise_faults(where, faults_of(given))
    return BenchmarkConfig(**given)


def faults_of(given: Mapping[str, Any]) -> list[str]:
    """Return the errors in a declaration's fields: in each field, or else in the whole if it has no base."""
    faults = field_faults(given, {**FIELDS, "base": optional(_base), "folder": optional(path)})
    return faults if faults or given.get("base") is not None else _rule_faults(given)


def _rule_faults(given: Mapping[str, Any]) -> list[str]:
    hub, file = given.get("data_type") == "hf", given.get("data_type") in FILE_TYPES
    source, shots = given.get("data_source"), given.get("few_shot") or {}
    fixed = "examples" in shots
    drawn = ", ".join(f"few_shot.{name}" for name in ("split", "source", "by") if name in shots)
    rules = {
        "data_type is needed: jsonl, json, csv, hf or weave.": "data_type" not in given,
        "data_source is needed: a file, a Hub dataset id or a weave URI.": source is None,
        "split is needed for a dataset of the Hub.": hub and not given.get("split"),
        "config is for datasets of the Hub only.": not hub and bool(given.get("config")),
        "revision is for datasets of the Hub only; sha256 pins a file.": not hub and bool(given.get("revision")),
        "sha256 is for files only; revision pins a dataset of the Hub.": not file and bool(given.get("sha256")),
        f"data_source is {source!r}, where {WEAVE_FORM} is expected.": given.get("data_type") == "weave"
        and not is_weave_uri(str(source)),
        f"data_source is {source!r}, a file of a type that cannot be read; jsonl, json and csv can be.": (hub or file)
        and str(source).lower().endswith(_UNREAD),
        "sampling needs sampling_by, the column that holds the category.": bool(given.get("sampling"))
        and not given.get("sampling_by"),
        "sampling_by needs sampling, which is balanced or stratified.": bool(given.get("sampling_by"))
        and not given.get("sampling"),
        "few_shot needs count, or examples.": bool(shots) and not fixed and "count" not in shots,
        "few_shot.count and few_shot.examples exclude each other.": fixed and "count" in shots,
        f"few_shot.examples are shown as they are; leave out {drawn}.": fixed and bool(drawn),
        "few_shot.split is for datasets of the Hub only; few_shot.source names another file.": "split" in shots
        and not hub,
        "few_shot.source is for files only; few_shot.split names another split.": "source" in shots and not file,
    }
    return [rule for rule, broken in rules.items() if broken]


def is_url(text: str) -> bool:
    """Return whether a source is a URL rather than the path of a file."""
    return "://" in text


def is_module(base: object) -> bool:
    """Return whether a base is the path of a module, such as `inspect_evals.squad.squad`."""
    return isinstance(base, str) and "." in base and all(map(str.isidentifier, base.split(".")))


def is_weave_uri(text: str) -> bool:
    """Return whether a text has the form `weave:///entity/project/object/Name:version`."""
    return _WEAVE_URI.fullmatch(text) is not None


def _folder_of_caller() -> Path | None:
    """Return the folder of the module that makes a declaration; None for one without a file, or of this package."""
    frame = inspect.currentframe()
    for _ in ("this function", "__post_init__", "__init__"):
        frame = frame.f_back if frame else None
    names = frame.f_globals if frame else {}
    file = names.get("__file__")
    return Path(file).absolute().parent if file and names["__name__"] != __name__ else None


def _base(value: object) -> str:
    fits = isinstance(value, BenchmarkConfig) or not path(value)
    return "" if fits else "a declaration, a name or the path of a .toml file"
