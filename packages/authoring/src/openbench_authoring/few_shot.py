"""Few-shot examples: drawn by a sample's content, not by its position in a run."""

import hashlib
import random
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser

from openbench.datasets import content_digest
from openbench.errors import DataError, UsageError

T = TypeVar("T")


@dataclass(frozen=True)
class Shot:
    """An example: the user's question and the assistant's answer."""

    question: str
    answer: str


def item_rng(seed: int, sample_id: str | int) -> random.Random:
    """Return a sample's own random number generator: the same in every process, whatever other samples a run has.

    The ids 1 and "1" are the same, as in a log.
    """
    digest = hashlib.sha256(f"{seed}\n{sample_id}".encode("utf-8", "surrogatepass")).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))  # noqa: S311 - no secret


class Pool(Sequence[T]):
    """Rows to draw from; equal rows are found once, on first use."""

    def __init__(self, rows: Sequence[T]) -> None:
        self._rows = rows
        self._places: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._rows[index]

    def without(self, item: T) -> "Others[T]":
        """Return a view of the rows that are not equal to an item."""
        return Others(self, item)

    def places(self, item: T) -> Sequence[int]:
        """Return the positions of the rows that are equal to an item, in order."""
        if not self._places:
            for place, row in enumerate(self._rows):
                self._places.setdefault(content_digest(row), []).append(place)
        return self._places.get(content_digest(item), ())


class Others(Sequence[T]):
    """A view of a pool without the rows that are equal to an item, so that none can be drawn for it.

    Equal rows among the others stay. Views of one `Pool` share its result; for any other sequence, a view creates its
    own pool, which costs a pass over all rows.
    """

    def __init__(self, pool: Sequence[T], item: T) -> None:
        self._pool = pool if isinstance(pool, Pool) else Pool(pool)
        self._left_out = self._pool.places(item)

    def __len__(self) -> int:
        return len(self._pool) - len(self._left_out)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]  # also supports negative indices, and raises IndexError
        before = range(len(self._left_out))
        return self._pool[place + bisect_right(before, place, key=lambda number: self._left_out[number] - number)]


def draw(pool: Sequence[T], count: int, *, item: T, seed: int, sample_id: str | int) -> list[T]:
    """Draw rows that differ from a sample's own row, and from each other.

    They depend only on the seed and the sample's id. So a run with a limit, or in another order, shows the same
    examples, and a smaller count gives the first examples of a larger one.

    Args:
        pool: The rows to draw from.
        count: The number of rows.
        item: The sample's own row.
        seed: The seed.
        sample_id: The sample's id.

    Raises:
        UsageError: The count is negative.
        DataError: The pool is too small.
    """
    if count < 0:
        raise UsageError(f"{count} few-shot examples were asked for. The number must be 0 or more.")
    chosen: list[T] = []
    seen = {content_digest(item)}
    places = _shuffled(len(pool), item_rng(seed, sample_id))
    while len(chosen) < count:
        place = next(places, None)
        if place is None:
            raise DataError(
                f"the sample {sample_id!r}: {count} few-shot examples were asked for, but the pool has {len(chosen)} "
                "(the sample's own row and repeats do not count). Ask for fewer, or draw from a larger split."
            )
        row = pool[place]
        digest = content_digest(row)
        if digest not in seen:
            seen.add(digest)
            chosen.append(row)
    return chosen


def by_key(rows: Iterable[Mapping[str, Any]], key: str) -> dict[Any, list[Mapping[str, Any]]]:
    """Return rows grouped by a column, in order: pools for examples of a sample's own subject.

    Raises:
        DataError: A row does not have the column.
    """
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for number, row in enumerate(rows, start=1):
        if key not in row:
            columns = ", ".join(map(str, row))
            raise DataError(f"row {number} of the few-shot examples has no {key!r} (columns: {columns}).")
        groups.setdefault(row[key], []).append(row)
    return groups


def as_turns(shots: Iterable[Shot]) -> list[ChatMessage]:
    """Return examples as a conversation, in which a user asks and an assistant answers, in turns."""
    return [message for shot in shots for message in _turns(shot)]


def as_message(shots: Iterable[Shot], question: str, *, separator: str = "\n\n", before_answer: str = "\n") -> str:
    """Return one message: all examples, then the question.

    Args:
        shots: The examples.
        question: The question.
        separator: The text between examples, and before the question.
        before_answer: The text between an example's question and its answer.
    """
    examples = [f"{shot.question}{before_answer}{shot.answer}" for shot in shots]
    return separator.join([*examples, question])


def _turns(shot: Shot) -> tuple[ChatMessage, ChatMessage]:
    return ChatMessageUser(content=shot.question), ChatMessageAssistant(content=shot.answer)


def _shuffled(length: int, rng: random.Random) -> Iterator[int]:
    """Yield the positions of a sequence in random order; the first few cost nothing of its length."""
    moved: dict[int, int] = {}
    for end in range(length - 1, -1, -1):
        place = rng.randrange(end + 1)
        yield moved.get(place, place)
        moved[place] = moved.get(end, end)
