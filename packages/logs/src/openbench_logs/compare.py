"""Compares two runs of a benchmark, sample by sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from inspect_ai.log import EvalLog, EvalSample

from openbench.run.identity import CONTENT_KEY
from openbench.run.messages import logged_message

Kind = Literal["missing", "added", "errored", "content", "answer", "score"]


@dataclass(frozen=True)
class Difference:
    """A difference in one sample between two runs.

    Attributes:
        id: The sample's id.
        epoch: Its epoch, from 1.
        kind: `missing` from the second run, `added` by it, `errored` in one of them, or different in `content` (prompt,
            target or metadata, in which case nothing else is compared), `answer` or `score`.
        was: The value in the first run.
        now: The value in the second.
    """

    id: int | str
    epoch: int
    kind: Kind
    was: str
    now: str


@dataclass(frozen=True)
class Agreement:
    """The result of comparing two runs.

    Attributes:
        samples: The number of samples in either run, each epoch counted.
        differences: The differences, in the order of the first run; at most one of each kind for a sample.
    """

    samples: int
    differences: Sequence[Difference]

    @property
    def agreeing(self) -> int:
        """The number of samples with the same answers and scores."""
        return self.samples - len({(each.id, each.epoch) for each in self.differences})


def compare(before: EvalLog, after: EvalLog) -> Agreement:
    """Compare the samples of two logs by id, epoch and content."""
    first, second = _by_key(before), _by_key(after)
    keys = list({**first, **second})
    differences = [each for key in keys for each in _differences(key, first.get(key), second.get(key))]
    return Agreement(len(keys), differences)


def _by_key(log: EvalLog) -> Mapping[tuple[int | str, int], EvalSample]:
    return {(sample.id, sample.epoch): sample for sample in log.samples or ()}


def _differences(
    key: tuple[int | str, int], before: EvalSample | None, after: EvalSample | None
) -> Sequence[Difference]:
    if before is None or after is None:
        kind: Kind = "added" if before is None else "missing"
        return [Difference(*key, kind, "-" if before is None else "there", "-" if after is None else "there")]
    if before.error or after.error:
        return [Difference(*key, "errored", _error(before), _error(after))]
    if _content(before) != _content(after):
        return [Difference(*key, "content", _content(before)[:12], _content(after)[:12])]
    compared: dict[Kind, tuple[str, str]] = {
        "answer": (_answers(before), _answers(after)),
        "score": (_values(before), _values(after)),
    }
    return [Difference(*key, kind, was, now) for kind, (was, now) in compared.items() if was != now]


def _error(sample: EvalSample) -> str:
    return logged_message(sample.error) if sample.error else "answered"


def _content(sample: EvalSample) -> str:
    return str((sample.metadata or {}).get(CONTENT_KEY, "unknown"))


def _answers(sample: EvalSample) -> str:
    """Return the answers extracted by the scorers; if there are none, the completion."""
    answers = {name: score.answer for name, score in (sample.scores or {}).items() if score.answer is not None}
    return _as_text(answers) if answers else sample.output.completion


def _values(sample: EvalSample) -> str:
    return _as_text({name: score.value for name, score in (sample.scores or {}).items()})


def _as_text(values: Mapping[str, Any]) -> str:
    """Return values as a text for comparison, in which NaN equals itself."""
    if len(values) == 1:
        return str(*values.values())
    return ", ".join(f"{name}: {value}" for name, value in values.items())
