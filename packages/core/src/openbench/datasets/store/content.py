"""What an entry's file holds, by the kind of its source."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from openbench.datasets.files import unpacked
from openbench.datasets.parsing import Row, parse_csv, parse_json
from openbench.datasets.store.arrow import unpack
from openbench.datasets.store.pin import Pin

ARROW = "rows.arrow"
PUBLISHED = "source"


@dataclass(frozen=True)
class Content:
    """Rows as they were fetched.

    Attributes:
        rows: The rows.
        data: Gives the bytes of the file that keeps them.
    """

    rows: Sequence[Row]
    data: Callable[[], bytes]


def file_name(pin: Pin) -> str:
    """Return the name of the file that keeps rows of a kind."""
    return ARROW if pin.type == "hf" else PUBLISHED


def rows_in(pin: Pin, data: bytes) -> Sequence[Row]:
    """Return the rows in the bytes of an entry's file.

    Raises:
        DataError: They cannot be parsed.
    """
    match pin.type:
        case "hf":
            return unpack(data)
        case "csv":
            return parse_csv(unpacked(pin.source, data), pin.label, **pin.options)
        case "json":
            return parse_json(unpacked(pin.source, data), pin.label, **pin.options)
